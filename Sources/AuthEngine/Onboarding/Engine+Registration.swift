public import AuthModel
internal import OAuth
internal import SessionStore

/// Registrations of clients, kept in the store under the issuer and the client they belong to.
extension Engine {
    public func keep(_ management: ClientManagement) async throws(AuthFailure) {
        try await requireOpenStore()
        let value: JSONValue = ["url": .string(management.url.text), "token": .string(management.token.reveal())]
        do {
            try await store.setSealedValue(Secret(value.text), for: Self.key(management.issuer, management.clientID))
        } catch {
            throw error.failure
        }
    }

    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        guard store.sealState != .locked(isNew: true) else { return false }
        let key = Self.key(issuer, clientID)
        let kept: Secret?
        do { kept = try await store.sealedValue(for: key) } catch { throw error.failure }
        guard let kept else { return false }
        guard let value = try? JSONValue(strict: kept.reveal()), let url = value["url"]?.string.flatMap(WebURL.init), url.isProtected,
            let token = value["token"]?.string
        else { throw AuthFailure(.configuration, "what is kept of the registration at \(issuer.url.origin.authority) cannot be read") }
        let client = RegisteredClient(issuer: issuer, clientID: clientID, management: .init(url: url, token: Secret(token)))
        try await ClientRegistrar(transport: environment.transport, time: environment.time, keeper: self, caFile: caFile).delete(client)
        do { try await store.setSealedValue(nil, for: key) } catch { throw error.failure }
        return true
    }

    private static func key(_ issuer: Issuer, _ clientID: String) -> String { "registration \(issuer.text) \(clientID)" }
}
