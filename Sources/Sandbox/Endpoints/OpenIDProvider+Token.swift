import AuthModel
import Crypto

/// The token endpoint (RFC 6749 sections 3.2, 4.1.3 and 6; RFC 7636 section 4.6).
extension OpenIDProvider {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        let isRefresh = request.field("grant_type") == GrantType.refreshToken.rawValue
        return answering(isRefresh ? .refresh : .token) {
            let tokenRequest: TokenRequest
            do throws(ErrorReply) {
                tokenRequest = try readTokenRequest(request)
                // A poll that is too early is no exchange, so it does not use up the faults of exchanges.
                if tokenRequest.type == .device, let answer = try waiting(request, tokenRequest.client) { return answer }
            } catch {
                return refusal(error)
            }
            // Fault point: the response of the token endpoint.
            let faults = faultSet.consumeFaults(TokenFault.self) { isRefresh ? .refresh($0) : .token($0) }
            let honest: SandboxResponse
            if faults.contains(where: \.refusesRequest) {
                honest = SandboxResponse(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(Array("{}".utf8)))
            } else {
                honest = exchange(request, tokenRequest, keepsPresented: faults.contains(where: \.keepsPresentedRefreshToken))
            }
            let answer = faults.reduce(honest) { $1.apply($0, presentedRefreshToken: request.field("refresh_token")) }
            return withNonce(answer, of: .authorizationServer, isDemand: false)
        }
    }

    /// A request to the token endpoint, before its grant is checked.
    struct TokenRequest {
        var type: GrantType
        var client: SandboxClient
        var terms: Grants.Terms
    }

    private func readTokenRequest(_ request: SandboxRequest) throws(ErrorReply) -> TokenRequest {
        // RFC 8707 section 2: a client may request several resources.
        if let repeated = SandboxRequest.repeated(in: request.form.filter({ $0.name != "resource" })).first {
            throw ErrorReply("invalid_request", "\(FormEncoding.escape(repeated)) is repeated")
        }
        let client = try authenticatedClient(request)
        guard let name = request.field("grant_type") else { throw ErrorReply("invalid_request", "grant_type is missing") }
        guard let type = GrantType(rawValue: name), grantTypes.contains(type) else {
            throw ErrorReply("unsupported_grant_type", "the grant type is not supported")
        }
        let key = try provedKey(request, by: .authorizationServer)
        // RFC 9449 section 5: a confidential client authenticates at every refresh, so it may change its key.
        let terms = Grants.Terms(key: key, bindsRefreshToken: client.authentication == .none, resources: try request.resources())
        return TokenRequest(type: type, client: client, terms: terms)
    }

    private func exchange(_ request: SandboxRequest, _ tokenRequest: TokenRequest, keepsPresented: Bool) -> SandboxResponse {
        func required(_ name: String) throws(ErrorReply) -> String {
            guard let value = request.field(name) else { throw ErrorReply("invalid_request", "\(name) is missing") }
            return value
        }
        do throws(ErrorReply) {
            switch tokenRequest.type {
            case .authorizationCode:
                let code = try required("code")
                let verifier = request.field("code_verifier")
                if let verifier, !(43...128).contains(verifier.utf8.count) {
                    throw ErrorReply("invalid_grant", "code_verifier must have 43 to 128 characters")
                }
                let issued = try grants.redeem(
                    code: code, clientID: tokenRequest.client.id, redirectURI: request.field("redirect_uri"),
                    challenge: verifier.map { SandboxBase64.url(Array(SHA256.hash(data: Array($0.utf8)))) }, terms: tokenRequest.terms,
                    now: now)
                return try answer(with: issued, isRefresh: false)
            case .refreshToken:
                let issued = try grants.refresh(
                    token: try required("refresh_token"), clientID: tokenRequest.client.id,
                    scopes: request.field("scope").map { ScopeSet(wire: $0) }, terms: tokenRequest.terms, keepsPresented: keepsPresented,
                    now: now)
                return try answer(with: issued, isRefresh: true)
            case .device:
                let issued = try grants.redeem(deviceCode: try required("device_code"), terms: tokenRequest.terms, now: now)
                return try answer(with: issued, isRefresh: false)
            case .tokenExchange: return try exchangeToken(request, tokenRequest)
            case .assertion: return try redeemAssertion(try required("assertion"), request, tokenRequest)
            case .clientCredentials: return try clientToken(request, tokenRequest)
            }
        } catch {
            return .error(error)
        }
    }
}

