internal import AuthModel
internal import OperatingSystem
internal import TOML
internal import UserConfiguration

/// The setup of a tool that runs a command of Yett for a token: a setting in the tool's configuration, and for some tools a program that it
/// names.
struct TokenToolSetup: ToolSetup {
    let tool: SetupTool
    /// What gets the tokens: a registry, a provider or a remote of the tool's configuration, or a host.
    let target: String
    let session: SessionName?
    let environment: SetupEnvironment

    // MARK: The tool's files

    /// The file of the setting, and its syntax. Each path is from the tool's document: code.claude.com/docs/en/settings,
    /// developers.openai.com/codex/config-reference, pip.pypa.io/en/stable/topics/configuration, docs.astral.sh/uv/reference/settings,
    /// doc.rust-lang.org/cargo/reference/registry-authentication.html, bazel.build/run/bazelrc,
    /// developer.hashicorp.com/terraform/cli/config/config-file and rclone.org/docs.
    private var setting: ToolSetting {
        switch tool {
        case .claude:
            ToolSetting(path: folder("CLAUDE_CONFIG_DIR", "/.claude") + "/settings.json", syntax: .json, table: [], key: "apiKeyHelper")
        case .codex:
            ToolSetting(
                path: folder("CODEX_HOME", "/.codex") + "/config.toml", syntax: .toml, table: ["model_providers", target, "auth"],
                key: "command")
        case .cargo:
            ToolSetting(
                path: folder("CARGO_HOME", "/.cargo") + "/config.toml", syntax: .toml, table: ["registries", target],
                key: "credential-provider")
        case .uv: ToolSetting(path: configuration + "/uv/uv.toml", syntax: .line, table: [], key: "keyring-provider = \"subprocess\"")
        case .pip:
            ToolSetting(
                path: environment.value("PIP_CONFIG_FILE") ?? configuration + "/pip/pip.conf", syntax: .section, table: ["global"],
                key: "keyring-provider")
        case .rclone:
            ToolSetting(
                path: environment.value("RCLONE_CONFIG") ?? configuration + "/rclone/rclone.conf", syntax: .section, table: [target],
                key: "bearer_token_command")
        case .bazel:
            ToolSetting(
                path: environment.home + "/.bazelrc", syntax: .line, table: [],
                key: "common --credential_helper=\(bazelHost)=\(programPath ?? "")")
        case .terraform:
            ToolSetting(
                path: environment.value("TF_CLI_CONFIG_FILE") ?? environment.home + "/.terraformrc", syntax: .line, table: [],
                key: "credentials_helper \"yett\" {}")
        case .git, .kubectl, .docker, .aws, .mail, .mcp: ToolSetting(path: "", syntax: .line, table: [], key: "")
        }
    }

    /// The path of the program that the tool runs; `nil` if it runs yett itself.
    private var programPath: String? {
        switch tool {
        case .pip, .uv: environment.home + "/.local/bin/keyring"
        case .cargo: environment.home + "/.local/bin/cargo-credential-yett"
        case .bazel: environment.home + "/.local/bin/bazel-credential-yett"
        case .terraform: environment.home + "/.terraform.d/plugins/terraform-credentials-yett"
        default: nil
        }
    }

    private func folder(_ variable: String, _ other: String) -> String { environment.value(variable) ?? environment.home + other }
    private var configuration: String {
        environment.value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? environment.home + "/.config"
    }

    /// The value of the setting in its syntax.
    private func value(_ yett: String) throws(AuthFailure) -> String {
        let token = [yett, "token", try requiredSession.description]
        return switch tool {
        case .claude: JSONValue.string(anthropic(yett, try requiredSession).shellLine).text
        case .codex: TOMLText.quoted(yett)
        // cargo passes the words after the first one in its request (The Cargo Book, "Credential Provider Protocol"), so there is a program.
        case .cargo: TOMLText.list([programPath ?? yett])
        case .pip: "subprocess"
        // rclone splits the command at spaces (rclone.org/webdav, "bearer_token_command").
        case .rclone: try ToolSyntax.aws(token)
        default: ""
        }
    }

    /// The command of Claude Code, whose settings in a project can change where it sends the token.
    private func anthropic(_ yett: String, _ session: SessionName) -> [String] { [yett, "helper", "anthropic", session.description] }

