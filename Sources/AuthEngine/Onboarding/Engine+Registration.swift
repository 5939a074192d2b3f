public import AuthModel
internal import OAuth
internal import SessionStore

/// Registrations of clients, kept in the store under the issuer and the client they belong to.
extension Engine {
    public func keep(_ management: ClientManagement) async throws(AuthFailure) {
        try await requireOpenStore()
        do {
            try await store.setSealedValue(management.sealedText, for: Self.key(management.issuer, management.clientID))
        } catch {
            throw error.failure
        }
    }

    /// Asks a provider whether it knows the client, public or confidential; kinds without an authorization server are not asked. Wants an
    /// unlocked store, which has the secrets of clients that were registered by this program.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) where the server does not know it, and why it could not be asked.
    public func checkClient(of provider: ProviderName) async throws(AuthFailure) {
        try await (adapter(for: provider) as? any ClientChecking)?.checkClient()
    }

    /// What is kept of a client that this program registered; `nil` where there is nothing.
    static func registration(_ clientID: String, at issuer: Issuer, in store: SessionStore) async throws(AuthFailure) -> ClientManagement? {
        let kept: Secret?
        do { kept = try await store.sealedValue(for: key(issuer, clientID)) } catch { throw error.failure }
        guard let kept else { return nil }
        guard let management = ClientManagement(sealed: kept, issuer: issuer, clientID: clientID) else {
            throw AuthFailure(.configuration, "what is kept of the registration at \(issuer.url.origin.authority) cannot be read")
        }
        return management
    }

    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        guard store.sealState != .locked(isNew: true) else { return false }
        guard let kept = try await Self.registration(clientID, at: issuer, in: store) else { return false }
        var management: RegisteredClient.Management?
        if let url = kept.url, let token = kept.token { management = .init(url: url, token: token) }
        let client = RegisteredClient(issuer: issuer, clientID: clientID, management: management)
        try await ClientRegistrar(transport: environment.transport, time: environment.time, service: self, caFile: caFile).delete(client)
        do { try await store.setSealedValue(nil, for: Self.key(issuer, clientID)) } catch { throw error.failure }
        return management != nil
    }

    private static func key(_ issuer: Issuer, _ clientID: String) -> String { "registration \(issuer.text) \(clientID)" }
}

extension ClientManagement {
    /// As it is kept, under the issuer and the client it belongs to.
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
        guard url?.isProtected != false else { return nil }
        self.init(
            issuer: issuer, clientID: clientID, url: url, token: value["token"]?.string.map { Secret($0) },
            secret: value["secret"]?.string.map { Secret($0) },
            secretExpiresAt: value["secret_expires_at"]?.string.flatMap { Timestamp($0) },
            authenticationMethod: value["auth_method"]?.string)
    }
}
