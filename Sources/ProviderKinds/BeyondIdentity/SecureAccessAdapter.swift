import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// Kind `beyond-identity`, newer generation: OpenID Connect at the issuer of an application. Its authorization endpoint may answer with the
/// URL of the authenticator instead of a redirect, and its management API lists tokens.
struct SecureAccessAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let settings: SecureAccessConfiguration
    let environment: EngineEnvironment
    private let provider: OpenIDAdapter

    init(configuration: ProviderConfiguration, settings: SecureAccessConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.settings = settings
        self.environment = environment
        var plain = configuration
        plain.kind = .oidc
        plain.kindSettings = nil
        var provider = OpenIDAdapter(configuration: plain, environment: environment)
        if settings.invocation == .manual {
            let invocation = ManualInvocation(
                hosts: settings.invokeHosts, transport: environment.transport, caFile: configuration.caFile)
            provider.resolveAuthorizationURL = { (url) async throws(AuthFailure) in try await invocation.authenticator(for: url) }
        }
        self.provider = provider
    }

    var address: String { provider.address }

    func isOwn(_ record: SessionRecord) -> Bool { provider.isOwn(record) }

    var offersSignUp: Bool? { configuration.signUpURL != nil }

    func signIn(_ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions) async throws(AuthFailure) -> SignInOutcome {
        try await provider.signIn(request, attempt: attempt, sessions: sessions)
    }

    var remoteTokenList: (any RemoteTokenList)? {
        settings.tokens.map { SecureAccessTokens(list: $0, configuration: configuration, environment: environment, provider: provider) }
    }

    // MARK: The same as at any OpenID provider

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        try await provider.renew(record, sessions: sessions)
    }

    func checkClient() async throws(AuthFailure) { try await provider.checkClient() }

    var restrictedRenewal: (any RestrictedRenewal)? { provider }

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await provider.revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await provider.revoke(revocation) }

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? { try await provider.endSessionURL(for: record) }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        try await provider.endSessionURL(for: record, returnTo: returnTo, state: state)
    }

    var sessionIntrospection: (any SessionIntrospection)? { provider }

    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView? { try await provider.introspect(token) }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        try await provider.verify(token, kind: kind)
    }
}

/// The settings of `kind = "beyond-identity"` with `mode = "secure-access"`: the newer generation, an OpenID provider at the issuer of an
/// application. There is no backend.
struct SecureAccessConfiguration: KindSettings {
    /// The invocation of the authenticator: `invocation`.
    enum Invocation: String, CaseIterable {
        /// The authorization endpoint redirects the browser.
        case automatic
        /// The authorization endpoint answers with the URL that the browser must open next.
        case manual
    }

    var invocation = Invocation.automatic
    /// `invoke_hosts`: the hosts that a browser may be sent to, and their subdomains. An entry with a port allows that host and port only.
    var invokeHosts = SecureAccessConfiguration.standardInvokeHosts
    /// `tokens_url`: the management API's list of the application's tokens; `nil` if there is none.
    var tokens: WebURL?

    /// The vendor's own hosts.
    static let standardInvokeHosts = ["beyondidentity.com", "byndid.com", "beyondidentity-gov.com"]

    /// Returns the token list of an application's issuer: `auth-us.…` becomes `api-us.…`; `nil` for an issuer that is not the vendor's.
    static func tokens(of issuer: Issuer) -> WebURL? {
        let host = issuer.url.origin.host
        guard host.hasPrefix("auth-"), standardInvokeHosts.contains(where: { host.hasSuffix("." + $0) }) else { return nil }
        return WebURL("https://api-" + host.dropFirst("auth-".count) + issuer.url.path + "/tokens")
    }

    var shown: [(name: String, value: JSONValue)] {
        [
            ("mode", "secure-access"), ("invocation", .string(invocation.rawValue)), ("invoke_hosts", JSONValue(invokeHosts)),
            ("tokens_url", JSONValue(tokens?.text)),
        ]
    }
}

