internal import AuthModel
internal import OAuth

/// Kind `arcgis`: an ArcGIS portal, and the servers that belong to it.
///
/// Signing in is OAuth's code flow; what differs is what the endpoints answer (errors inside status 200), how a session is renewed (a
/// refresh token that is exchanged before its end), and that every federated server has a token of its own.
struct ArcGISAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let settings: ArcGISConfiguration
    /// The certificate that the person lets stand for a server.
    var allowed: ServerCertificate?
    /// The servers that the portal made tokens for.
    var federated: [WebURL] = []

    init(configuration: ProviderConfiguration, settings: ArcGISConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.settings = settings
        self.environment = environment
    }

    var address: String { settings.portal.text }

    /// The portal, or the server that stands alone and made the session.
    func address(of session: SessionSummary) -> String { session.issuer ?? address }

    var offersSignUp: Bool? { false }

    var host: String { settings.portal.origin.authority }

    /// A session of the portal, or of a server that stands alone beside it. One without a note of its portal is the portal's own where it
    /// has what only a portal gives.
    func isOwn(_ record: SessionRecord) -> Bool {
        let extras = ArcGISExtras(record.extras)
        if let portal = extras.portal { return WebURL(portal).map { ArcGISAddress.isSame($0, settings.portal) } ?? false }
        return isOfPortal(record) || extras.redirectURI == nil && record.tokens?.refreshToken == nil
    }

    /// Whether a session is of the portal itself, and not of a server that stands alone.
    func isOfPortal(_ record: SessionRecord) -> Bool {
        WebURL(record.identity.issuer).map { ArcGISAddress.isSame($0, settings.portal) } ?? false
    }

    func steps(of request: SignInRequest) -> [SignInStep] {
        guard request.purpose == .signIn else { return [] }
        // What follows at a server depends on whose it is.
        if server(named: request) != nil { return [.discover, .seal] }
        return (settings.portal.origin.scheme == .https ? [.discover] : []) + (hasClient ? [.open] : []) + [
            .wait, .exchange, .verify, .seal,
        ]
    }

    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> {
        guard purpose == .signIn else { return [] }
        // A server that stands alone asks for a password, whatever the portal does.
        return hasClient ? ["idp", "username", "password"] : ["username", "password"]
    }

    /// Whether people sign in with a browser; without a client they type user name and password.
    var hasClient: Bool { !configuration.clientID.isEmpty }

    // MARK: The network

    /// What a request to `url` may cost, and who it is shown to come from: the client's certificate is for the portal, for `api_hosts`, and
    /// for servers that the portal made a token for.
    func policy(for url: WebURL) -> TransportPolicy {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        policy.allowedCertificate = allowed
        let isKnown =
            url.origin == settings.portal.origin || federated.contains { $0.origin == url.origin }
            || CredentialGate(configuration).isNamed(url.origin)
        if isKnown, let certificate = configuration.clientCertificateFile {
            policy.clientCertificate = .init(certificateFile: certificate, keyFile: configuration.clientKeyFile)
        }
        return policy
    }

    func send(_ request: WebRequest, login: WebServerLogin? = nil) async throws(AuthFailure) -> WebResponse {
        var policy = policy(for: request.url)
        if login?.origin == request.url.origin { policy.webServerLogin = login }
        return try await environment.transport.send(request, policy: policy)
    }

    /// Posts a form that asks for JSON, and reads what comes back.
    ///
    /// - Parameter what: what is being done, for the person: "redeeming the code".
    func post(
        _ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = [], when what: String
    ) async throws(AuthFailure) -> Result<JSONValue, ArcGISAnswer.Fault> {
        let response = try await send(.form(url, fields + [("f", "json")], headers: headers))
        return try ArcGISAnswer.read(response, from: url.origin.authority, asked: what)
    }

    func rest(_ path: String) throws(AuthFailure) -> WebURL {
        guard let url = ArcGISAddress.rest(of: settings.portal, path) else {
            throw AuthFailure(.configuration, "portal_url of \(configuration.name) is too long")
        }
        return url
    }

    // MARK: What a portal does not have

    var hasBrowserSession: Bool { false }

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? { nil }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? { nil }
}
