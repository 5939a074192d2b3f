internal import AuthModel

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

    /// Returns the attributes that pass `grant` to git.
    ///
    /// Uses a Bearer token only if git supports it and the server did not ask for another scheme; otherwise a password, which every git
    /// supports.
    func answer(_ issued: IssuedToken) -> String {
        let token = issued.token.reveal()
        var lines: [String] = []
        if supportsBearer {
            lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1"]
        } else {
            lines = ["username=\(username ?? Self.defaultUsername(of: url?.origin.host ?? ""))", "password=\(token)"]
        }
        if let end = issued.expiresAt { lines.append("password_expiry_utc=\(end.seconds)") }
        return lines.joined(separator: "\n")
    }

    private var supportsBearer: Bool {
        guard capabilities.contains("authtype"), !isMailServer else { return false }
        return challenges.isEmpty || challenges.contains { $0.asciiLowercased().split(separator: " ").first == "bearer" }
    }

    /// The default user name for a token that is sent as a password.
    private static func defaultUsername(of host: String) -> String { host == "bitbucket.org" ? "x-token-auth" : "oauth2" }
}
