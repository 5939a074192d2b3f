import AuthModel
import Crypto

/// The authorization endpoint, as in IdentityServer4.
extension MapsIndoorsSystem {
    /// The only errors that are sent to the client; any other is shown on a page of the server (`AuthorizeResult`).
    static let safeErrors = [
        "access_denied", "account_selection_required", "login_required", "consent_required", "interaction_required",
    ]

    func authorize(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = (request.method == "POST" ? request.form : request.query).filter { $0.name != AccountChooserPage.username }
        let asked: Asked
        do throws(ErrorReply) {
            asked = try Asked(parameters, settings: settings, common: serverState.common)
        } catch {
            return errorPage(error)
        }
        if let code = settings.authorizeError { return refuse(asked, ErrorReply(code, "the sandbox is set to refuse")) }
        if let chosen = request.method == "POST" ? request.field(AccountChooserPage.username) : nil {
            guard let user = VendorServerState<MapsIndoorsSettings>.user(chosen) else {
                return refuse(asked, ErrorReply("access_denied", "the user denied the request"))
            }
            return approve(asked, user)
        }
        if let user = serverState.autoApproved { return approve(asked, user) }
        let title = asked.identityProvider == "local" ? "Sign in to MapsIndoors" : "Sign in with \(asked.identityProvider)"
        return AccountChooserPage.answer(
            title: title, action: "/connect/authorize", parameters: parameters, returnsTo: asked.binding.redirectURI)
    }

    /// A valid authorization request.
    struct Asked {
        var binding: AuthorizationCodes<MapsIndoorsGrant>.Binding
        var scopes: ScopeSet
        var state: String?
        var nonce: String?
        var identityProvider: String
        /// Whether the response must be in the fragment (OAuth 2.0 Multiple Response Types section 2.1).
        var wantsFragment: Bool

        init(
            _ parameters: [(name: String, value: String)], settings: MapsIndoorsSettings, common: VendorServerSettings
        ) throws(ErrorReply) {
            func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
            guard let client = value("client_id"), settings.clients.contains(client) || client == settings.bookingClient else {
                throw ErrorReply("unauthorized_client", "unknown client or client not enabled")
            }
            guard let redirect = value("redirect_uri"), common.accepts(redirect: redirect, of: client) else {
                throw ErrorReply("unauthorized_client", "invalid redirect_uri")
            }
            guard value("response_type") == "code" else { throw ErrorReply("unsupported_response_type", "response type not supported") }
            let scopes = ScopeSet(wire: value("scope") ?? "")
            let known = ["openid", "profile", "email", "account", "offline_access", "booking"] + ScopeSet(wire: settings.authScope).values
            guard !scopes.isEmpty, scopes.values.allSatisfy(known.contains) else { throw ErrorReply("invalid_scope", "invalid scope") }
            let challenge = value("code_challenge")
            if challenge == nil, settings.requiresProofKey { throw ErrorReply("invalid_request", "code challenge required") }
            if challenge != nil, value("code_challenge_method") != "S256" {
                throw ErrorReply("invalid_request", "transform algorithm not supported")
            }
            binding = .init(clientID: client, redirectURI: redirect, challenge: challenge)
            self.scopes = scopes
            state = value("state")
            wantsFragment = value("response_mode") == "fragment"
            nonce = value("nonce")
            let hints = (value("acr_values") ?? "").split(separator: " ").filter { $0.hasPrefix("idp:") }
            identityProvider = hints.first.map { String($0.dropFirst(4)) } ?? "local"
        }
    }

    private func approve(_ asked: Asked, _ user: SandboxUser) -> SandboxResponse {
        let grant = MapsIndoorsGrant(
            user: user, clientID: asked.binding.clientID, scopes: asked.scopes, identityProvider: asked.identityProvider,
            nonce: asked.nonce, authenticatedAt: now)
        let code = codes.issue(grant, for: asked.binding, until: now + serverState.common.codeLifetime)
        return respond(asked, [("code", code), ("scope", asked.scopes.wire)])
    }

    private func refuse(_ asked: Asked, _ error: ErrorReply) -> SandboxResponse {
        guard Self.safeErrors.contains(error.code) else { return errorPage(error) }
        return respond(asked, [("error", error.code), ("error_description", error.text)])
    }

    private func respond(_ asked: Asked, _ parameters: [(String, String)]) -> SandboxResponse {
        let all = parameters + (asked.state.map { [("state", $0)] } ?? [])
        return .redirect(
            to: asked.binding.redirectURI + (settings.answersInFragment || asked.wantsFragment ? "#" : "?") + FormEncoding.encode(all),
            status: 302)
    }

    private func errorPage(_ error: ErrorReply) -> SandboxResponse {
        Page.answer(title: "Error", "<p class=\"problem\">\(error.code): \(error.text)</p>")
    }
}

