internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett helper git`: a credential helper for git (gitcredentials(7)).
struct GitHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Act as a credential helper of git.",
        discussion: """
            git calls it with get, store, erase or capability, and sends its request on standard input. Unless you give a session, it \
            uses the one whose api_hosts or resource has git's host. If git reports that a token was refused, it is renewed at git's \
            next request; you stay signed in.
            """)
    static let examples: KeyValuePairs = [
        "git config --global credential.https://git.example.org.helper '!yett helper git'":
            "Lets git get its tokens from Yett.",
        "printf 'protocol=https\\nhost=git.example.org\\n\\n' | yett helper git get": "Shows what git gets.",
    ]

    @Argument(
        help: ArgumentHelp(
            "PROVIDER or PROVIDER/ACCOUNT (default: by the host), then git's operation.", valueName: "words"),
        completion: .names(.sessions))
    var words: [String] = []

    var runsInAgent: Bool { words.last == "get" }

    func validate() throws {
        guard !words.isEmpty else { throw ValidationError("the last argument must be git's operation: get, store, erase or capability") }
        guard words.count <= 2 else { throw ValidationError("too many arguments; git adds the last one itself") }
    }

    func run(in context: CommandContext) async throws {
        let session = words.count == 2 ? words[0] : nil
        switch words.last {
        case "get": try await get(session, in: context)
        case "erase": try await erase(session, in: context)
        case "capability": try context.console.lines(["version 0", "capability authtype"])
        // Yett stores sessions itself, so `store` does nothing. Helpers must ignore operations that they do not know (gitcredentials(7)).
        default: break
        }
    }

    private func get(_ name: String?, in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "git")
        let credential = try await GitCredential(lines: context.requestLines())
        guard let url = credential.url else { return }
        let signIn = OnDemandSignIn(context)
        guard var tool = try await ToolSession.reaching(url, named: name, user: credential.username, signIn: signIn, in: context) else {
            return explainRefusal(of: url.origin, in: context)
        }
        tool.destination = credential.destination
        let issued = try await tool.token(for: "git", in: context)
        try context.console.secret(Secret(credential.attributes(for: issued)))
    }

    /// Says why git gets no token. git asks the next helper then, or the user, and would not say that Yett was asked.
    private func explainRefusal(of origin: Origin, in context: CommandContext) {
        let path = (try? context.configurationFile().path) ?? "the configuration"
        context.console.warning("no session's tokens may be sent to \(origin.authority)")
        context.console.hint("add it to the provider in \(path): api_hosts = [\"\(origin.authority)\"]; see: yett help tools")
    }

    /// Marks the token that the server refused, so that the next caller gets another one. Does not renew it now, because git waits for this
    /// command.
    private func erase(_ name: String?, in context: CommandContext) async throws {
        let credential = try await GitCredential(lines: context.requestLines())
        guard let url = credential.url, let password = credential.password,
            let tool = try await ToolSession.reaching(url, named: name, user: credential.username, in: context)
        else { return }
        do throws(AuthFailure) {
            _ = try await tool.service.token(
                TokenRequest(
                    session: tool.session.name, minimumValidity: .zero, mayRenew: false, caller: .verbatim("yett helper git"),
                    refused: password))
        } catch {
            guard error.kind == .signInAgain else { throw error }
        }
    }
}

/// A request from git to a credential helper, and the response (git-credential(1), "Input/output format").
struct GitCredential {
    /// The server that the credential is for; `nil` if git names no host, or one that must not get a token.
    private(set) var url: WebURL?
    /// The host, with the repository if git names it (`credential.useHttpPath`), for the activity.
    private(set) var destination: String?
    private(set) var username: String?
    /// The password that git reports as accepted or refused.
    private(set) var password: Secret?
    private let isMailServer: Bool
    private var challenges: [String] = []
    private var capabilities: Set<String> = []

    /// The maximum length of a line in git, in bytes.
    private static let lineLimit = 65_535

    /// Parses attributes, one per line. Ignores unknown ones.
    ///
    /// Throws `.usage` for a line that is no attribute, for a NUL or carriage return, and for an attribute that occurs twice, unless its
    /// name marks a list (`name[]`): two readers of the same request must never see different hosts.
    init(lines: [String]) throws(AuthFailure) {
        var (scheme, host, path) = ("", "", "")
        var seen: Set<Substring> = []
        for line in lines {
            guard line.utf8.count <= Self.lineLimit, let equals = line.firstIndex(of: "="),
                !line.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\r" })
            else {
                throw AuthFailure(
                    .usage, text: "the request on standard input is not from git", hint: "its lines are KEY=VALUE; see git-credential(1)")
            }
            let value = String(line[line.index(after: equals)...])
            let name = line[..<equals]
            guard name.hasSuffix("[]") || seen.insert(name).inserted else {
                throw AuthFailure(
                    .usage, text: "the request on standard input names \(name) twice", hint: "git names it once; see git-credential(1)")
            }
            switch name {
            case "protocol": scheme = value
            case "host": host = value
            case "path": path = value
            case "username": username = value.isEmpty ? nil : value
            case "password", "credential": password = value.isEmpty ? nil : Secret(value)
            case "wwwauth[]": if value.isEmpty { challenges = [] } else { challenges.append(value) }
            case "capability[]": if value.isEmpty { capabilities = [] } else { capabilities.insert(value) }
            default: break
            }
        }
        // git send-email asks for its mail server; api_hosts names it with its port, as for every host.
        isMailServer = scheme == "smtp"
        // Refuse a host with a path, a user or anything else, instead of cutting it.
        let prefix = isMailServer ? "https" : scheme
        guard let url = WebURL("\(prefix)://\(host)/"), url.path == "/", url.query == nil, url.fragment == nil, url.isProtected else {
            return
        }
        self.url = url
        destination = path.isEmpty ? host : "\(host)/\(path)"
    }

    /// Returns the attributes that pass a token to git.
    ///
    /// Uses a Bearer token only if git supports it and the server asked for it; otherwise a password, which every git supports.
    func attributes(for issued: IssuedToken) -> String {
        let token = issued.token.reveal()
        var lines: [String] = []
        if supportsBearer {
            lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1"]
        } else {
            lines = ["username=\(username ?? ToolSession.defaultUsername(of: url?.origin.host ?? ""))", "password=\(token)"]
        }
        if let end = issued.expiresAt { lines.append("password_expiry_utc=\(end.seconds)") }
        return lines.joined(separator: "\n")
    }

    private var supportsBearer: Bool {
        guard capabilities.contains("authtype"), !isMailServer else { return false }
        // git-lfs asks before the server has said what it takes. GitHub takes a token as a password alone.
        return challenges.contains { $0.asciiLowercased().split(separator: " ").first == "bearer" }
    }
}
