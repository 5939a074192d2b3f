public import AuthModel

/// A protected resource that was asked for its metadata and called without a token (RFC 9728).
public struct DiscoveredResource: Equatable, Sendable {
    /// The URL that was called.
    public let called: WebURL
    /// The metadata of the resource.
    public let metadata: ResourceMetadata
    /// The challenge of the resource; `nil` if it did not ask for a token.
    public let challenge: Challenge?

    /// Creates a description from the answers of the resource.
    public init(called: WebURL, metadata: ResourceMetadata, challenge: Challenge?) {
        self.called = called
        self.metadata = metadata
        self.challenge = challenge
    }

    /// The scopes to request: those of the challenge, else all scopes of the resource (RFC 9728 section 5.1 prefers the challenge).
    public var scopes: [String] {
        let wanted = challenge?.scopes.values ?? []
        return wanted.isEmpty ? metadata.scopes ?? [] : wanted
    }
}