    private func programText(_ yett: String) -> String {
        let name = [.pip, .uv].contains(tool) ? "keyring" : tool.rawValue
        return "#!/usr/bin/env sh\nexec \(ShellWord(yett)) helper \(name) \"$@\"\n"
    }

    // MARK: Reading

    /// Returns the entries of a tool that a setup has changed, as far as their files tell for what.
    static func current(_ tool: SetupTool, in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        let all = TokenToolSetup(tool: tool, target: "*", session: nil, environment: environment)
        var targets: [String] = []
        switch tool {
        case .claude: targets = [Self.claude]
        case .codex, .cargo, .rclone: targets = try all.setting.tables()
        case .bazel: targets = try all.setting.lines().compactMap { all.bazelHost(in: $0) }
        default: targets = ["*"]
        }
        var entries: [SetupEntry] = []
        for target in targets {
            let setup = TokenToolSetup(tool: tool, target: target, session: nil, environment: environment)
            guard try setup.isSetUp() else { continue }
            let shown = target == "*" ? "hosts in api_hosts" : target
            entries.append(SetupEntry(tool: tool, target: shown, session: try setup.presentSession(), destination: try setup.address()))
        }
        return entries
    }

    /// The name of Claude Code's own API as a target.
    static let claude = "the model's API"

    /// The target without its port: Bazel's patterns have none.
    private var bazelHost: String { WebURL("https://\(target)/")?.origin.host ?? target }

    private func bazelHost(in line: String) -> String? {
        let (start, end) = ("common --credential_helper=", "=\(programPath ?? "")")
        guard line.hasPrefix(start), line.hasSuffix(end), line.utf8.count > start.utf8.count + end.utf8.count else { return nil }
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
        let operation = words.dropFirst().dropLast()
        return switch tool {
        case .claude, .codex, .rclone:
            // Former versions of Yett wrote yett token for Claude Code too.
            words.first.map(Self.isYett) == true && SessionName(words.last ?? "") != nil
                && (operation == ["token"] || tool == .claude && operation == ["helper", "anthropic"])
        case .cargo: words == [programPath ?? ""]
        case .pip: words == ["subprocess"]
        // The key is the whole line.
        default: true
        }
    }

