internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalUI
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

    func run(in context: CommandContext) async throws {
        let list = try context.tokenFiles()
        for path in end.map(context.absolute) {
            guard try list.end(path) else {
                throw AuthFailure(.usage, text: "\(path) is not kept", hint: "list the files with: yett files")
            }
        }
        guard end.isEmpty else {
            // A script needs no answer.
            if context.diagnosticsDisplay != nil { context.console.done("removed: \(end.joined(separator: ", "))") }
            return
        }
        let files = try list.read()
        let states = files.map { file in Result { () throws(AuthFailure) in try TokenFileList.hasToken(file) } }
        let entries = zip(files, states).map { (file: $0, hasToken: (try? $1.get()) ?? false) }
        try context.answer(TokenFileReport(entries: entries), asJSON: json)
        for case .failure(let failure) in states {
            context.console.warning("no token is written: \(failure.summary)", hint: failure.hintText)
        }
        if files.isEmpty, !json { context.console.note("no files; start one with: yett token SESSION --file PATH") }
    }
}

/// The files, and whether they have a token now.
private struct TokenFileReport: TableAnswer {
    let entries: [(file: TokenFile, hasToken: Bool)]

    var table: TextTable {
        var table = TextTable("FILE", "SESSION", "KIND", "STATE")
        for (file, hasToken) in entries {
            table.add([
                StyledText(file.path, .title), StyledText(file.session.description), StyledText(file.wanted == .id ? "ID token" : "token"),
                StyledText(hasToken ? "has a token" : "no token now", hasToken ? .success : .warning),
            ])
        }
        return table
    }

    var json: JSONValue {
        .answer(
            ("files", .array(entries.map { .object(($0.file.json.members ?? []) + [.init("has_token", .bool($0.hasToken))]) })))
    }
}

extension CommandContext {
    /// Returns the list of the files that the agent keeps fresh.
    func tokenFiles() throws(AuthFailure) -> TokenFileList { TokenFileList(folder: try directories.state) }

    /// Returns the absolute form of a path.
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(edges.workingDirectory)/\(path)" }

    /// Returns an entry for the list. Throws `.configuration` if the agent could not keep the file fresh.
    func tokenFile(
        _ path: String, of session: SessionName, _ wanted: TokenRequest.Wanted, _ restrictions: TokenRestrictions
    ) async throws(AuthFailure) -> TokenFile {
        guard agentLocation.remoteSocket == nil, try await agentClient().status() != nil else {
            throw AuthFailure(
                .configuration, text: "without an agent on this machine, a file would not be kept fresh", hint: "start it: yett agent start"
            )
        }
        let provider = try configurationFile().read().named(session.provider.text)
        guard provider.policy == .allow else {
            throw AuthFailure(
                .configuration,
                text: "policy = \"\(provider.policy.rawValue)\" in [providers.\(provider.name)] does not allow files with tokens",
                hint: "a program that reads a file cannot be asked about; use yett exec or yett proxy")
        }
        return TokenFile(path: absolute(path), session: session, wanted: wanted, restrictions: restrictions)
    }
}
