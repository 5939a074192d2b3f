import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// Kind `arcgis`: an ArcGIS portal, and the servers that belong to it.
///
/// The sign-in is OAuth's code flow. Three things differ: endpoints report errors with status 200, a refresh token is exchanged for a new
/// one before it expires, and every federated server has a token of its own.
struct ArcGISAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let settings: ArcGISConfiguration
    let environment: EngineEnvironment
    /// The server certificate that the user allowed.
    var allowed: ServerCertificate?
    /// The servers that the portal issued tokens for.
    var federated: [WebURL] = []

    var address: String { settings.portal.text }

    /// Returns the portal, or the stand-alone server that the session was signed in at.
    func address(of session: SessionSummary) -> String { session.issuer ?? address }

    var offersSignUp: Bool? { false }

    var host: String { settings.portal.origin.authority }

    /// Whether a session belongs to the portal, or to a stand-alone server beside it. A session without a recorded portal belongs here if
    /// its issuer is the portal, or if it has neither a redirect URI nor a refresh token, which only a portal provides.
    func isOwn(_ record: SessionRecord) -> Bool {
        let extras = ArcGISExtras(record.extras)
        if let portal = extras.portal { return WebURL(portal).map { ArcGISAddress.isSame($0, settings.portal) } ?? false }
        return isOfPortal(record) || extras.redirectURI == nil && record.tokens?.refreshToken == nil
    }

    /// Whether a session belongs to the portal itself, not to a stand-alone server.
    func isOfPortal(_ record: SessionRecord) -> Bool {
        WebURL(record.identity.issuer).map { ArcGISAddress.isSame($0, settings.portal) } ?? false
    }

    func steps(of request: SignInRequest) -> [SignInStep] {
        guard request.purpose == .signIn else { return [] }
        // The other steps at a server depend on the portal that it belongs to.
        if server(named: request) != nil { return [.discover, .seal] }
        return (settings.portal.origin.scheme == .https ? [.discover] : []) + (hasClient ? [.open] : []) + [
            .wait, .exchange, .verify, .seal,
        ]
    }

    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> {
        guard purpose == .signIn else { return [] }
        // A stand-alone server asks for a password even if the portal uses a browser.
        return hasClient ? ["idp", "username", "password"] : ["username", "password"]
    }

    /// Whether users sign in with a browser. Without a client, they enter user name and password.
    var hasClient: Bool { !configuration.clientID.isEmpty }

    // MARK: Requests

    /// Returns the limits and TLS settings of a request to `url`. The client certificate is presented only to the portal, to servers that
    /// the configuration names in `api_hosts` or `resource`, and to servers that the portal issued a token for.
    func policy(for url: WebURL) -> TransportPolicy {
        var policy = TransportPolicy(caFile: configuration.caFile)
        policy.allowedCertificate = allowed
        let isKnown =
            url.origin == settings.portal.origin || federated.contains { $0.origin == url.origin }
            || CredentialGate(configuration).isNamed(url.origin)
        if isKnown { policy.clientCertificate = .init(of: configuration) }
        return policy
    }

    func send(_ request: WebRequest, login: WebServerLogin? = nil) async throws(AuthFailure) -> WebResponse {
        var policy = policy(for: request.url)
        if login?.origin == request.url.origin { policy.webServerLogin = login }
        return try await environment.transport.send(request, policy: policy)
    }

    /// Posts a form that asks for JSON, and reads the answer.
    ///
    /// - Parameter what: the action, for error messages: "redeeming the code".
    func post(
        _ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = [], when what: UserMessage
    ) async throws(AuthFailure) -> Result<JSONValue, ArcGISAnswer.Fault> {
        let response = try await send(.form(url, fields + [("f", "json")], headers: headers))
        return try ArcGISAnswer.read(response, from: url.origin.authority, when: what)
    }

    func rest(_ path: String) throws(AuthFailure) -> WebURL {
        guard let url = ArcGISAddress.rest(of: settings.portal, path) else {
            throw AuthFailure(.configuration, UserMessage("arcgis.portal_url_too_long", ["provider": configuration.name]))
        }
        return url
    }

    // MARK: Features that a portal does not have

    var hasBrowserSession: Bool { false }
}