    /// Returns the words of the present command, or the present value; `nil` if the setting is not there.
    private func words() throws(AuthFailure) -> [String]? {
        switch tool {
        case .claude, .rclone: try setting.text().map(HelperLine.words)
        case .codex: try setting.text().map { [setting] command throws(AuthFailure) in [command] + Self.list(try setting.sibling("args")) }
        case .cargo: try setting.value().map(Self.list)
        default: try setting.value().map { [$0] }
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
        guard [.claude, .codex, .rclone].contains(tool), try isOwnSetting() else { return nil }
        return try words()?.last.flatMap { SessionName($0) }
    }

    func destination() async throws(AuthFailure) -> WebURL? { try address() }

    private func address() throws(AuthFailure) -> WebURL? {
        switch tool {
        case .claude:
            WebURL(try setting.sibling(AnthropicHelperCommand.variable, below: "env") ?? AnthropicHelperCommand.api)
        case .codex:
            try ToolSetting(path: setting.path, syntax: .toml, table: ["model_providers", target], key: "base_url").text().flatMap {
                WebURL($0)
            }
        case .cargo: try setting.sibling("index").flatMap { WebURL($0.hasPrefix("sparse+") ? String($0.dropFirst(7)) : $0) }
        case .rclone: try setting.sibling("url").flatMap { WebURL($0) }
        default: target == "*" ? nil : WebURL("https://\(target)/")
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
        if tool == .bazel { try requireDomain() }
        // A line of .bazelrc is split at spaces.
        if tool == .bazel, let programPath { _ = try ToolSyntax.aws([programPath.replacing(" ", with: "'")]) }
        let value = tool == .uv || tool == .bazel || tool == .terraform ? "" : try value(yett)
        var isSame = try setting.value() == value
        if tool == .codex, try presentSession() != session { isSame = false }
        if let present = try setting.value(), present != value || !isSame, try !isOwnSetting() {
            throw AuthFailure(
                .configuration, text: "\(tool.rawValue) already gets its token from another command in \(setting.path)",
                hint: "remove \(setting.key) there first")
        }
        if !isSame, let edit = try setting.edit(to: value, more: more(yett)) {
            // The file can have secrets of other servers.
            let old = try setting.value().map { ["\(setting.key) = \($0)"] } ?? []
            let new = setting.syntax == .line ? setting.key : "\(setting.key) = \(value)"
            change.steps.append(
                SetupStep(edit, showing: LineDifference(before: old, after: [new] + more(yett).map { "\($0.key) = \($0.value)" })))
        }
        return change
    }

    /// The other settings of the table.
    private func more(_ yett: String) -> [(key: String, value: String)] {
        tool == .codex ? [("args", TOMLText.list(["token", session?.description ?? ""]))] : []
    }

    /// Throws if pip or uv would find another keyring, or none.
    private func requireRoom(for path: String) throws(AuthFailure) {
        guard [.pip, .uv].contains(tool) else { return }
        if let found = environment.program("keyring"), found != path {
            throw AuthFailure(
                .configuration, text: "\(found) is another keyring, which \(tool.rawValue) would run",
                hint: "uninstall it, or set keyring-provider = \"disabled\" and give the token by yett exec")
        }
        let folder = environment.home + "/.local/bin"
        guard environment.variables["PATH"]?.split(separator: ":").contains(where: { $0 == folder || $0 == folder + "/" }) == true else {
            throw AuthFailure(
                .configuration, text: "\(folder) is not in PATH, where \(tool.rawValue) looks for keyring",
                hint: "add it, such as: export PATH=\(ShellWord(folder)):\"$PATH\"")
        }
    }

    /// Throws `.usage` if Bazel would refuse the host: its patterns are full domain names (CredentialHelperProvider.java, `DOMAIN_PATTERN`).
    private func requireDomain() throws(AuthFailure) {
        guard bazelHost.contains("."), bazelHost.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-.".utf8.contains($0) }) else {
            throw AuthFailure(
                .usage, text: "Bazel takes no credential helper for '\(target)'", hint: "use a full host name, such as cache.example.org")
        }
    }

    func undo() throws(AuthFailure) -> SetupChange {
        guard try isSetUp() else { return SetupChange() }
        var change = SetupChange()
        if let edit = try setting.edit(to: nil, more: more("")) {
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
        switch tool {
        case .pip: try TokenToolSetup(tool: .uv, target: "*", session: nil, environment: environment).isSetUp()
        case .uv: try TokenToolSetup(tool: .pip, target: "*", session: nil, environment: environment).isSetUp()
        case .cargo: try registriesWithProgram().contains { $0 != target }
        case .bazel: try setting.lines().compactMap { bazelHost(in: $0) }.contains { $0 != bazelHost }
        default: false
        }
    }

    /// Returns the registries of cargo's configuration that name the program.
    private func registriesWithProgram() throws(AuthFailure) -> [String] {
        var found: [String] = []
        for name in try setting.tables() {
            if try TokenToolSetup(tool: .cargo, target: name, session: nil, environment: environment).isOwnSetting() { found.append(name) }
        }
        return found
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let yett = try environment.requireYett(for: tool.rawValue)
        let (url, session) = (try address(), try requiredSession.description)
        let place = url?.text ?? ""
        let cargo = JSONValue.members(
            ("v", 1), ("registry", .members(("index-url", .string("sparse+" + place)))), ("kind", "get"), ("operation", "read"),
            ("args", .array([])))
        let (words, input): ([String], String) =
            switch tool {
            case .pip, .uv: (["keyring", "get", place, "oauth2"], "")
            case .bazel: ([programPath ?? "", "get"], JSONValue.members(("uri", .string(place))).text + "\n")
            case .terraform: ([programPath ?? "", "get", target], "")
            case .cargo: ([programPath ?? "", "--cargo-plugin"], cargo.text + "\n")
            case .claude: (anthropic(yett, try requiredSession), "")
            default: ([yett, "token", session], "")
            }
        let exchange = try await environment.run(
            words, input: input, with: tool == .claude ? [AnthropicHelperCommand.variable: place] : [:])
        let output = String(decoding: exchange.output, as: UTF8.self)
        let none = ["", "{}\n", "{\"headers\":{}}\n"]
        guard exchange.status == 0, !none.contains(output), !output.contains("\"Err\"") else {
            throw exchange.refusal("\(tool.rawValue) got no token for \(target)")
        }
        return SetupCheck(
            command: words.prefix(3).map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: " "), found: "a token")
    }
}
