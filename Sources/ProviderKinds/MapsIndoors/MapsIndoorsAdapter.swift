internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// Kind `mapsindoors`. The gateway, asked with the solution's key, says whether and how users sign in to the solution. The sign-in itself
/// is OpenID Connect, with the parameter `acr_values=idp:NAME` if an identity provider was chosen.
///
/// Sessions record their issuer and client, so renewals and sign-outs do not ask the gateway.
struct MapsIndoorsAdapter: ProviderAdapter, SessionIntrospection {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment

    /// The form field, and the member of a session's extras, for the chosen identity provider.
    static let identityProvider = "idp"
    static let client = "client"
    private static let solutionKey = "solution"
    private static let gatewayKey = "gateway"

    var address: String { solution?.gateway.origin.description ?? configuration.issuer?.text ?? configuration.name.text }

    /// Whether a session belongs here: its key and its gateway are those of the solution. In a session without a recorded gateway, only the
    /// key counts.
    func isOwn(_ record: SessionRecord) -> Bool {
        guard let solution else { return adapter(configuration).isOwn(record) }
        let gateway = record.extras[Self.gatewayKey]?.string
        return record.extras[Self.solutionKey]?.string == solution.apiKey && (gateway == nil || gateway == solution.gateway.text)
    }

    /// Accounts are created by the administrator of the solution.
    var offersSignUp: Bool? { configuration.signUpURL != nil }

    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> { solution == nil ? [] : [Self.identityProvider, Self.client] }

    func steps(of request: SignInRequest) -> [SignInStep] { (solution == nil ? [] : [.details]) + SignInStep.standard }

    private var solution: MapsIndoorsConfiguration.Solution? {
        if case .solution(let solution)? = configuration.kindSettings as? MapsIndoorsConfiguration { solution } else { nil }
    }

    // MARK: Details from the gateway

    func details() async throws(AuthFailure) -> ProviderDetails? {
        guard let solution else { return nil }
        return try await fetch(solution).details
    }

    func check() async throws(AuthFailure) -> UserMessage? {
        guard let found = try await details() else { return nil }
        guard found.isSignInRequired else { return UserMessage("mapsindoors.no_sign_in_needed") }
        return found.issuer.map { UserMessage("mapsindoors.sign_in_at", ["host": $0.url.origin.authority]) }
            ?? UserMessage("mapsindoors.sign_in_here")
    }

    private func fetch(_ solution: MapsIndoorsConfiguration.Solution) async throws(AuthFailure) -> MapsIndoorsDetails {
        let base = solution.gateway.text
        guard solution.gateway.query == nil,
            let url = WebURL((base.hasSuffix("/") ? base : base + "/") + FormEncoding.escape(solution.apiKey))
        else {
            throw AuthFailure(
                .configuration, UserMessage("mapsindoors.gateway_url_not_for_key", ["provider": configuration.name]),
                hint: "hint.mapsindoors_remove_query")
        }
        let request = WebRequest(method: .get, url: url, headers: [("Accept", "application/json")], hasSecretPath: true)
        let response = try await environment.transport.send(request, policy: TransportPolicy(caFile: configuration.caFile))
        return try MapsIndoorsDetails(response, from: url.origin, provider: configuration.name)
    }

    // MARK: Sign-in

    func signIn(_ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions) async throws(AuthFailure) -> SignInOutcome {
        guard let solution else { return try await adapter(configuration).signIn(request, attempt: attempt, sessions: sessions) }
        guard request.acrValues == nil else {
            throw AuthFailure(
                .usage, UserMessage("mapsindoors.acr_values_set_idp", ["provider": configuration.name]),
                hint: "hint.mapsindoors_use_idp")
        }
        let found = try await attempt.step(.details) { () async throws(AuthFailure) in try await fetch(solution) }
        guard found.details.isSignInRequired else {
            return .noSession(NoSession(.notNeeded, UserMessage("mapsindoors.key_gives_access", ["provider": configuration.name])))
        }
        if request.purpose == .signUp {
            // Report that no account can be created before asking the user anything.
            let plain = openID(issuer: found.details.issuer, client: "", identityProvider: nil)
            _ = try AuthorizationPrompt(request: request, configuration: plain, metadata: try await adapter(plain).documents.metadata())
        }
        let choice = try await choose(among: found.details, solution: solution, request: request, attempt: attempt, sessions: sessions)
        var asked = request
        if request.scopes.isEmpty { asked.scopes = ScopeSet(found.details.scopes.values + solution.extraScopes.values) }
        let provider = adapter(openID(issuer: found.details.issuer, client: choice.client, identityProvider: choice.identityProvider))
        var result = try await provider.signedIn(asked, attempt: attempt)
        result.extras = recordingSolution(result.extras, solution, identityProvider: choice.identityProvider)
        return .session(result)
    }

