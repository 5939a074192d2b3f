import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// Servers beside the portal, and the token that each of them gets, if any.
extension ArcGISAdapter {
    /// A server, according to its own description.
    struct Server {
        var root: WebURL
        var federation: Federation
    }

    /// The portal that a server belongs to.
    enum Federation {
        /// It belongs to this provider's portal.
        case here
        /// It belongs to another portal.
        case elsewhere(owner: String)
        /// It stands alone, and may have a token service of its own.
        case none(tokenService: WebURL?)
    }

    /// The time before its expiry from which a server token is no longer used.
    private static let margin: Duration = .seconds(300)
    /// The requested lifetime of a server token, in minutes.
    private static let minutes = "60"

    // MARK: Choosing a session

    func priority(of session: SessionSummary, for resource: WebURL) -> Int? {
        guard let root = session.issuer.flatMap(WebURL.init) else { return nil }
        // A server at another URL may belong to the portal; `fetchToken` finds out.
        if ArcGISAddress.isSame(root, settings.portal) { return ArcGISAddress.isPortal(resource, root) ? root.path.utf8.count + 1 : 0 }
        return ArcGISAddress.depth(of: resource, in: root).map { $0 + 1 }
    }

    // MARK: Choosing a token

    func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken? {
        let extras = ArcGISExtras(record.extras)
        let fields = extras.referer.map { [ResourceToken.Field("Referer", $0)] } ?? []
        // `api_hosts` does not decide here: one host may run a portal, its servers and other applications.
        if CredentialGate(configuration).isProviderURL(resource, issuer: record.identity.issuer) { return .own(fields: fields) }
        guard isOfPortal(record), let root = ArcGISAddress.root(of: resource), let server = extras.servers[root.text],
            server.token != refused, server.expiresAt - environment.time.now >= Self.margin
        else { return nil }
        return .another(server.token, server: root, expiresAt: server.expiresAt, fields: [])
    }

    func fetchToken(
        for resource: WebURL, of record: SessionRecord, login: WebServerLogin?
    ) async throws(AuthFailure) -> (token: ResourceToken, extras: JSONValue)? {
        // Only a portal issues tokens for other servers.
        guard isOfPortal(record) else { throw CredentialGate(configuration).refusal(of: resource) }
        let adapter = withStoredData(record.extras)
        let server = try await adapter.server(of: resource, login: login)
        switch server.federation {
        case .elsewhere(let owner): throw belongsToOtherPortal(server.root, owner)
        case .none(let service):
            guard service != nil else { throw noTokenService(server.root) }
            throw AuthFailure(
                .notSignedIn, UserMessage("arcgis.not_signed_in_at_server", ["server": server.root, "host": host]),
                hint: "hint.arcgis_allow_separate_sign_in")
        case .here: break
        }
        guard let tokens = record.tokens else {
            throw AuthFailure(
                .signInAgain, UserMessage("session.ended", ["session": record.summary.name]),
                hint: UserMessage("hint.sign_in_again", ["provider": record.summary.name.provider]))
        }
        let what = UserMessage("phrase.arcgis_requesting_server_token", ["host": server.root.origin.authority])
        let fields = [("token", tokens.accessToken.reveal()), ("serverUrl", server.root.text), ("expiration", Self.minutes)]
        let document: JSONValue
        switch try await adapter.post(try rest("/generateToken"), fields, when: what) {
        case .success(let answer): document = answer
        case .failure(let fault) where fault.needsToken:
            throw AuthFailure(
                .signInAgain, UserMessage("http.refused_when", ["host": host, "action": what, "detail": fault.line]),
                hint: "hint.repeat_sign_in")
        case .failure(let fault): throw fault.failure(host, when: what)
        }
        guard let token = document["token"]?.string, !token.isEmpty, let end = document["expires"]?.integer else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.no_token_when", ["host": host, "purpose": what]),
                hint: "hint.contact_its_administrator")
        }
        guard Secret(token).isTokenText else { throw invalidToken(when: what) }
        var extras = ArcGISExtras(record.extras)
        let now = environment.time.now
        extras.servers = extras.servers.filter { $0.value.expiresAt > now }
        extras.servers[server.root.text] = .init(token: Secret(token), expiresAt: Timestamp(milliseconds: end))
        let issued = ResourceToken.another(
            Secret(token), server: server.root, expiresAt: Timestamp(milliseconds: end), fields: [])
        return (token: issued, extras: extras.json)
    }

    // MARK: Server information

    func check() async throws(AuthFailure) -> UserMessage? {
        let url = try rest("/info")
        let request = WebRequest(
            method: .get, url: url.appending(query: [("f", "json")]) ?? url, headers: [("Accept", "application/json")])
        let response = try await send(request)
        // A web server in front of the portal requires a login for every request.
        if response.status == 401 { return UserMessage("arcgis.web_server_requires_login") }
        let document = response.document
        guard response.status == 200, let document, document["authInfo"]?.members != nil || document["owningSystemUrl"]?.string != nil
        else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.not_a_portal", ["host": host]), hint: "hint.arcgis_check_portal_url")
        }
        return UserMessage("arcgis.is_a_portal")
    }

    /// Asks the server of a URL which portal it belongs to, without a token.
    func server(of url: WebURL, login: WebServerLogin? = nil) async throws(AuthFailure) -> Server {
        guard let root = ArcGISAddress.root(of: url), let info = WebURL(root.text + "/rest/info?f=json"), info.isRequestable else {
            throw AuthFailure(
                .security, UserMessage("resource.tokens_not_sent_to_host", ["provider": configuration.name, "host": url.origin.authority]))
        }
        let response = try await send(WebRequest(method: .get, url: info, headers: [("Accept", "application/json")]), login: login)
        guard response.status == 200, let document = response.document, document.members != nil,
            ArcGISAnswer.Fault(in: document) == nil
        else {
            throw AuthFailure(
                .security, UserMessage("arcgis.not_a_server_of_portal", ["provider": configuration.name, "host": url.origin.authority]),
                hint: "hint.send_without_token")
        }
        let authentication = document["authInfo"]
        if let owner = document["owningSystemUrl"]?.string, !owner.isEmpty {
            let isHere = WebURL(owner).map { ArcGISAddress.isSame($0, settings.portal) } ?? false
            return Server(root: root, federation: isHere ? .here : .elsewhere(owner: owner))
        }
        let service = authentication?["tokenServicesUrl"]?.string.flatMap(WebURL.init)
        return Server(root: root, federation: .none(tokenService: service?.isRequestable == true ? service : nil))
    }

    func belongsToOtherPortal(_ root: WebURL, _ owner: String) -> AuthFailure {
        AuthFailure(
            .security,
            UserMessage(
                "arcgis.belongs_to_other_portal", ["server": root, "provider": configuration.name, "owner": ServerError(code: owner).code]),
            hint: UserMessage("hint.arcgis_use_provider_of_portal", ["provider": configuration.name]))
    }

    func noTokenService(_ root: WebURL) -> AuthFailure {
        AuthFailure(
            .security, UserMessage("arcgis.server_issues_no_tokens", ["provider": configuration.name, "server": root]),
            hint: "hint.send_without_token")
    }
}

