public import AuthModel

/// What goes to one resource in a session's name.
public enum ResourceToken: Equatable, Sendable {
    /// A header field that goes along with the token.
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The session's own access token.
    case own(fields: [Field])
    /// A token that the provider made for one server: the resource and what else lies at `server`.
    case another(Secret, server: WebURL, expiresAt: Timestamp?, fields: [Field])
}
