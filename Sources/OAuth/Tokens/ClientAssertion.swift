public import AuthModel

/// Signed JWT assertions (RFC 7523 section 3).
public enum ClientAssertion {
    /// The lifetime of an assertion. It is used for one request; the lifetime allows for clock differences.
    public static let lifetime: Duration = .seconds(60)

    /// Creates a credential that authenticates the client for one request (section 2.2): `iss` and `sub` are the client, and `aud` is the
    /// issuer, as one string. For a provider without an issuer, `aud` is its token endpoint.
    ///
    /// Every request needs a new one, including a retry, because each has its own `jti`.
    ///
    /// - Parameters:
    ///   - now: the time (`iat`).
    ///   - generator: a cryptographically secure generator.
    public static func credential(
        of clientID: String, key: SigningKey, at metadata: ProviderMetadata, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> ClientCredential {
        .assertion(try make(issuer: clientID, subject: clientID, key: key, at: metadata, now: now, using: &generator))
    }

    /// Creates an assertion to exchange for tokens (section 2.1); see ``AssertionGrant``.
    ///
    /// - Parameters:
    ///   - issuer: the issuer of the assertion; the client identifier if the client issues it.
    ///   - subject: the account that the tokens are for.
    public static func make(
        issuer: String, subject: String, key: SigningKey, at metadata: ProviderMetadata, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> Secret {
        let host = metadata.issuer?.url.origin.authority ?? metadata.tokenEndpoint?.origin.authority
        guard let audience = metadata.issuer?.text ?? metadata.tokenEndpoint?.text else {
            throw OAuthError(.clientAuthentication, .noEndpoint(UserMessage("phrase.token_endpoint")))
        }
        guard let algorithm = key.algorithm(announced: metadata.tokenAuthenticationAlgorithms) else {
            throw OAuthError(
                .clientAuthentication, .misconfigured(UserMessage("client.no_matching_signature_algorithm")), host: host)
        }
        var header: [JSONValue.Member] = [.init("alg", .string(algorithm.rawValue)), .init("typ", "JWT")]
        if let keyID = key.keyID { header.append(.init("kid", .string(keyID))) }
        let claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(subject)), .init("aud", .string(audience)),
            .init("jti", .string(Base64URL.encode(RandomValue.bytes(using: &generator)))), .init("iat", .number(now.seconds)),
            .init("exp", .number((now + lifetime).seconds)),
        ]
        let text = try JSONWebSignature.compact(header: .object(header), claims: claims) { (input) throws(OAuthError) in
            try key.signature(over: input, algorithm)
        }
        return Secret(text)
    }
}
