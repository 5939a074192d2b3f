internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup git`: lets git get tokens for a host.
struct GitSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Let git get tokens for a host.",
        discussion: """
            Adds yett helper git as the only credential helper for the host to git's global configuration, and the host to api_hosts of \
            the session's provider.
            """)
    static let examples: KeyValuePairs = [
        "yett setup git git.example.org work": "Lets git get tokens of the session for this host.",
        "yett setup git git.example.org --remove": "Removes the setup.",
    ]

    @Argument(help: "The host of the repositories: HOST or HOST:PORT.")
    var host: String

    @OptionGroup var source: TokenSource

    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup {
        try GitSetup(host: host, session: session, environment: environment)
    }
}

/// The credential helper of git for one host (gitcredentials(7)).
struct GitSetup: ToolSetup {
    var tool: SetupTool { .git }

    /// The server, as in `https://git.example.org`.
    let origin: Origin
    let session: SessionName?
    let environment: SetupEnvironment

    var target: String { origin.scheme == .https ? origin.authority : origin.description }

    /// Parses `HOST`, `HOST:PORT` or the URL of a server. Throws `.usage`.
    init(host: String, session: SessionName?, environment: SetupEnvironment) throws(AuthFailure) {
        origin = try WebURL.server(host).origin
        self.session = session
        self.environment = environment
    }

    func destination() -> WebURL? { WebURL(origin.description + "/") }

    private var key: String { "credential.\(origin).helper" }

    // MARK: Reading

    /// A helper in git's configuration.
    private struct Helper {
        let key: String
        let value: String
        let origin: Origin?

        /// The command of Yett; `nil` for another helper.
        var line: HelperLine? { value.hasPrefix("!") ? HelperLine(line: String(value.dropFirst()), helper: "git") : nil }
    }

    /// Returns the helpers that apply to single servers, in git's order.
    ///
    /// - Parameter isOwnFile: whether to read only the file that git changes, without the files that it includes.
    private static func helpers(isOwnFile: Bool, in environment: SetupEnvironment) async throws(AuthFailure) -> [Helper] {
        // Outside of any repository, whose own configuration does not count.
        let includes = isOwnFile ? "--no-includes" : "--includes"
        let exchange = try await environment.run(
            ["git", "-C", "/", "config", "--global", includes, "--null", "--get-regexp", #"^credential\..*\.helper$"#])
        // git's status for "no match".
        guard exchange.status != 1 else { return [] }
        guard exchange.status == 0 else { throw environment.failure(of: ["git"], exchange) }
        return String(decoding: exchange.output, as: UTF8.self).split(separator: "\0").map { item in
            let parts = item.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let key = parts[0]
            let url = WebURL(String(key.dropFirst("credential.".count).dropLast(".helper".count)))
            let isServer = url.map { ["", "/"].contains($0.path) && $0.query == nil } ?? false
            return Helper(key: key, value: parts.count > 1 ? parts[1] : "", origin: isServer ? url?.origin : nil)
        }
    }

    static func current(in environment: SetupEnvironment) async throws(AuthFailure) -> [SetupEntry] {
        guard environment.program("git") != nil else { return [] }
        var entries: [SetupEntry] = []
        for helper in try await helpers(isOwnFile: false, in: environment) {
            guard let line = helper.line, let origin = helper.origin else { continue }
            let target = origin.scheme == .https ? origin.authority : origin.description
            entries.removeAll { $0.target == target }
            entries.append(
                SetupEntry(tool: .git, target: target, session: line.session, destination: WebURL(origin.description + "/")))
        }
        return entries
    }

    private func helpers(isOwnFile: Bool) async throws(AuthFailure) -> [Helper] {
        try environment.require("git")
        return try await Self.helpers(isOwnFile: isOwnFile, in: environment).filter { $0.origin == origin }
    }

    // MARK: Changing

    /// The file that `git config --global` changes (git-config(1), "FILES").
    private var file: String {
        if let named = environment.value("GIT_CONFIG_GLOBAL") { return named }
        let usual = environment.home + "/.gitconfig"
        let folder = environment.value("XDG_CONFIG_HOME") ?? environment.home + "/.config"
        let other = folder + "/git/config"
        return !FileStatus.exists(usual) && FileStatus.exists(other) ? other : usual
    }

    func change() async throws(AuthFailure) -> SetupChange {
        let session = try requiredSession
        let present = try await helpers(isOwnFile: false)
        _ = try environment.requireYett(for: "git")
        let foreign = present.filter { $0.line == nil && !$0.value.isEmpty }
        if let other = foreign.first {
            throw AuthFailure(
                .configuration, text: "git already gets credentials for \(target) from '\([String].firstWord(of: other.value))'",
                hint: "remove that first: git config --global --unset-all \(ShellWord(other.key))")
        }
        // The empty value makes git forget the helpers for all hosts.
        let wanted = ["", "!yett helper git \(session.shellWord)"]
        let own = try await helpers(isOwnFile: true)
        guard present.map(\.value) != wanted else { return SetupChange() }
        let obsolete = Set(own.map(\.key)).subtracting([key]).sorted()
        return SetupChange(steps: [
            SetupStep(
                shownFile: file, files: [file],
                actions: obsolete.map { .run(["git", "config", "--global", "--unset-all", $0]) } + [
                    .run(["git", "config", "--global", "--replace-all", key, wanted[0]]),
                    .run(["git", "config", "--global", "--add", key, wanted[1]]),
                ],
                before: Self.lines(of: own.map(\.value), at: origin), after: Self.lines(of: wanted, at: origin))
        ])
    }

    private static func lines(of values: [String], at origin: Origin) -> [String] {
        values.isEmpty ? [] : ["[credential \"\(origin)\"]"] + values.map { "  helper = \($0)" }
    }

    func undo() async throws(AuthFailure) -> SetupChange {
        let isSetUp = try await helpers(isOwnFile: false).contains { $0.line != nil }
        guard isSetUp else { return SetupChange() }
        let own = try await helpers(isOwnFile: true)
        let keys = Set(own.filter { $0.line != nil }.map(\.key)).sorted()
        guard !keys.isEmpty else {
            throw AuthFailure(
                .configuration, text: "the helper for \(target) is in a file that \(file) includes",
                hint: "find the file with: git config --global --includes --show-origin --get-all \(ShellWord(key))")
        }
        let commands = keys.map { key in
            // Helpers that the user added stay, and so does the empty value, which they may need.
            let isShared = own.contains { $0.key == key && $0.line == nil && !$0.value.isEmpty }
            return ["git", "config", "--global", "--unset-all", key] + (isShared ? ["^!([^ ]*/)?yett helper git"] : [])
        }
        return SetupChange(steps: [
            SetupStep(
                shownFile: file, files: [file], actions: commands.map(SetupStep.Action.run) + [.removeIfEmpty(file)],
                before: Self.lines(of: own.filter { $0.line != nil || $0.value.isEmpty }.map(\.value), at: origin))
        ])
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        // Without a terminal and without a program that asks, git fails if no helper has a credential.
        let exchange = try await environment.run(
            ["git", "-C", "/", "credential", "fill"], input: "protocol=\(origin.scheme.rawValue)\nhost=\(origin.authority)\n\n",
            with: ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""])
        var fields: [Substring: Substring] = [:]
        let answer = String(decoding: exchange.output, as: UTF8.self)
        for line in answer.split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { fields[pair[0]] = pair[1] }
        }
        guard exchange.status == 0, fields["password"]?.isEmpty == false || fields["credential"]?.isEmpty == false else {
            throw exchange.refusal("git got no token for \(target)")
        }
        let end = fields["password_expiry_utc"].flatMap { Double($0) }.map { Timestamp(seconds: $0) }
        return SetupCheck(
            command: "git credential fill", found: fields["username"].map { "a token, sent for the user \($0)" } ?? "a token",
            expiresAt: end)
    }
}