/// Server certificates that no known authority signed. The user may allow such a certificate for one server and one session.
extension ArcGISAdapter {
    private static let fieldID = "certificate"
    private static let cancel = "cancel"
    private static let allow = "allow"

    /// Returns the adapter for a sign-in at `root`: this one, or one that accepts the server certificate that the user allowed.
    ///
    /// It checks the certificate before a browser is sent to the server, because the browser would show a warning of its own and never come
    /// back. Throws `.security` with the reason if the certificate is not trusted.
    func allowingCertificate(_ root: WebURL, _ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> ArcGISAdapter {
        guard root.origin.scheme == .https else { return self }
        let probe = WebRequest(method: .get, url: root)
        do throws(AuthFailure) {
            if server(named: request) == nil {
                _ = try await attempt.step(.discover) { () async throws(AuthFailure) in try await send(probe) }
            } else {
                _ = try await send(probe)
            }
            return self
        } catch  where error.kind == .security && settings.confirmsUntrustedCertificates {
            guard let shown = try await environment.transport.certificate(of: root.origin, policy: policy(for: root)),
                let fingerprint = shown.fingerprint
            else { throw error }
            var allowingCertificate = self
            allowingCertificate.allowed = shown
            // The user cannot allow a certificate with a wrong name or an expired one: this request fails then.
            _ = try await allowingCertificate.send(probe)
            let form = SignInForm(
                title: UserMessage("form.arcgis_certificate_untrusted", ["host": root.origin.authority, "fingerprint": fingerprint]),
                fields: [
                    .init(
                        id: Self.fieldID, label: "form.trust_certificate",
                        kind: .choice([
                            .init(Self.cancel, title: "form.cancel"), .init(Self.allow, title: "form.allow_for_session"),
                        ]), suggestion: Self.cancel)
                ])
            guard try await attempt.ask(form, given: request)[Self.fieldID]?.reveal() == Self.allow else { throw error }
            return allowingCertificate
        }
    }

    /// Returns this adapter with a session's stored data: the certificate that the user allowed, and the servers that the portal issued
    /// tokens for.
    func withStoredData(_ extras: JSONValue) -> ArcGISAdapter {
        var adapter = self
        let extras = ArcGISExtras(extras)
        adapter.allowed = extras.allowed
        adapter.federated = extras.servers.keys.compactMap { WebURL($0) }
        return adapter
    }

    func certificate(of record: SessionRecord) -> ServerCertificate? { ArcGISExtras(record.extras).allowed }

    /// The warning about an allowed certificate, which the session shows for as long as it lasts.
    var trustWarnings: [UserMessage] {
        allowed.map { [UserMessage("arcgis.allowed_certificate", ["host": $0.origin.authority])] } ?? []
    }
}
