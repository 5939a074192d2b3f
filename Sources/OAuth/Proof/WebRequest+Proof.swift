public import AuthModel
internal import Crypto

extension WebRequest {
    /// Returns the request with a new DPoP proof (RFC 9449 section 4.2), which replaces any existing one.
    ///
    /// Every request needs a new proof, including a retry, because each proof has its own `jti`.
    ///
    /// - Parameters:
    ///   - accessToken: the token sent with the request, for resources only (`ath`).
    ///   - nonce: the newest nonce of the server, from ``ProofNonces``.
    ///   - now: the time (`iat`).
    ///   - generator: a cryptographically secure generator.
    public func proved(
        by key: ProofKeyPair, accessToken: Secret? = nil, nonce: String? = nil, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> WebRequest {
        let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicKey]
        var claims: [JSONValue.Member] = [
            .init("jti", .string(Base64URL.encode(RandomValue.bytes(using: &generator)))), .init("htm", .string(method.rawValue)),
            .init("htu", .string(url.withoutQueryAndFragment)), .init("iat", .number(now.seconds)),
        ]
        if let accessToken {
            claims.append(.init("ath", .string(accessToken.withBytes { Base64URL.encode(SHA256.hash(data: $0)) })))
        }
        if let nonce { claims.append(.init("nonce", .string(nonce))) }
        let proof = try JSONWebSignature.compact(header: header, claims: claims, sign: key.signature(over:))
        var request = self
        request.headers.removeAll { $0.name.asciiLowercased() == "dpop" }
        request.headers.append(("DPoP", proof))
        return request
    }
}

extension WebURL {
    /// The target URI without query and fragment, with scheme and host in lower case, without a default port, and with `/` for an empty
    /// path (RFC 9449 section 4.2 with RFC 3986 section 6.2.3), as it is sent.
    var withoutQueryAndFragment: String { origin.description + (path.isEmpty ? "/" : path) }
}