/// The tokens of a user in the management API of Beyond Identity's newer generation.
struct SecureAccessTokens: RemoteTokenList {
    let list: WebURL
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let provider: OpenIDAdapter

    /// The maximum number of pages that are fetched of the list.
    private static let pageLimit = 20

    func remoteTokens(of record: SessionRecord) async throws(AuthFailure) -> [RemoteToken] {
        var tokens: [RemoteToken] = []
        var page: String?
        for _ in 0..<Self.pageLimit {
            var query = [("principal_type", "identity"), ("principal_id", record.identity.subject)]
            if let page { query.append(("page_token", page)) }
            guard let url = list.appending(query: query) else { throw AuthFailure(.configuration, "beyond_identity.tokens_url_too_long") }
            let answer = try await manage(.get, url, of: record, to: "phrase.list_tokens")
            guard let members = answer["tokens"]?.array else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("beyond_identity.no_list_of_tokens", ["host": list.origin.authority]),
                    hint: "hint.beyond_identity_check_tokens_url")
            }
            tokens += members.compactMap(RemoteToken.init(secureAccess:))
            page = answer["next_page_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            if page == nil { return tokens }
        }
        return tokens
    }

    func revokeRemoteToken(_ id: String, of record: SessionRecord) async throws(AuthFailure) -> SessionTokenState {
        // No other byte leaves the path of the URL as it is.
        guard !id.isEmpty, id.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }), let url = WebURL(list.text + "/" + id)
        else {
            throw AuthFailure(
                .usage, "token.no_such_name", hint: UserMessage("hint.list_remote_tokens", ["session": record.summary.name]))
        }
        _ = try await manage(.delete, url, of: record, to: "phrase.revoke_token")
        guard let tokens = record.tokens, try await isAlive(tokens.accessToken, .access) else { return .ended }
        guard let refreshToken = tokens.refreshToken else { return .alive }
        return try await isAlive(refreshToken, .refresh) ? .alive : .notRenewable
    }

    /// Whether the provider still accepts a token of the session (RFC 7662); `true` if it has no introspection endpoint.
    private func isAlive(_ token: Secret, _ kind: Revocation.TokenKind) async throws(AuthFailure) -> Bool {
        let metadata = try await provider.documents.metadata()
        guard metadata.introspectionEndpoint != nil else { return true }
        let client = try await provider.client(metadata)
        do {
            let request = try Introspection.request(token, kind, at: metadata, client: client)
            let response = try await provider.send(request)
            return try Introspection.answer(response, host: configuration.issuer?.url.origin.authority, now: environment.time.now).isActive
        } catch let error as OAuthError {
            throw error.failure
        } catch let error as AuthFailure {
            throw error
        } catch {
            throw AuthFailure(.bug, "introspection.unexpected_error")
        }
    }

    /// Sends a request to the management API with the session's access token.
    private func manage(
        _ method: WebRequest.Method, _ url: WebURL, of record: SessionRecord, to purpose: UserMessage
    ) async throws(AuthFailure) -> JSONValue {
        guard let token = record.tokens?.accessToken else {
            throw AuthFailure(
                .signInAgain, UserMessage("session.ended", ["session": record.summary.name]),
                hint: UserMessage("hint.sign_in_again", ["provider": configuration.name]))
        }
        let response = try await environment.transport.send(
            WebRequest(
                method: method, url: url,
                headers: [("Accept", "application/json"), ("Authorization", "Bearer \(token.reveal())")]),
            policy: TransportPolicy(caFile: configuration.caFile))
        return try SecureAccessAnswer.read(response, from: url.origin.authority, to: purpose)
    }
}

