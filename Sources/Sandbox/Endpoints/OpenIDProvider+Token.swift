import AuthModel
import Crypto

/// The token endpoint (RFC 6749 sections 3.2, 4.1.3 and 6; RFC 7636 section 4.6).
extension OpenIDProvider {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        let isRefresh = request.field("grant_type") == GrantType.refreshToken.rawValue
        return answering(isRefresh ? .refresh : .token) {
            let asked: TokenRequest
            do throws(OAuthError) {
                asked = try tokenRequest(request)
                // A poll that is too early is no exchange, so it does not use up the faults of exchanges.
                if asked.type == .device, let answer = try waiting(request, asked.client) { return answer }
            } catch {
                return refusal(error)
            }
            // Fault point: the response of the token endpoint.
            let faults = faultSet.consumeFaults(TokenFault.self) { isRefresh ? .refresh($0) : .token($0) }
            let honest: SandboxResponse
            if faults.contains(where: \.refusesRequest) {
                honest = SandboxResponse(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(Array("{}".utf8)))
            } else {
                honest = exchange(request, asked, keepsPresented: faults.contains(where: \.keepsPresentedRefreshToken))
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

    private func tokenRequest(_ request: SandboxRequest) throws(OAuthError) -> TokenRequest {
        // RFC 8707 section 2: a client may request several resources.
        if let repeated = SandboxRequest.repeated(in: request.form.filter({ $0.name != "resource" })).first {
            throw OAuthError("invalid_request", "\(FormEncoding.escape(repeated)) is repeated")
        }
        let client = try authenticatedClient(request)
        guard let name = request.field("grant_type") else { throw OAuthError("invalid_request", "grant_type is missing") }
        guard let type = GrantType(rawValue: name), grantTypes.contains(type) else {
            throw OAuthError("unsupported_grant_type", "the grant type is not supported")
        }
        let key = try provedKey(request, by: .authorizationServer)
        // RFC 9449 section 5: a confidential client authenticates at every refresh, so it may change its key.
        let terms = Grants.Terms(key: key, bindsRefreshToken: client.authentication == .none, resources: try request.resources())
        return TokenRequest(type: type, client: client, terms: terms)
    }

    private func exchange(_ request: SandboxRequest, _ asked: TokenRequest, keepsPresented: Bool) -> SandboxResponse {
        func required(_ name: String) throws(OAuthError) -> String {
            guard let value = request.field(name) else { throw OAuthError("invalid_request", "\(name) is missing") }
            return value
        }
        do throws(OAuthError) {
            switch asked.type {
            case .authorizationCode:
                let code = try required("code")
                let verifier = request.field("code_verifier")
                if let verifier, !(43...128).contains(verifier.utf8.count) {
                    throw OAuthError("invalid_grant", "code_verifier must have 43 to 128 characters")
                }
                let issued = try grants.redeem(
                    code: code, clientID: asked.client.id, redirectURI: request.field("redirect_uri"),
                    challenge: verifier.map { Base64.url(Array(SHA256.hash(data: Array($0.utf8)))) }, terms: asked.terms, now: now)
                return try answer(with: issued, isRefresh: false)
            case .refreshToken:
                let issued = try grants.refresh(
                    token: try required("refresh_token"), clientID: asked.client.id,
                    scopes: request.field("scope").map { ScopeSet(wire: $0) }, terms: asked.terms, keepsPresented: keepsPresented, now: now)
                return try answer(with: issued, isRefresh: true)
            case .device:
                let issued = try grants.redeem(deviceCode: try required("device_code"), terms: asked.terms, now: now)
                return try answer(with: issued, isRefresh: false)
            case .tokenExchange: return try exchangeToken(request, asked)
            case .assertion: return try redeemAssertion(try required("assertion"), request, asked)
            }
        } catch {
            return .error(error)
        }
    }
}