/// Token exchange (RFC 8693), and assertions as grants (RFC 7523 section 2.1).
extension OpenIDProvider {
    /// The identifiers of token types (RFC 8693 section 3).
    enum TokenType: String {
        case access = "urn:ietf:params:oauth:token-type:access_token"
        case identity = "urn:ietf:params:oauth:token-type:id_token"
        case jwt = "urn:ietf:params:oauth:token-type:jwt"
        case identityGrant = "urn:ietf:params:oauth:token-type:id-jag"
    }

    /// Exchanges a token for an access token; issues no refresh token and no ID token.
    func exchangeToken(_ request: SandboxRequest, _ tokenRequest: TokenRequest) throws(ErrorReply) -> SandboxResponse {
        // Fault point: the response to a token exchange.
        let faults = faultSet.consumeFaults(ExchangeFault.self, as: Fault.exchange)
        if faults.contains(.invalidTarget) { throw ErrorReply("invalid_target", "no tokens are issued for this resource") }
        if faults.contains(.accessDenied) { throw ErrorReply("access_denied", "the administrator does not allow it") }
        guard request.field("actor_token") == nil else { throw ErrorReply("invalid_request", "actor_token is not supported") }
        let requested = request.field("requested_token_type") ?? TokenType.access.rawValue
        if requested == TokenType.identityGrant.rawValue, configuration.issuesIdentityGrants {
            let document = try identityGrant(request, tokenRequest)
            return .json(faults.reduce(document) { $1.apply($0) }, headers: [("Pragma", "no-cache")])
        }
        let isJWT = configuration.accessTokens == .jwt
        guard let type = TokenType(rawValue: requested), type == .access || (type == .jwt && isJWT) else {
            throw ErrorReply("invalid_request", "requested_token_type is not offered")
        }
        var authorization = try subject(of: request, tokenRequest)
        if let text = request.field("scope") {
            let wanted = ScopeSet(wire: text)
            guard wanted.values.allSatisfy(authorization.scopes.contains) else {
                throw ErrorReply("invalid_scope", "the scope is wider than the subject token's")
            }
            authorization.scopes = wanted
        }
        if !tokenRequest.terms.resources.isEmpty { authorization.resources = tokenRequest.terms.resources }
        let issued = try finished(grants.begin(authorization, terms: tokenRequest.terms, withRefresh: false, now: now))
        let document = JSONValue.object(members(of: issued) + [.init("issued_token_type", .string(type.rawValue))])
        return .json(faults.reduce(document) { $1.apply($0) }, headers: [("Pragma", "no-cache")])
    }

    /// Returns the authorization of the subject token, transferred to the requesting client.
    func subject(of request: SandboxRequest, _ tokenRequest: TokenRequest) throws(ErrorReply) -> Grants.Authorization {
        guard let token = request.field("subject_token"), let type = request.field("subject_token_type") else {
            throw ErrorReply("invalid_request", "subject_token and subject_token_type are required")
        }
        // RFC 8693 section 2.2.2: any problem with the subject token is an invalid request.
        let failure = ErrorReply("invalid_request", "the subject token is invalid")
        var authorization: Grants.Authorization
        switch TokenType(rawValue: type) {
        case .access, .jwt:
            guard let good = grants.inspect(accessToken: token, now: now), good.key == nil || good.key == tokenRequest.terms.key else {
                throw failure
            }
            authorization = good.authorization
            authorization.scopes = good.scopes
            authorization.resources = good.resources
        case .identity: authorization = try identity(token, tokenRequest, failure)
        case .identityGrant, nil: throw ErrorReply("invalid_request", "subject_token_type is unknown")
        }
        // A public client may exchange only its own tokens; a client with a secret may exchange others' tokens, as a resource server.
        guard authorization.clientID == tokenRequest.client.id || tokenRequest.client.authentication != .none else { throw failure }
        authorization.clientID = tokenRequest.client.id
        authorization.redirectURI = nil
        authorization.nonce = nil
        authorization.keyThumbprint = nil
        return authorization
    }

