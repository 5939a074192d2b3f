import AuthModel

/// Client authentication (RFC 6749 section 2.3).
extension OpenIDProvider {
    /// Authenticates the client of a request to the token endpoint or a similar one.
    ///
    /// Accepts only one method per request, and only the client's registered method.
    func authenticatedClient(_ request: SandboxRequest) throws(OAuthError) -> SandboxClient {
        let failure = OAuthError("invalid_client", "client authentication failed", status: 401)
        let formID = request.field("client_id")
        let formSecret = request.field("client_secret")
        if let header = request.header("authorization"), header.lowercased().hasPrefix("basic ") {
            guard formSecret == nil else { throw OAuthError("invalid_request", "more than one client authentication method") }
            let pair = Base64.decodeStandard(header.dropFirst("basic ".count)).flatMap { String(validating: $0, as: UTF8.self) }
            guard let pair, let colon = pair.firstIndex(of: ":"), let id = FormEncoding.unescape(pair[..<colon]),
                let secret = FormEncoding.unescape(pair[pair.index(after: colon)...]), formID == nil || formID == id,
                let client = client(id), client.authentication == .clientSecretBasic, client.secret == Secret(secret)
            else { throw failure }
            return client
        }
        if request.field("client_assertion") != nil {
            guard formSecret == nil else { throw OAuthError("invalid_request", "more than one client authentication method") }
            return try assertingClient(request, failure)
        }
        guard let formID, let client = client(formID) else { throw failure }
        switch client.authentication {
        case .none:
            guard formSecret == nil || formSecret == "" else { throw failure }
        case .clientSecretPost:
            guard let formSecret, client.secret == Secret(formSecret) else { throw failure }
        case .clientSecretBasic, .privateKeyJWT: throw failure
        }
        return client
    }

    /// Authenticates a client by a signed assertion (RFC 7523 sections 2.2 and 3).
    private func assertingClient(_ request: SandboxRequest, _ failure: OAuthError) throws(OAuthError) -> SandboxClient {
        guard request.field("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            let assertion = request.field("client_assertion").flatMap({ SignedToken($0) }),
            let id = assertion.claims["sub"]?.string, assertion.claims["iss"]?.string == id,
            (request.field("client_id") ?? id) == id, let client = client(id), client.authentication == .privateKeyJWT,
            isFresh(assertion, signedBy: client, audience: [issuer, issuer + "/token", origin + request.path])
        else { throw failure }
        return client
    }

    /// Returns whether an assertion is signed by a key of the client, is meant for this provider, has not expired and was not used before.
    func isFresh(_ assertion: SignedToken, signedBy client: SandboxClient, audience: [String]) -> Bool {
        let named = assertion.claims["aud"]?.strings ?? assertion.claims["aud"]?.string.map { [$0] } ?? []
        guard client.keys.lazy.compactMap({ VerifyingKey(jwk: $0) }).contains(where: assertion.isSigned(by:)),
            named.contains(where: audience.contains), let expiry = assertion.claims["exp"]?.double,
            let identifier = assertion.claims["jti"]?.string
        else { return false }
        let end = Timestamp(seconds: expiry)
        // A long-lived assertion would be as dangerous as a password.
        guard now < end, end - now <= .seconds(3600) else { return false }
        assertions = assertions.filter { now < $0.value }
        return assertions.updateValue(end, forKey: client.id + " " + identifier) == nil
    }
}
