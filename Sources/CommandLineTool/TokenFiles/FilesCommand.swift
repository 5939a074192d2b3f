internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import TokenFiles
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
        try context.console.answer(TokenFileReport(files: files), asJSON: json)
        if files.isEmpty, !json { context.console.note("no files; start one with: yett token SESSION --file PATH") }
    }
}

/// The files, and whether they have a token now.
private struct TokenFileReport: Answer {
    let files: [TokenFile]

    private static func hasToken(_ file: TokenFile) -> Bool { access(file.path, F_OK) == 0 }

    var lines: [String] {
        guard !files.isEmpty else { return [] }
        var table = Table("FILE", "SESSION", "KIND", "STATE")
        for file in files {
            table.add([
                file.path, file.session.description, file.wanted == .id ? "ID token" : "token",
                Self.hasToken(file) ? "has a token" : "no token now",
            ])
        }
        return table.lines
    }

    var json: JSONValue {
        .answer(
            (
                "files",
                .array(files.map { .object(($0.json.members ?? []) + [.init("has_token", .bool(Self.hasToken($0)))]) })
            ))
    }
}
