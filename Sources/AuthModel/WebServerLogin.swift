/// User name and password for a web server that stands in front of a resource and wants to know who asks before the resource itself does.
public struct WebServerLogin: Equatable, Sendable {
    /// How they are shown to it.
    public enum Scheme: String, Sendable, CaseIterable {
        /// RFC 7617.
        case basic
        /// RFC 7616.
        case digest
    }

    /// The only server they go to.
    public var origin: Origin
    public var scheme: Scheme
    public var username: String
    public var password: Secret

    public init(origin: Origin, scheme: Scheme, username: String, password: Secret) {
        self.origin = origin
        self.scheme = scheme
        self.username = username
        self.password = password
    }
}