/// The data of an ArcGIS session other than its tokens, sealed together with them.
struct ArcGISExtras: Equatable {
    /// The time when the refresh token was issued. It is exchanged before it expires.
    var refreshIssuedAt: Timestamp?
    /// The redirect URI of the sign-in, which an exchange must repeat.
    var redirectURI: String?
    /// The `Referer` that tokens of a password sign-in are bound to.
    var referer: String?
    /// The tokens of federated servers, by the URL of the server.
    var servers: [String: ServerToken] = [:]

    /// The portal of the session: the issuer of the portal's own sessions, and the provider of a stand-alone server's session. `nil` in
    /// sessions that were stored before this property existed.
    var portal: String?

    /// The certificate that the user allowed for its server.
    var allowed: ServerCertificate?

    struct ServerToken: Equatable {
        var token: Secret
        var expiresAt: Timestamp
    }

    init() {}

    init(_ extras: JSONValue) {
        refreshIssuedAt = extras["refresh_issued_at"]?.integer.map(Timestamp.init(milliseconds:))
        redirectURI = extras["redirect_uri"]?.string
        referer = extras["referer"]?.string
        portal = extras["portal"]?.string
        allowed = ServerCertificate(json: extras["certificate"])
        for member in extras["servers"]?.members ?? [] {
            guard let token = member.value["token"]?.string, let end = member.value["expires"]?.integer else { continue }
            servers[member.name] = ServerToken(token: Secret(token), expiresAt: Timestamp(milliseconds: end))
        }
    }

    /// The JSON value that is stored in the session's record.
    var json: JSONValue {
        let tokens = servers.sorted { $0.key < $1.key }.map { server, held in
            JSONValue.Member(server, ["token": .string(held.token.reveal()), "expires": .number(held.expiresAt.milliseconds)])
        }
        return .present(
            ("refresh_issued_at", refreshIssuedAt.map { .number($0.milliseconds) }), ("redirect_uri", redirectURI.map { .string($0) }),
            ("referer", referer.map { .string($0) }), ("portal", portal.map { .string($0) }), ("certificate", allowed?.json),
            ("servers", tokens.isEmpty ? nil : .object(tokens)))
    }
}

