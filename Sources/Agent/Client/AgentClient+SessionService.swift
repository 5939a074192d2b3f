public import AuthModel

extension AgentClient {
    /// Lists the providers. Skips and reports those that cannot be read.
    public func providers() async throws(AuthFailure) -> [ProviderSummary] {
        try await list(.providers, "providers")
    }

    /// Returns a provider's details; `nil` if its kind has none.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        let target = Route.details.path + "?" + FormEncoding.encode([("provider", provider.text)])
        return try await ask(.details, target: target) { (reader) throws(WireError) in
            reader.value("details") == nil ? nil : try reader.nested("details", as: ProviderDetails.self)
        }
    }

    /// Lists the sessions. Skips and reports those that cannot be read.
    public func sessions() async throws(AuthFailure) -> [SessionSummary] {
        try await list(.sessions, "sessions")
    }

    /// Returns a session's details.
    public func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        try await value(.session, target: target(.session, name))
    }

    /// Returns views of a session's tokens. Skips and reports those that cannot be read.
    public func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] {
        try await list(.tokens, target: target(.tokens, name), "tokens")
    }

    /// Lists the tokens that the provider issued for the user. Skips and reports those that cannot be read.
    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        try await list(.remoteTokens, target: target(.remoteTokens, name), "tokens")
    }

    /// Revokes a token at the provider.
    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        try await value(.remoteRevocation, body: .members(("session", .string(name.description)), ("id", .string(id))))
    }

    /// Makes an account the active one of its provider; `nil` removes the choice.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        try await ask(.activation, body: .members(("provider", .string(provider.text)), ("account", JSONValue(account)))) { _ in }
    }

    private func target(_ route: Route, _ name: SessionName) -> String {
        route.path + "?" + FormEncoding.encode([("name", name.description)])
    }

    /// Renews a session now.
    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        try await value(.renew, body: .members(("session", .string(name.description))))
    }

    /// Requests a token. The agent records this process as its user.
    public func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        try await value(.token, body: request.wire)
    }

    /// Replaces a session's access token.
    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        let body = JSONValue.members(
            ("session", .string(session.description)), ("token", .string(token.reveal())), ("in_place_of", .string(old.reveal())),
            ("resource", .string(resource.text)))
        try await ask(.adoption, body: body) { _ in }
    }

    /// Returns a credential that the agent keeps. The agent records this process as its user.
    public func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        let body = JSONValue.members(("purpose", .string(purpose)), ("request", request.wire))
        return try await ask(.derivedCredential, body: body) { (reader) throws(WireError) in
            reader.value("credential") == nil ? nil : try reader.nested("credential", as: DerivedCredential.self)
        }
    }

    /// Keeps a credential in the agent's store.
    public func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) {
        let body = JSONValue.members(("session", .string(session.description)), ("credential", credential.wire))
        try await ask(.derivedCredentialKeeping, body: body) { _ in }
    }

    /// Returns a proof for a token.
    public func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        try await ask(.proof, body: request.wire) { (reader) throws(WireError) in try reader.text("proof") }
    }

    /// Answers a consent request. The agent records this process as the witness.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        try await ask(.answerQuestion, target: Route.answerQuestion.target(attempt: id.text), body: .members(("allow", .bool(allows)))) {
            _ in
        }
    }

    /// Stores a registration's management data in the agent's store.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) {
        try await ask(.registration, body: management.wire) { _ in }
    }

    /// Removes a registration at its issuer. Returns whether it was removed.
    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        let body = JSONValue.members(
            ("client_id", .string(clientID)), ("issuer", .string(issuer.text)), ("ca_file", JSONValue(caFile)))
        return try await ask(.unregistration, body: body) { (reader) throws(WireError) in try reader.flag("removed") }
    }

    /// Returns nil, because the agent sends the pending revocations itself.
    public func deliverRevocations() async -> Timestamp? { nil }

    /// Does nothing, because the agent unlocks the store itself where that needs no user.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}

    /// Does nothing, because the agent finishes the requests of its clients.
    public func retire() async {}

    /// Returns the latest entries of the activity log, from 1 to ``ActivityLog/limit``.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] {
        let target = Route.activity.path + "?limit=\(max(1, min(limit, ActivityLog.limit)))"
        let records: [ActivityRecord] = try await list(.activity, target: target, "activity")
        return records.map(\.activity)
    }

    /// Signs out and returns a receipt of each step.
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        try await value(.signOut, body: .members(("session", .string(name.description)), ("mode", mode.wire)))
    }

    /// Decodes and verifies a token.
    public func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        try await value(.inspect, body: .members(("token", .string(token.reveal())), ("provider", JSONValue(provider?.text))))
    }

    /// Returns the seal's state.
    public func seal() async throws(AuthFailure) -> SealState { try await value(.seal) }

    /// Returns whether a passphrase unlocks the store; true if the agent does not tell.
    public func needsPassphrase() async -> Bool {
        let answer: Result<SealReport, AuthFailure> = await result { () async throws(AuthFailure) in try await value(.seal) }
        return (try? answer.get().needsPassphrase) ?? true
    }

    /// Unlocks the store with a passphrase.
    public func unlock(passphrase: Secret) async throws(AuthFailure) {
        let _: SealState = try await value(.unlock, body: .members(("passphrase", .string(passphrase.reveal()))))
    }

    /// Locks the store.
    public func lock() async throws(AuthFailure) {
        let _: SealState = try await value(.lock)
    }
}