    /// Returns the client and the identity provider of a sign-in. The user is asked if there is more than one of either.
    private func choose(
        among details: ProviderDetails, solution: MapsIndoorsConfiguration.Solution, request: SignInRequest, attempt: AttemptChannel,
        sessions: BaseSessions
    ) async throws(AuthFailure) -> MapsIndoorsChoice {
        guard !details.clients.isEmpty else {
            throw AuthFailure(
                .configuration, UserMessage("mapsindoors.no_client", ["provider": configuration.name]),
                hint: "hint.mapsindoors_ask_for_client")
        }
        var request = request
        if request.answers[Self.identityProvider] == nil, let name = solution.identityProvider {
            request.answers[Self.identityProvider] = Secret(name)
        }
        let last = await sessions.latest(of: configuration.name)?.extras[Self.identityProvider]?.string
        let clients = try MapsIndoorsChoice.clients(of: details, for: request)
        var client = clients[0]
        if clients.count > 1 {
            let answers = try await attempt.ask(MapsIndoorsChoice.clientForm(clients), given: request)
            client = clients.first { Secret($0.id) == answers[Self.client] } ?? client
        }
        let names = client.identityProviders
        if request.answers[Self.identityProvider] == nil, names.count < 2 {
            return MapsIndoorsChoice(client: client.id, identityProvider: names.first)
        }
        let form = MapsIndoorsChoice.identityProviderForm(names, last: last)
        let answer = try await attempt.ask(form, given: request)[Self.identityProvider]?.reveal() ?? ""
        return MapsIndoorsChoice(client: client.id, identityProvider: MapsIndoorsChoice.identityProvider(answer))
    }

    // MARK: Renewal and sign-out

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        guard let solution else { return try await adapter(configuration).renew(record, sessions: sessions) }
        let identityProvider = record.extras[Self.identityProvider]?.string
        var renewal = try await adapter(of: record).renew(record, sessions: sessions)
        renewal.extras = recordingSolution(renewal.extras, solution, identityProvider: identityProvider)
        return renewal
    }

    func revocations(for record: SessionRecord) async -> [RevocationStep] { await adapter(of: record).revocations(for: record) }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        try await adapter(openID(issuer: nil, client: revocation.clientID, identityProvider: nil)).revoke(revocation)
    }

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? {
        try await adapter(of: record).endSessionURL(for: record)
    }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        try await adapter(of: record).endSessionURL(for: record, returnTo: returnTo, state: state)
    }

    var sessionIntrospection: (any SessionIntrospection)? { self }

    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        try await adapter(of: record).introspect(token, kind: kind, of: record)
    }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        guard solution != nil else { return try await adapter(configuration).verify(token, kind: kind) }
        // If the gateway does not answer, nothing is known about the token.
        guard let details = try? await details(), let issuer = details.issuer else { return nil }
        return try await adapter(openID(issuer: issuer, client: "", identityProvider: nil)).verify(token, kind: kind)
    }

    // MARK: The underlying OpenID provider

    private func openID(issuer: Issuer?, client: String, identityProvider: String?) -> ProviderConfiguration {
        var plain = configuration
        plain.issuer = issuer
        plain.clientID = client
        if let identityProvider { plain.extraParameters["acr_values"] = "idp:\(identityProvider)" }
        return plain
    }

    private func adapter(_ configuration: ProviderConfiguration) -> OpenIDAdapter {
        var plain = configuration
        plain.kind = .oidc
        // The vendor's own client requires all metadata of OpenID Connect Discovery from a solution's server. A Booking tenant may have any
        // server.
        return OpenIDAdapter(
            configuration: plain, environment: environment, requirement: solution == nil ? nil : .openIDComplete)
    }

    private func adapter(of record: SessionRecord) -> OpenIDAdapter {
        guard solution != nil else { return adapter(configuration) }
        return adapter(openID(issuer: Issuer(record.identity.issuer), client: record.clientID, identityProvider: nil))
    }

    private func recordingSolution(_ extras: JSONValue, _ solution: MapsIndoorsConfiguration.Solution, identityProvider: String?)
        -> JSONValue
    {
        var members = extras.members ?? []
        members.removeAll { [Self.solutionKey, Self.gatewayKey, Self.identityProvider].contains($0.name) }
        members.append(.init(Self.solutionKey, .string(solution.apiKey)))
        members.append(.init(Self.gatewayKey, .string(solution.gateway.text)))
        if let identityProvider { members.append(.init(Self.identityProvider, .string(identityProvider))) }
        return .object(members)
    }
}
