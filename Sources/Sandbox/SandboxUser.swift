public import AuthModel

/// A user who can sign in at the sandbox.
public struct SandboxUser: Equatable, Sendable {
    /// The user name to type; `preferred_username` in claims.
    public var username: String
    /// The password. It is not secret: the sign-in page shows it.
    public var password: String
    /// The subject identifier; `sub` in claims.
    public var subject: String
    /// The display name.
    public var name: String
    /// The e-mail address.
    public var email: String
    /// More claims, such as roles.
    public var claims: [JSONValue.Member]

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - subject: the subject identifier; `nil` derives one from the user name.
    ///   - claims: more claims, such as roles.
    public init(
        username: String, password: String, subject: String? = nil, name: String, email: String, claims: [JSONValue.Member] = []
    ) {
        self.username = username
        self.password = password
        self.subject = subject ?? "sandbox-\(username)"
        self.name = name
        self.email = email
        self.claims = claims
    }

    /// The users of a new sandbox. Their names have various scripts and widths.
    public static let standard: [SandboxUser] = [
        SandboxUser(username: "ada", password: "correct horse battery staple", name: "Ada Lovelace", email: "ada@example.org"),
        SandboxUser(username: "grace", password: "nanosecond", name: "Grace Hopper", email: "grace@example.org"),
        SandboxUser(username: "linus", password: "just for fun", name: "Linus Torvalds", email: "linus@example.org"),
        SandboxUser(username: "chihiro", password: "aburaya", name: "荻野 千尋", email: "chihiro@example.org"),
        SandboxUser(username: "layla", password: "qays", name: "لیلا العامرية", email: "layla@example.org"),
        SandboxUser(username: "party", password: "confetti", name: "Zoë 👩‍🚀 O’Neill-Żółć", email: "party@example.org"),
    ]
}
