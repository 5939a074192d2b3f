/// The user name and password for a web server in front of a resource that requires its own authentication.
public struct WebServerLogin: Equatable, Sendable {
    /// The HTTP authentication scheme.
    public enum Scheme: String, Sendable, CaseIterable {
        /// Basic (RFC 7617).
        case basic
        /// Digest (RFC 7616).
        case digest
    }

    /// The only server that receives them.
    public var origin: Origin
    /// The authentication scheme.
    public var scheme: Scheme
    /// The user name.
    public var username: String
    /// The password.
    public var password: Secret

    /// Creates a web server login.
    public init(origin: Origin, scheme: Scheme, username: String, password: Secret) {
        self.origin = origin
        self.scheme = scheme
        self.username = username
        self.password = password
    }
}
