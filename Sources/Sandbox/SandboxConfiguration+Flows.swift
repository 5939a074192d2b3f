public import AuthModel

extension SandboxConfiguration {
    /// The settings for sign-in by device code (RFC 8628).
    public struct Device: Equatable, Sendable {
        /// Whether the endpoint exists and is announced in the metadata.
        public var isOffered: Bool
        /// The lifetime of a device code.
        public var codeLifetime: Duration
        /// The minimum time between two polls, in whole seconds.
        public var interval: Duration

        /// Creates settings. Default: offered, with codes that last 600 seconds and an interval of 5 seconds.
        public init(isOffered: Bool = true, codeLifetime: Duration = .seconds(600), interval: Duration = .seconds(5)) {
            self.isOffered = isOffered
            self.codeLifetime = codeLifetime
            self.interval = interval
        }
    }

    /// The support for pushed authorization requests (RFC 9126).
    public enum PushedRequests: String, Sendable, CaseIterable {
        /// There is no endpoint for them.
        case off
        /// They are accepted but not required.
        case offered
        /// All other authorization requests are refused, and the metadata says so.
        case required
    }

    /// The settings for tokens that are bound to a key (RFC 9449).
    public struct Proofs: Equatable, Sendable {
        /// The support for proofs.
        public enum Support: String, Sendable, CaseIterable {
            /// Proofs are ignored.
            case off
            /// A proof binds the tokens, but is not required.
            case offered
            /// No token is issued without a proof.
            case required
        }

        /// The nonces that proofs need from the server that they are for.
        public enum Nonces: String, Sendable, CaseIterable {
            /// No nonce is needed.
            case none
            /// One nonce that stays valid.
            case fixed
            /// A new nonce with every response; only the newest is valid.
            case rotating
        }

        /// The support for proofs.
        public var support: Support
        /// The nonces at the token endpoint and for pushed requests.
        public var authorizationServerNonces: Nonces
        /// The nonces at userinfo and all other resources.
        public var resourceNonces: Nonces

        /// Creates settings. Default: no proofs and no nonces.
        public init(support: Support = .off, authorizationServerNonces: Nonces = .none, resourceNonces: Nonces = .none) {
            self.support = support
            self.authorizationServerNonces = authorizationServerNonces
            self.resourceNonces = resourceNonces
        }
    }

    /// The protected resources that the server offers in addition to the provider (RFC 9728).
    public struct Resources: Equatable, Sendable {
        /// The issuers whose tokens the resources accept; empty for this provider. Tokens of another sandbox are introspected there.
        public var authorizationServers: [String] = []

        /// Creates settings for the resources: they accept this provider's tokens.
        public init() {}
    }
}

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