    /// Returns the authorization of an ID token of this provider; throws if the token is invalid or has expired.
    private func identity(_ text: String, _ tokenRequest: TokenRequest, _ failure: ErrorReply) throws(ErrorReply) -> Grants.Authorization {
        guard let known = idTokens[text], let token = SignedToken(text), let expiry = token.claims["exp"]?.double,
            now < Timestamp(seconds: expiry), known.clientID == tokenRequest.client.id
        else { throw failure }
        return Grants.Authorization(
            clientID: known.clientID, scopes: ScopeSet(ReceivedAuthorization.knownScopes), username: known.username,
            authenticatedAt: Timestamp(seconds: token.claims["auth_time"]?.double ?? 0),
            authenticationClass: token.claims["acr"]?.string.flatMap { AuthenticationClass(rawValue: $0) } ?? .password)
    }

    /// Issues tokens for an assertion: an ID token of this provider, a JWT of an accepted identity provider, or a JWT that the client
    /// signed with its registered key.
    func redeemAssertion(_ text: String, _ request: SandboxRequest, _ tokenRequest: TokenRequest) throws(ErrorReply) -> SandboxResponse {
        let failure = ErrorReply("invalid_grant", "the assertion is invalid")
        let wanted = ScopeSet(wire: request.field("scope") ?? "")
        let scopes = ScopeSet(wanted.values.filter(ReceivedAuthorization.knownScopes.contains))
        guard !scopes.isEmpty else { throw ErrorReply("invalid_scope", "none of these scopes is offered") }
        if let trusted = trustedAssertion(text) { return try redeem(trusted, scopes: scopes, tokenRequest, failure) }
        var authorization: Grants.Authorization
        if idTokens[text] != nil {
            authorization = try identity(text, tokenRequest, failure)
        } else {
            guard let assertion = SignedToken(text), assertion.claims["iss"]?.string == tokenRequest.client.id,
                let subject = assertion.claims["sub"]?.string,
                let user = users.first(where: { $0.subject == subject || $0.username == subject }),
                isFresh(assertion, signedBy: tokenRequest.client, audience: [issuer, issuer + "/token"])
            else { throw failure }
            authorization = Grants.Authorization(
                clientID: tokenRequest.client.id, scopes: scopes, username: user.username, authenticatedAt: now)
        }
        authorization.scopes = scopes
        authorization.resources = tokenRequest.terms.resources
        return try answer(with: grants.begin(authorization, terms: tokenRequest.terms, now: now), isRefresh: false)
    }
}

/// Client authentication (RFC 6749 section 2.3).
extension OpenIDProvider {
    /// Authenticates the client of a request to the token endpoint or a similar one.
    ///
    /// Accepts only one method per request, and only the client's registered method.
    func authenticatedClient(_ request: SandboxRequest) throws(ErrorReply) -> SandboxClient {
        let failure = ErrorReply("invalid_client", "client authentication failed", status: 401)
        let formID = request.field("client_id")
        let formSecret = request.field("client_secret")
        if let header = request.header("authorization"), header.lowercased().hasPrefix("basic ") {
            guard formSecret == nil else { throw ErrorReply("invalid_request", "more than one client authentication method") }
            let pair = SandboxBase64.decodeStandard(header.dropFirst("basic ".count)).flatMap { String(validating: $0, as: UTF8.self) }
            guard let pair, let colon = pair.firstIndex(of: ":"), let id = FormEncoding.unescape(pair[..<colon]),
                let secret = FormEncoding.unescape(pair[pair.index(after: colon)...]), formID == nil || formID == id,
                let client = client(id), client.authentication == .clientSecretBasic, client.secret == Secret(secret)
            else { throw failure }
            return client
        }
        if request.field("client_assertion") != nil {
            guard formSecret == nil else { throw ErrorReply("invalid_request", "more than one client authentication method") }
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
    private func assertingClient(_ request: SandboxRequest, _ failure: ErrorReply) throws(ErrorReply) -> SandboxClient {
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
