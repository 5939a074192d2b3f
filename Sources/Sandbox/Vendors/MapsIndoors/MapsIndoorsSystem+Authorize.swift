import AuthModel

/// The authorization endpoint, as in IdentityServer4.
extension MapsIndoorsSystem {
    /// The only errors that are sent to the client; any other is shown on a page of the server (`AuthorizeResult`).
    static let safeErrors = [
        "access_denied", "account_selection_required", "login_required", "consent_required", "interaction_required",
    ]

    func authorize(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = (request.method == "POST" ? request.form : request.query).filter { $0.name != AccountChooserPage.username }
        let asked: Asked
        do throws(OAuthError) {
            asked = try Asked(parameters, settings: settings, common: serverState.common)
        } catch {
            return errorPage(error)
        }
        if let code = settings.authorizeError { return refuse(asked, OAuthError(code, "the sandbox is set to refuse")) }
        if let chosen = request.method == "POST" ? request.field(AccountChooserPage.username) : nil {
            guard let user = VendorServerState<MapsIndoorsSettings>.user(chosen) else {
                return refuse(asked, OAuthError("access_denied", "the user denied the request"))
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
        ) throws(OAuthError) {
            func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
            guard let client = value("client_id"), settings.clients.contains(client) || client == settings.bookingClient else {
                throw OAuthError("unauthorized_client", "unknown client or client not enabled")
            }
            guard let redirect = value("redirect_uri"), common.accepts(redirect: redirect, of: client) else {
                throw OAuthError("unauthorized_client", "invalid redirect_uri")
            }
            guard value("response_type") == "code" else { throw OAuthError("unsupported_response_type", "response type not supported") }
            let scopes = ScopeSet(wire: value("scope") ?? "")
            let known = ["openid", "profile", "email", "account", "offline_access", "booking"] + ScopeSet(wire: settings.authScope).values
            guard !scopes.isEmpty, scopes.values.allSatisfy(known.contains) else { throw OAuthError("invalid_scope", "invalid scope") }
            let challenge = value("code_challenge")
            if challenge == nil, settings.requiresProofKey { throw OAuthError("invalid_request", "code challenge required") }
            if challenge != nil, value("code_challenge_method") != "S256" {
                throw OAuthError("invalid_request", "transform algorithm not supported")
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

    private func refuse(_ asked: Asked, _ error: OAuthError) -> SandboxResponse {
        guard Self.safeErrors.contains(error.code) else { return errorPage(error) }
        return respond(asked, [("error", error.code), ("error_description", error.text)])
    }

    private func respond(_ asked: Asked, _ parameters: [(String, String)]) -> SandboxResponse {
        let all = parameters + (asked.state.map { [("state", $0)] } ?? [])
        return .redirect(
            to: asked.binding.redirectURI + (settings.answersInFragment || asked.wantsFragment ? "#" : "?") + FormEncoding.encode(all),
            status: 302)
    }

    private func errorPage(_ error: OAuthError) -> SandboxResponse {
        Page.answer(title: "Error", "<p class=\"problem\">\(error.code): \(error.text)</p>")
    }
}
