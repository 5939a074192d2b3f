internal import AuthModel

/// What git asks of a credential helper, and the answer to it (git-credential(1), "Input/output format").
struct GitCredential {
    /// Where the credential is for; `nil` where git names no host, or one that no token is sent to.
    private(set) var url: WebURL?
    private(set) var username: String?
    /// What was handed out before, when git tells that it was taken or refused.
    private(set) var password: Secret?
    private var challenges: [String] = []
    private var capabilities: Set<String> = []

    /// What git takes for one line at most.
    private static let lineLimit = 65_535

    /// Reads attributes, one a line. Unknown ones are ignored.
    ///
    /// Throws `.usage` for a line that is not an attribute, a NUL or carriage return anywhere, and an attribute that is given twice, unless
    /// its name says that it is a list (`name[]`): two readers of the same request must never see two hosts.
    init(lines: [String]) throws(AuthFailure) {
        var (scheme, host) = ("", "")
        var seen: Set<Substring> = []
        for line in lines {
            guard line.utf8.count <= Self.lineLimit, let equals = line.firstIndex(of: "="),
                !line.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\r" })
            else {
                throw AuthFailure(
                    .usage, "the request on standard input is none of git's", hint: "its lines are KEY=VALUE; see git-credential(1)")
            }
            let value = String(line[line.index(after: equals)...])
            let name = line[..<equals]
            guard name.hasSuffix("[]") || seen.insert(name).inserted else {
                throw AuthFailure(
                    .usage, "the request on standard input names \(name) twice", hint: "git names it once; see git-credential(1)")
            }
            switch name {
            case "protocol": scheme = value
            case "host": host = value
            case "username": username = value.isEmpty ? nil : value
            case "password", "credential": password = value.isEmpty ? nil : Secret(value)
            case "wwwauth[]": if value.isEmpty { challenges = [] } else { challenges.append(value) }
            case "capability[]": if value.isEmpty { capabilities = [] } else { capabilities.insert(value) }
            default: break
            }
        }
        // A host that is more than a host, such as one with a path or a user in it, is refused rather than cut.
        guard let url = WebURL("\(scheme)://\(host)/"), url.path == "/", url.query == nil, url.fragment == nil, url.isProtected else {
            return
        }
        self.url = url
    }

    /// The attributes that hand `grant` to git.
    ///
    /// As a Bearer token only where git can send one and the server did not ask for something else; otherwise as a password, which every
    /// git can send.
    func answer(_ grant: IssuedToken) -> String {
        let token = grant.token.reveal()
        var lines: [String] = []
        if takesBearer {
            lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1"]
        } else {
            lines = ["username=\(username ?? Self.usualUser(of: url?.origin.host ?? ""))", "password=\(token)"]
        }
        if let end = grant.expiresAt { lines.append("password_expiry_utc=\(end.seconds)") }
        return lines.joined(separator: "\n")
    }

    private var takesBearer: Bool {
        guard capabilities.contains("authtype") else { return false }
        return challenges.isEmpty || challenges.contains { $0.lowercased().split(separator: " ").first == "bearer" }
    }

    /// The name that goes with a token in the place of a password, where git names none.
    private static func usualUser(of host: String) -> String { host == "bitbucket.org" ? "x-token-auth" : "oauth2" }
}
