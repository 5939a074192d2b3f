internal import ArgumentParser
internal import AuthModel
internal import TokenFiles
internal import Localization
internal import UserConfiguration

/// `yett files`: lists and ends the files that the agent keeps filled with a fresh token.
struct FilesCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "files", abstract: "Show the files that are kept filled with a fresh token.",
        discussion: """
            yett token --file starts such a file. The agent replaces it before its token expires. While there is no token, because you \
            signed out or the store is locked, there is no file.
            """)
    static let examples: KeyValuePairs = [
        "yett files": "Lists the files.",
        "yett files --end ~/.cache/work-token": "Removes the file; it is no longer kept.",
    ]

    @Option(help: ArgumentHelp("End this file and remove it; may be repeated.", valueName: "path"), completion: .file())
    var end: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let list = try context.tokenFiles()
        for path in end.map(context.absolute) {
            guard try list.end(path) else {
                throw AuthFailure(.usage, text: "\(path) is not kept", hint: "list the files with: yett files")
            }
        }
        guard end.isEmpty else { return }
        let files = try list.read()
        let states = files.map { file in Result { () throws(AuthFailure) in try TokenFileList.hasToken(file) } }
        let entries = zip(files, states).map { (file: $0, hasToken: (try? $1.get()) ?? false) }
        try context.console.answer(TokenFileReport(entries: entries), asJSON: json)
        for case .failure(let failure) in states {
            context.console.warning("no token is written: \(failure.summary)")
            if let hint = failure.hintText { context.console.hint(hint) }
        }
        if files.isEmpty, !json { context.console.note("no files; start one with: yett token SESSION --file PATH") }
    }
}

/// The files, and whether they have a token now.
private struct TokenFileReport: Answer {
    let entries: [(file: TokenFile, hasToken: Bool)]

    var lines: [String] {
        guard !entries.isEmpty else { return [] }
        var table = Table("FILE", "SESSION", "KIND", "STATE")
        for (file, hasToken) in entries {
            table.add([
                file.path, file.session.description, file.wanted == .id ? "ID token" : "token", hasToken ? "has a token" : "no token now",
            ])
        }
        return table.lines
    }

    var json: JSONValue {
        .answer(
            ("files", .array(entries.map { .object(($0.file.json.members ?? []) + [.init("has_token", .bool($0.hasToken))]) })))
    }
}