/// The answers of the newer generation: JSON, with `code` and `message` in a refusal.
enum SecureAccessAnswer {
    /// Reads an answer.
    ///
    /// - Parameter purpose: the purpose of the request, for error messages.
    static func read(_ response: WebResponse, from host: String, to purpose: UserMessage) throws(AuthFailure) -> JSONValue {
        let document = response.document
        switch response.status {
        case 200..<300:
            if response.body.isEmpty { return .object([]) }
            guard let document, document.members != nil else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("json.response_not_json_when_asked", ["host": host, "purpose": purpose]),
                    hint: "hint.proxy_answered_try_again")
            }
            return document
        case 300..<400:
            throw AuthFailure(
                .configuration, UserMessage("http.redirect_when_asked", ["host": host, "purpose": purpose]),
                hint: "hint.beyond_identity_automatic_invocation")
        case 500...:
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("http.status_when_asked", ["host": host, "status": response.status, "purpose": purpose]),
                hint: "hint.try_again_in_a_moment")
        default:
            let code = document?["code"]?.string ?? document?["error"]?.string
            let words = document?["message"]?.string ?? document?["error_description"]?.string
            let error = ServerError(code: code ?? String(response.status), description: words, hiding: response.redactor)
            let status = response.status
            let detail =
                code.map { _ in UserMessage.verbatim(error.line) }
                ?? error.description.map { UserMessage("http.status_and_words", ["status": status, "detail": $0]) }
                ?? UserMessage("phrase.status", ["status": status])
            throw AuthFailure(
                .denied(code: code.map { _ in error.code }),
                UserMessage("http.refused_purpose", ["host": host, "purpose": purpose, "detail": detail]),
                hint: response.status == 401 || response.status == 403
                    ? "hint.beyond_identity_allow_tokens"
                    : "hint.contact_application_administrator")
        }
    }
}

/// An application whose authorization endpoint answers with the URL of the authenticator (`invocation_type` manual).
struct ManualInvocation: Sendable {
    /// The hosts that a browser may be sent to.
    let hosts: [String]
    let transport: any HTTPTransport
    let caFile: String?

    /// Sends an authorization request, and returns the URL that the browser must open next.
    ///
    /// Throws `.security` for a URL outside ``hosts``.
    func authenticator(for request: WebURL) async throws(AuthFailure) -> WebURL {
        let response = try await transport.send(
            WebRequest(method: .get, url: request, headers: [("Accept", "application/json"), ("Content-Type", "application/json")]),
            policy: TransportPolicy(caFile: caFile))
        let host = request.origin.authority
        let answer = try SecureAccessAnswer.read(response, from: host, to: "phrase.start_sign_in")
        guard let text = answer["authenticate_url"]?.string else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("beyond_identity.no_authenticator_url", ["host": host]),
                hint: "hint.beyond_identity_manual_invocation")
        }
        guard let url = WebURL(text), url.isRequestable, isAllowed(url.origin) else {
            let named = WebURL(text).map { .verbatim($0.origin.authority) } ?? UserMessage("phrase.no_address")
            throw AuthFailure(
                .security, UserMessage("beyond_identity.host_not_allowed", ["host": host, "address": named]),
                hint: "hint.beyond_identity_add_invoke_host")
        }
        return url
    }

    private func isAllowed(_ origin: Origin) -> Bool {
        hosts.contains { host in
            host == origin.authority || !origin.isAddress && (origin.host == host || origin.host.hasSuffix("." + host))
        }
    }
}

extension RemoteToken {
    /// Reads one member of the management API's list; `nil` if it has no ID. Only the last characters of a token are read.
    init?(secureAccess member: JSONValue) {
        guard let id = member["id"]?.string, !id.isEmpty else { return nil }
        func words(_ value: JSONValue?) -> [String] {
            value?.strings ?? (value?.string ?? "").split(separator: " ").map(String.init)
        }
        self.init(
            id: id, suffix: member["token_suffix"]?.string.map { String($0.suffix(8)) }, kind: member["token_type"]?.string,
            scopes: ScopeSet(words(member["scopes"]).filter(ScopeSet.isScope)),
            issuedAt: member["issued_at"]?.string.flatMap { Timestamp($0) }, expiresAt: member["expires"]?.string.flatMap { Timestamp($0) })
    }
}
