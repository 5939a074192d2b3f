import AuthModel

/// Token exchange (RFC 8693), and assertions as grants (RFC 7523 section 2.1).
extension OpenIDProvider {
    /// The identifiers of token types (RFC 8693 section 3).
    enum TokenType: String {
        case access = "urn:ietf:params:oauth:token-type:access_token"
        case identity = "urn:ietf:params:oauth:token-type:id_token"
        case jwt = "urn:ietf:params:oauth:token-type:jwt"
    }

    /// Exchanges a token for an access token; issues no refresh token and no ID token.
    func exchangeToken(_ request: SandboxRequest, _ asked: TokenRequest) throws(OAuthError) -> SandboxResponse {
        // Fault point: the response to a token exchange.
        let faults = faultSet.consumeFaults(ExchangeFault.self, as: Fault.exchange)
        if faults.contains(.invalidTarget) { throw OAuthError("invalid_target", "no tokens are issued for this resource") }
        guard request.field("actor_token") == nil else { throw OAuthError("invalid_request", "actor_token is not supported") }
        let requested = request.field("requested_token_type") ?? TokenType.access.rawValue
        let isJWT = configuration.accessTokens == .jwt
        guard let type = TokenType(rawValue: requested), type == .access || (type == .jwt && isJWT) else {
            throw OAuthError("invalid_request", "requested_token_type is not offered")
        }
        var authorization = try subject(of: request, asked)
        if let text = request.field("scope") {
            let wanted = ScopeSet(wire: text)
            guard wanted.values.allSatisfy(authorization.scopes.contains) else {
                throw OAuthError("invalid_scope", "the scope is wider than the subject token's")
            }
            authorization.scopes = wanted
        }
        if !asked.terms.resources.isEmpty { authorization.resources = asked.terms.resources }
        let issued = try finished(grants.begin(authorization, terms: asked.terms, withRefresh: false, now: now))
        let document = JSONValue.object(members(of: issued) + [.init("issued_token_type", .string(type.rawValue))])
        return .json(faults.reduce(document) { $1.apply($0) }, headers: [("Pragma", "no-cache")])
    }

    /// Returns the authorization of the subject token, transferred to the requesting client.
    private func subject(of request: SandboxRequest, _ asked: TokenRequest) throws(OAuthError) -> Grants.Authorization {
        guard let token = request.field("subject_token"), let type = request.field("subject_token_type") else {
            throw OAuthError("invalid_request", "subject_token and subject_token_type are required")
        }
        // RFC 8693 section 2.2.2: any problem with the subject token is an invalid request.
        let failure = OAuthError("invalid_request", "the subject token is invalid")
        var authorization: Grants.Authorization
        switch TokenType(rawValue: type) {
        case .access, .jwt:
            guard let good = grants.inspect(accessToken: token, now: now), good.key == nil || good.key == asked.terms.key else {
                throw failure
            }
            authorization = good.authorization
            authorization.scopes = good.scopes
            authorization.resources = good.resources
        case .identity: authorization = try identity(token, asked, failure)
        case nil: throw OAuthError("invalid_request", "subject_token_type is unknown")
        }
        // A public client may exchange only its own tokens; a client with a secret may exchange others' tokens, as a resource server.
        guard authorization.clientID == asked.client.id || asked.client.authentication != .none else { throw failure }
        authorization.clientID = asked.client.id
        authorization.redirectURI = nil
        authorization.nonce = nil
        authorization.keyThumbprint = nil
        return authorization
    }

    /// Returns the authorization of an ID token of this provider; throws if the token is invalid or has expired.
    private func identity(_ text: String, _ asked: TokenRequest, _ failure: OAuthError) throws(OAuthError) -> Grants.Authorization {
        guard let known = idTokens[text], let token = SignedToken(text), let expiry = token.claims["exp"]?.double,
            now < Timestamp(seconds: expiry), known.clientID == asked.client.id
        else { throw failure }
        return Grants.Authorization(
            clientID: known.clientID, scopes: ScopeSet(AuthorizationRequest.knownScopes), username: known.username,
            authenticatedAt: Timestamp(seconds: token.claims["auth_time"]?.double ?? 0),
            authenticationClass: token.claims["acr"]?.string.flatMap { AuthenticationClass(rawValue: $0) } ?? .password)
    }

    /// Issues tokens for an assertion: an ID token of this provider, or a JWT that the client signed with its registered key.
    func redeemAssertion(_ text: String, _ request: SandboxRequest, _ asked: TokenRequest) throws(OAuthError) -> SandboxResponse {
        let failure = OAuthError("invalid_grant", "the assertion is invalid")
        let wanted = ScopeSet(wire: request.field("scope") ?? "")
        let scopes = ScopeSet(wanted.values.filter(AuthorizationRequest.knownScopes.contains))
        guard !scopes.isEmpty else { throw OAuthError("invalid_scope", "none of these scopes is offered") }
        var authorization: Grants.Authorization
        if idTokens[text] != nil {
            authorization = try identity(text, asked, failure)
        } else {
            guard let assertion = SignedToken(text), assertion.claims["iss"]?.string == asked.client.id,
                let subject = assertion.claims["sub"]?.string,
                let user = users.first(where: { $0.subject == subject || $0.username == subject }),
                isFresh(assertion, signedBy: asked.client, audience: [issuer, issuer + "/token"])
            else { throw failure }
            authorization = Grants.Authorization(clientID: asked.client.id, scopes: scopes, username: user.username, authenticatedAt: now)
        }
        authorization.scopes = scopes
        authorization.resources = asked.terms.resources
        return try answer(with: grants.begin(authorization, terms: asked.terms, now: now), isRefresh: false)
    }
}