/// The token endpoint of IdentityServer4 for public clients, and the tokens that it issues.
extension MapsIndoorsSystem {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        do throws(ErrorReply) {
            guard let client = request.field("client_id"), settings.clients.contains(client) || client == settings.bookingClient else {
                throw ErrorReply("invalid_client", "unknown client")
            }
            switch request.field("grant_type") {
            case "authorization_code":
                guard let code = request.field("code") else { throw ErrorReply("invalid_grant", "no code") }
                let grant = try codes.redeem(
                    code, clientID: client, redirectURI: request.field("redirect_uri"), verifier: request.field("code_verifier"), now: now)
                return try tokens(for: grant, isRefresh: false, keeping: nil)
            case "refresh_token": return try refresh(request, client: client)
            default: throw ErrorReply("unsupported_grant_type", "the grant type is not supported")
            }
        } catch {
            // Error responses have no description by default (`TokenErrorResult`).
            return .json(["error": .string(error.code)], status: 400)
        }
    }

    private func refresh(_ request: SandboxRequest, client: String) throws(ErrorReply) -> SandboxResponse {
        guard let presented = request.field("refresh_token"), let known = refreshTokens[presented], known.grant.clientID == client,
            now < known.endsAt
        else { throw ErrorReply("invalid_grant", "the refresh token is invalid") }
        guard settings.usesSingleUseRefreshTokens else { return try tokens(for: known.grant, isRefresh: true, keeping: presented) }
        refreshTokens[presented] = nil
        return try tokens(for: known.grant, isRefresh: true, keeping: nil)
    }

    /// Issues tokens.
    ///
    /// - Parameter kept: the refresh token that stays valid.
    private func tokens(for grant: MapsIndoorsGrant, isRefresh: Bool, keeping kept: String?) throws(ErrorReply) -> SandboxResponse {
        let settings = settings
        let accessToken = try sign(
            [
                "iss": .string(issuer), "sub": .string(grant.user.subject), "aud": .string(issuer + "/resources"),
                "client_id": .string(grant.clientID), "iat": .number(now.seconds), "exp": .number((now + settings.accessLifetime).seconds),
                "scope": .array(grant.scopes.values.map(JSONValue.string)), "idp": .string(grant.identityProvider),
                "jti": .string(OpenIDProvider.makeName()),
            ], type: "at+jwt")
        accessTokens[accessToken] = IssuedToken(grant: grant, issuedAt: now, endsAt: now + settings.accessLifetime)
        var members: [JSONValue.Member] = []
        if grant.scopes.contains("openid"), settings.idTokenFlaw != .missing {
            members.append(.init("id_token", .string(try idToken(for: grant, with: accessToken, isRefresh: isRefresh))))
        }
        members += [
            .init("access_token", .string(accessToken)), .init("expires_in", .number(settings.accessLifetime.components.seconds)),
            .init("token_type", "Bearer"),
        ]
        if grant.scopes.contains("offline_access"), settings.allowsOfflineAccess {
            let refreshToken = kept ?? OpenIDProvider.makeName()
            // Sliding for 15 days, at most 30 days after the sign-in.
            let end = min(now + .seconds(15 * 86_400), grant.authenticatedAt + .seconds(30 * 86_400))
            refreshTokens[refreshToken] = IssuedToken(grant: grant, issuedAt: now, endsAt: end)
            members.append(.init("refresh_token", .string(refreshToken)))
        }
        members.append(.init("scope", .string(grant.scopes.wire)))
        return .json(.object(members), headers: [("Pragma", "no-cache")])
    }

    private func idToken(for grant: MapsIndoorsGrant, with accessToken: String, isRefresh: Bool) throws(ErrorReply) -> String {
        let flaw = settings.idTokenFlaw
        var issuedAt = now
        if flaw == .issuedEarly { issuedAt = now + .seconds(-601) }
        if flaw == .issuedLate { issuedAt = now + .seconds(601) }
        let end = flaw == .expired ? now + .seconds(-1) : now + settings.idTokenLifetime
        let party: JSONValue = flaw == .wrongAuthorizedParty ? ["somebody-else", .string(grant.clientID)] : .string(grant.clientID)
        var members: [JSONValue.Member] = [
            .init("iss", .string(flaw == .badIssuer ? "https://auth.example.org" : issuer)), .init("sub", .string(grant.user.subject)),
            .init("aud", party), .init("nbf", .number(issuedAt.seconds)), .init("iat", .number(issuedAt.seconds)),
            .init("exp", .number(end.seconds)), .init("auth_time", .number(grant.authenticatedAt.seconds)),
            .init("at_hash", .string(SandboxBase64.url(Array(SHA256.hash(data: Array(accessToken.utf8))).prefix(16)))),
            .init("idp", .string(grant.identityProvider)), .init("amr", [grant.identityProvider == "local" ? "pwd" : "external"]),
        ]
        if flaw == .wrongAuthorizedParty { members.append(.init("azp", "somebody-else")) }
        if let nonce = grant.nonce, !isRefresh {
            members.append(.init("nonce", .string(flaw == .wrongNonce ? "another" : nonce)))
        }
        members += Self.claims(of: grant)
        let signer: TokenDraft.Signer = flaw == .badSignature ? .unpublishedKey(.rs256) : flaw == .unsigned ? .unsigned : .own(.rs256)
        let token = try sign(.object(members), type: "JWT", by: signer)
        idTokens.insert(token)
        return token
    }

    /// Returns the user's claims for the granted scopes.
    static func claims(of grant: MapsIndoorsGrant) -> [JSONValue.Member] {
        guard grant.scopes.contains("profile") else { return [] }
        let user = grant.user
        return [
            .init("name", .string(user.name)), .init("preferred_username", .string(user.username)),
            .init("email", .string(user.email)),
        ]
    }

    private func sign(_ claims: JSONValue, type: String, by signer: TokenDraft.Signer = .own(.rs256)) throws(ErrorReply) -> String {
        do {
            let keys = try keys()
            let algorithm = signer == .unsigned ? "none" : "RS256"
            let header: JSONValue = ["alg": .string(algorithm), "kid": .string(keys.identifier(.rs256)), "typ": .string(type)]
            return try keys.sign(TokenDraft(header: header, claims: claims, signer: signer))
        } catch {
            throw ErrorReply("server_error", "the token cannot be signed", status: 500)
        }
    }
}
