internal import AuthModel
internal import OAuth
internal import SessionStore

/// Client registrations, stored by issuer and client ID.
struct ClientRegistrations: Sendable {
    let context: EngineContext
    let seal: StoreSeal

    /// Seals the management data and the secret of a registered client in the store.
    func keep(_ management: ClientManagement) async throws(AuthFailure) {
        try await seal.requireOpen()
        do {
            try await context.store.setSealedValue(management.sealedText, for: Self.key(management.issuer, management.clientID))
        } catch {
            throw error.failure
        }
    }

    /// Returns the stored registration of a client that this program registered; `nil` if there is none.
    static func registration(_ clientID: String, at issuer: Issuer, in store: SessionStore) async throws(AuthFailure) -> ClientManagement? {
        let kept: Secret?
        do { kept = try await store.sealedValue(for: key(issuer, clientID)) } catch { throw error.failure }
        guard let kept else { return nil }
        guard let management = ClientManagement(sealed: kept, issuer: issuer, clientID: clientID) else {
            throw AuthFailure(.configuration, UserMessage("registration.stored_unreadable", ["host": issuer.url.origin.authority]))
        }
        return management
    }

    /// Deletes a client that this program registered, at the provider and in the store. Returns whether the provider was asked to delete
    /// it.
    func unregister(
        _ clientID: String, at issuer: Issuer, caFile: String?, for service: any SessionService
    ) async throws(AuthFailure) -> Bool {
        let store = context.store
        guard store.sealState != .locked(isNew: true) else { return false }
        guard let kept = try await Self.registration(clientID, at: issuer, in: store) else { return false }
        var management: RegisteredClient.Management?
        if let url = kept.url, let token = kept.token { management = .init(url: url, token: token) }
        let client = RegisteredClient(issuer: issuer, clientID: clientID, management: management)
        try await ClientRegistrar(transport: context.environment.transport, time: context.time, service: service, caFile: caFile)
            .delete(client)
        do { try await store.setSealedValue(nil, for: Self.key(issuer, clientID)) } catch { throw error.failure }
        return management != nil
    }

    private static func key(_ issuer: Issuer, _ clientID: String) -> String { "registration \(issuer.text) \(clientID)" }
}

extension ClientManagement {
    /// The JSON text that is sealed under the issuer and the client ID.
    fileprivate var sealedText: Secret {
        var members: [JSONValue.Member] = []
        if let url, let token { members += [.init("url", .string(url.text)), .init("token", .string(token.reveal()))] }
        if let secret { members.append(.init("secret", .string(secret.reveal()))) }
        if let secretExpiresAt { members.append(.init("secret_expires_at", .string(secretExpiresAt.description))) }
        if let authenticationMethod { members.append(.init("auth_method", .string(authenticationMethod))) }
        return Secret(JSONValue.object(members).text)
    }

    fileprivate init?(sealed: Secret, issuer: Issuer, clientID: String) {
        guard let value = try? JSONValue(strict: sealed.reveal()), value.members != nil else { return nil }
        let url = value["url"]?.string.flatMap(WebURL.init)
        guard url?.isRequestable != false else { return nil }
        self.init(
            issuer: issuer, clientID: clientID, url: url, token: value["token"]?.string.map { Secret($0) },
            secret: value["secret"]?.string.map { Secret($0) },
            secretExpiresAt: value["secret_expires_at"]?.string.flatMap { Timestamp($0) },
            authenticationMethod: value["auth_method"]?.string)
    }
}
