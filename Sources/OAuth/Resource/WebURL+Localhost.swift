public import AuthModel

extension WebURL {
    /// Whether the URL is http on the name `localhost`, as used by servers in development. The name can resolve to any address (RFC 8252
    /// section 8.3), so the HTTP client refuses a connection that does not end on the loopback interface.
    public var isPlainLocalhost: Bool { origin.scheme == .http && origin.host == "localhost" }

    /// Whether a protected resource may have this URL: https, http on a loopback literal, or http on `localhost`. Issuers and endpoints
    /// must not be on `localhost`.
    public var isResourceURL: Bool { isProtected || isPlainLocalhost }
}