extension ArcGISAdapter {
    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        guard let old = record.tokens, let refreshToken = old.refreshToken else {
            throw RenewalFailure(.noRefreshToken(of: record), .ended)
        }
        var extras = ArcGISExtras(record.extras)
        guard record.identity.issuer == settings.portal.text, record.clientID == configuration.clientID else {
            throw RenewalFailure(
                AuthFailure(
                    .configuration,
                    UserMessage("provider.configuration_changed", ["provider": configuration.name, "session": record.summary.name]),
                    hint: UserMessage("hint.arcgis_restore_settings", ["provider": configuration.name])), .kept)
        }
        let exchanges = isExchangeDue(old, issuedAt: extras.refreshIssuedAt) && extras.redirectURI != nil
        let what = exchanges ? UserMessage("phrase.exchanging_refresh_token") : UserMessage("phrase.renewing_session")
        var fields = [
            ("grant_type", exchanges ? "exchange_refresh_token" : "refresh_token"), ("client_id", record.clientID),
            ("refresh_token", refreshToken.reveal()),
        ]
        if exchanges, let redirectURI = extras.redirectURI { fields.append(("redirect_uri", redirectURI)) }
        let outcome: Result<JSONValue, ArcGISAnswer.Fault>
        do throws(AuthFailure) {
            outcome = try await withStoredData(record.extras).post(try rest("/oauth2/token"), fields, when: what)
        } catch {
            throw RenewalFailure(error, .kept)
        }
        switch outcome {
        case .failure(let fault): throw failure(fault, when: what)
        case .success(let document):
            let tokens: TokenSet
            do throws(AuthFailure) {
                tokens = try self.tokens(in: document, old: old, when: what)
                if exchanges, document["refresh_token"]?.string == nil {
                    throw AuthFailure(
                        .signInAgain, UserMessage("arcgis.no_refresh_token_when", ["host": host, "purpose": what]),
                        hint: "hint.repeat_sign_in")
                }
            } catch {
                // An exchange ends the old refresh token, even if its answer cannot be used.
                throw RenewalFailure(error, exchanges ? .untrustedAnswer : .kept)
            }
            if exchanges {
                extras.refreshIssuedAt = environment.time.now
                // The exchange has ended the tokens that the server tokens were made with.
                extras.servers = [:]
            }
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: extras.json)
        }
    }

    /// Whether this renewal exchanges the refresh token for a new one.
    ///
    /// It does `exchange_minutes` after the token was issued, if that is set, and in the token's last day, as the vendor's own clients do.
    /// A token with a lifetime of a day or less is therefore exchanged with every renewal. If `exchange_minutes` is 0 or less, or not less
    /// than the token's lifetime, the token is never exchanged.
    func isExchangeDue(_ tokens: TokenSet, issuedAt: Timestamp?) -> Bool {
        guard let end = tokens.refreshExpiresAt, let issuedAt else { return false }
        let now = environment.time.now
        let lifetime = end - issuedAt
        if let minutes = settings.exchangeMinutes {
            guard minutes > 0, .seconds(minutes * 60) < lifetime else { return false }
            if now - issuedAt >= .seconds(minutes * 60) { return true }
        }
        return end - now <= .seconds(86_400)
    }

    private func failure(_ fault: ArcGISAnswer.Fault, when what: UserMessage) -> RenewalFailure {
        if fault.code >= 500 { return RenewalFailure(fault.failure(host, when: what), .kept) }
        return RenewalFailure(
            AuthFailure(
                .signInAgain, UserMessage("arcgis.session_ended_when", ["host": host, "purpose": what, "detail": fault.line]),
                hint: "hint.repeat_sign_in"), .ended)
    }

    // MARK: Sign-out

    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else { return [.nothing(.revokeRefreshToken, reason: "sign_out.no_token_left")] }
        guard ArcGISExtras(record.extras).referer == nil, !record.clientID.isEmpty else {
            return [.nothing(.revokeAccessToken, reason: "phrase.password_token_expires")]
        }
        guard let portal = WebURL(record.identity.issuer), let url = ArcGISAddress.rest(of: portal, "/oauth2/revokeToken") else {
            return [.nothing(.revokeRefreshToken, reason: "phrase.arcgis_portal_has_no_url")]
        }
        // A queued revocation needs the allowed certificate to reach the portal later.
        var kept = ArcGISExtras()
        kept.allowed = ArcGISExtras(record.extras).allowed
        func step(_ step: SignOutReceipt.Step, _ token: Secret, _ hint: String) -> RevocationStep {
            .revoking(step, token, hint: hint, of: record, at: url, extras: kept.json)
        }
        // Revoking a refresh token revokes its access tokens too.
        if let refresh = tokens.refreshToken { return [step(.revokeRefreshToken, refresh, "refresh_token")] }
        return [
            .nothing(.revokeRefreshToken, reason: "sign_out.session_has_no_token"),
            step(.revokeAccessToken, tokens.accessToken, "access_token"),
        ]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        let what = UserMessage("phrase.revoking_token")
        // The portal that issued the token, even if another one is configured now.
        let host = revocation.endpoint.origin.authority
        var fields = [("auth_token", revocation.token.reveal()), ("client_id", revocation.clientID)]
        if let hint = revocation.tokenTypeHint { fields.append(("token_type_hint", hint)) }
        switch try await withStoredData(revocation.extras).post(revocation.endpoint, fields, when: what) {
        case .failure(let fault): throw fault.failure(host, when: what)
        case .success(let document):
            guard document["success"]?.bool == true else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("arcgis.token_not_revoked", ["host": host]), hint: "hint.yett_retries_later")
            }
        }
    }
}
