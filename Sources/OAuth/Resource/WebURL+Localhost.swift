public import AuthModel

extension WebURL {
    /// Whether it is plain http to the name `localhost`, as servers under development call themselves. The name can be resolved to anything
    /// (RFC 8252 section 8.3): the transport refuses a connection that does not end on the loopback interface.
    public var isPlainLocalhost: Bool { origin.scheme == .http && origin.host == "localhost" }

    /// Whether a protected resource may be there: https, http on a loopback literal, or http on `localhost`. An issuer or an endpoint of
    /// one may not be on `localhost`.
    public var mayBeResource: Bool { isProtected || isPlainLocalhost }
}
