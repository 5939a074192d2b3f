internal import AuthModel
internal import OperatingSystem
internal import TOML
internal import UserConfiguration

/// The setup of a tool that runs a command of Yett for a token: a setting in the tool's configuration, and for some tools a program that it
/// names.
struct TokenToolSetup: ToolSetup {
    let row: TokenTool
    /// The receiver of the tokens: a registry, a provider or a remote of the tool's configuration, or a host.
    let target: String
    let session: SessionName?
    let environment: SetupEnvironment

    var tool: SetupTool { row.tool }

    // MARK: The tool's files

    private var setting: ToolSetting { setting(row.table, keyParts.joined(separator: host)) }

    private func setting(_ table: [String], _ key: String) -> ToolSetting {
        ToolSetting(path: row.path(environment), syntax: row.syntax, table: table.map { $0 == "*" ? target : $0 }, key: key)
    }

    /// The parts of the key before and after the host; one part if it names none.
    private var keyParts: [String] {
        row.key.split(separator: "HOST", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0).replacing("PROGRAM", with: programPath ?? "") }
    }

    private var programPath: String? { row.program.map { environment.home + $0.path } }

    /// The target without its port.
    private var host: String { WebURL("https://\(target)/")?.origin.host ?? target }

    /// The command of Yett in the setting.
    private func command(_ yett: String) throws(AuthFailure) -> [String] { [yett] + row.operation + [try requiredSession.description] }

    /// The value of the setting in its syntax.
    private func value(_ yett: String) throws(AuthFailure) -> String {
        switch row.value {
        case .shellCommand: JSONValue.string(try command(yett).shellLine).text
        case .splitCommand: try ToolSyntax.aws(command(yett))
        case .pathAndArguments: TOMLText.quoted(yett)
        case .programList: TOMLText.list([programPath ?? yett])
        case .fixed(let text): text
        }
    }

    /// The other settings of the table.
    private var more: [(key: String, value: String)] {
        guard case .pathAndArguments = row.value else { return [] }
        return [("args", TOMLText.list(row.operation + [session?.description ?? ""]))]
    }

    private func programText(_ yett: String) -> String {
        "#!/usr/bin/env sh\nexec \(ShellWord(yett)) helper \(row.program?.helper ?? "") \"$@\"\n"
    }

    // MARK: Reading

    /// Returns the entries of a tool that a setup has changed, as far as their files tell for what.
    static func current(_ tool: SetupTool, in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        guard let row = TokenTool.all.first(where: { $0.tool == tool }) else { return [] }
        let all = TokenToolSetup(row: row, target: "*", session: nil, environment: environment)
        var entries: [SetupEntry] = []
        for target in try all.targets() {
            let setup = all.at(target)
            guard try setup.isSetUp() else { continue }
            let shown = target == "*" ? "hosts in api_hosts" : target
            entries.append(SetupEntry(tool: tool, target: shown, session: try setup.presentSession(), destination: try setup.address()))
        }
        return entries
    }

    private func at(_ target: String) -> TokenToolSetup {
        TokenToolSetup(row: row, target: target, session: nil, environment: environment)
    }

    /// Returns what the tool may have the setting for; `*` for all hosts, if the setting names none.
    private func targets() throws(AuthFailure) -> [String] {
        switch row.target {
        case .only(let name): [name]
        case .table: try setting.tables()
        case .host: ["*"]
        case .domain: try setting.lines().compactMap { host(in: $0) }
        }
    }

    private func host(in line: String) -> String? {
        guard let start = keyParts.first, let end = keyParts.last, line.hasPrefix(start), line.hasSuffix(end),
            line.utf8.count > start.utf8.count + end.utf8.count
        else { return nil }
        return String(line.dropFirst(start.count).dropLast(end.count))
    }

    /// Returns whether the setting is there as this setup writes it, and runs yett.
    private func isSetUp() throws(AuthFailure) -> Bool {
        guard try isOwnSetting() else { return false }
        guard let programPath else { return true }
        return try PrivateFile.read(programPath).map { isOwnProgram($0, at: programPath) } ?? false
    }

    /// Returns whether the setting is there as this setup writes it, for any session and any path of yett.
    private func isOwnSetting() throws(AuthFailure) -> Bool {
        guard let words = try words() else { return false }
        switch row.value {
        case .shellCommand, .splitCommand, .pathAndArguments:
            // Former versions of Yett wrote yett token for Claude Code too.
            let operation = Array(words.dropFirst().dropLast())
            return words.first.map(Self.isYett) == true && SessionName(words.last ?? "") != nil
                && [["token"], row.operation].contains(operation)
        case .programList: return words == [programPath ?? ""]
        case .fixed(let text): return words == [text]
        }
    }

    /// Returns the words of the present command, or the present value; `nil` if the setting is not there.
    private func words() throws(AuthFailure) -> [String]? {
        switch row.value {
        case .shellCommand, .splitCommand: try setting.text().map(HelperLine.words)
        case .pathAndArguments:
            try setting.text().map { [setting] command throws(AuthFailure) in [command] + Self.list(try setting.sibling("args")) }
        case .programList: try setting.value().map(Self.list)
        case .fixed: try setting.value().map { [$0] }
        }
    }

    /// Returns the strings of a TOML list; empty if the text is none.
    private static func list(_ text: String?) -> [String] {
        text.flatMap { try? TOMLDocument("list = \($0)") }?.root["list"]?.strings ?? []
    }

    private static func isYett(_ path: String) -> Bool { path.hasPrefix("/") && path.split(separator: "/").last == "yett" }

    /// Returns whether a file is the program as this setup writes it, with any path of yett. A symbolic link is the user's own.
    private func isOwnProgram(_ bytes: [UInt8], at path: String) -> Bool {
        let words = HelperLine.words(of: String(decoding: bytes, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? "")
        return words.count > 1 && Self.isYett(words[1]) && bytes == Array(programText(words[1]).utf8) && !FileSnapshot.isLink(path)
    }

    private func presentSession() throws(AuthFailure) -> SessionName? {
        guard row.program == nil, try isOwnSetting() else { return nil }
        return try words()?.last.flatMap { SessionName($0) }
    }

    func destination() async throws(AuthFailure) -> WebURL? { try address() }

    private func address() throws(AuthFailure) -> WebURL? {
        switch row.address {
        case .target: return target == "*" ? nil : WebURL("https://\(target)/")
        case .setting(let table, let key, let prefix, let other):
            guard let text = try setting(table, key).text() ?? other else { return nil }
            return WebURL(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        }
    }

    // MARK: Changing

    func change() throws(AuthFailure) -> SetupChange {
        let yett = try environment.requireYett(for: tool.rawValue)
        _ = try requiredSession
        guard try address() != nil else {
            throw AuthFailure(
                .configuration, text: "\(tool.rawValue) has no address for \(target) in \(setting.path)",
                hint: "add \(target) to that file first, and run the command again")
        }
        var change = SetupChange()
        if let programPath {
            try requireRoom(for: programPath)
            let present = try PrivateFile.read(programPath)
            let text = programText(yett)
            guard present.map({ isOwnProgram($0, at: programPath) }) ?? !FileSnapshot.isLink(programPath) else {
                throw AuthFailure(
                    .configuration, text: "\(programPath) is another program", hint: "move it away, and run the command again")
            }
            if present != Array(text.utf8) {
                change.steps.append(SetupStep(FileEdit(path: programPath, before: present, after: text, isProgram: true)))
            }
        }
        if case .domain = row.target { try requireDomain() }
        let value = try value(yett)
        var isSame = try setting.value() == value
        if !more.isEmpty, try presentSession() != session { isSame = false }
        if let present = try setting.value(), present != value || !isSame, try !isOwnSetting() {
            throw AuthFailure(
                .configuration, text: "\(tool.rawValue) already gets its token from another command in \(setting.path)",
                hint: "remove \(setting.key) there first")
        }
        if !isSame, let edit = try setting.edit(to: value, more: more) {
            // The file can have secrets of other servers.
            let old = try setting.value().map { ["\(setting.key) = \($0)"] } ?? []
            let new = setting.syntax == .line ? setting.key : "\(setting.key) = \(value)"
            change.steps.append(
                SetupStep(edit, showing: LineDifference(before: old, after: [new] + more.map { "\($0.key) = \($0.value)" })))
        }
        return change
    }

    /// Throws if the tool would find another program, or none.
    private func requireRoom(for path: String) throws(AuthFailure) {
        guard row.program?.isInPath == true else { return }
        if let found = environment.program("keyring"), found != path {
            throw AuthFailure(
                .configuration, text: "\(found) is another keyring, which \(tool.rawValue) would run",
                hint: "uninstall it, or set keyring-provider = \"disabled\" and give the token by yett exec")
        }
        try environment.requireProgramFolder(for: "keyring", of: tool.rawValue)
    }

    /// Throws `.usage` if Bazel would refuse the host: its patterns are full domain names (CredentialHelperProvider.java,
    /// `DOMAIN_PATTERN`).
    private func requireDomain() throws(AuthFailure) {
        guard host.contains("."), host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-.".utf8.contains($0) }) else {
            throw AuthFailure(
                .usage, text: "Bazel takes no credential helper for '\(target)'", hint: "use a full host name, such as cache.example.org")
        }
        // A line of .bazelrc is split at spaces.
        if let programPath { _ = try ToolSyntax.aws([programPath.replacing(" ", with: "'")]) }
    }

    func undo() throws(AuthFailure) -> SetupChange {
        guard try isSetUp() else { return SetupChange() }
        var change = SetupChange()
        if let edit = try setting.edit(to: nil, more: more) {
            let old = try setting.value().map { setting.syntax == .line ? setting.key : "\(setting.key) = \($0)" } ?? setting.key
            change.steps.append(SetupStep(edit, showing: LineDifference(before: [old], after: [])))
        }
        if let programPath, let present = try PrivateFile.read(programPath), try !isNeededByOthers() {
            change.steps.append(SetupStep(FileEdit(path: programPath, before: present, after: "", isRemoval: true)))
        }
        return change
    }

    /// Returns whether another setting names the program.
    private func isNeededByOthers() throws(AuthFailure) -> Bool {
        for other in TokenTool.all where other.tool != tool && other.program?.path == row.program?.path {
            if try TokenToolSetup(row: other, target: "*", session: nil, environment: environment).isSetUp() { return true }
        }
        switch row.target {
        case .only, .host: return false
        case .table:
            for other in try targets() where other != target {
                if try at(other).isOwnSetting() { return true }
            }
            return false
        case .domain: return try targets().contains { $0 != host }
        }
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let yett = try environment.requireYett(for: tool.rawValue)
        let place = try address()?.text ?? ""
        var words = try command(yett)
        if let program = row.program, let programPath {
            words = [program.isInPath ? program.helper : programPath] + program.arguments(place, target)
        }
        let exchange = try await environment.run(
            words, input: row.program?.input(place) ?? "", with: row.variable.map { [$0: place] } ?? [:])
        let output = String(decoding: exchange.output, as: UTF8.self)
        let none = ["", "{}\n", "{\"headers\":{}}\n"]
        guard exchange.status == 0, !none.contains(output), !output.contains("\"Err\"") else {
            throw exchange.refusal("\(tool.rawValue) got no token for \(target)")
        }
        return SetupCheck(
            command: words.prefix(3).map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: " "), found: "a token")
    }
}
