public import AuthModel
public import OAuth
import SessionStore

/// Registers this program as a client at a provider (RFC 7591), and deletes the registration (RFC 7592).
///
/// The session service stores the management URL and token of a registration.
public struct ClientRegistrar: Sendable {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let service: any SessionService
    private let policy: TransportPolicy

    /// Creates a registrar.
    ///
    /// - Parameters:
    ///   - service: the unlocked session service, which seals the management URL and token of a registration.
    ///   - caFile: a PEM file with root certificates that are trusted in addition to the system's.
    package init(transport: any HTTPTransport, time: any TimeSource, service: any SessionService, caFile: String? = nil) {
        self.transport = transport
        self.time = time
        self.service = service
        policy = TransportPolicy(caFile: caFile)
    }

    /// Registers a client. Its management URL and token, and a secret that the provider imposes, are sealed before this returns.
    ///
    /// Throws `.configuration` if the provider requires an authentication method other than a secret. Such a registration is deleted again.
    public func register(_ registration: ClientRegistration, at metadata: ProviderMetadata) async throws(AuthFailure) -> RegisteredClient {
        var client: RegisteredClient
        var registration = registration
        registration.authenticationMethod = ClientRegistration.authenticationMethod(among: metadata.tokenAuthenticationMethods)
        do {
            let response = try await transport.send(try registration.request(at: metadata), policy: policy)
            client = try RegisteredClient(response, to: registration, from: metadata, now: time.now)
        } catch let error as OAuthError {
            throw error.failure
        } catch let error as AuthFailure {
            throw error
        } catch {
            throw AuthFailure(.bug, "registration.unexpected_error")
        }
        // Send the management token only to the origin where the client was registered.
        if client.management?.url.origin != metadata.registrationEndpoint?.origin { client.management = nil }
        do throws(AuthFailure) {
            try check(client)
            try await store(client)
        } catch {
            // Otherwise an unused client would stay registered at the provider.
            _ = try? await delete(client)
            throw error
        }
        return client
    }

    /// Throws if the client cannot authenticate with the registered method. A secret for a client without authentication is not used, and
    /// is dropped.
    private func check(_ client: RegisteredClient) throws(AuthFailure) {
        guard let method = client.authenticationMethod, method != "none" else { return }
        if ["client_secret_basic", "client_secret_post"].contains(method), client.secret != nil { return }
        let host = client.issuer.map { .verbatim($0.url.origin.authority) } ?? UserMessage("phrase.the_provider")
        throw AuthFailure(
            .configuration, UserMessage("registration.method_without_credentials", ["host": host, "method": method]),
            hint: "hint.register_client_and_set_id")
    }

    /// Deletes a registration at the provider, if it has a management URL and token.
    func delete(_ client: RegisteredClient) async throws(AuthFailure) {
        guard let deletion = client.deletion else { return }
        let response = try await transport.send(deletion, policy: policy)
        do {
            try RegisteredClient.validateDeletion(response, host: deletion.url.origin.authority, now: time.now)
        } catch {
            throw error.failure
        }
    }

    private func store(_ client: RegisteredClient) async throws(AuthFailure) {
        let secret = client.authenticationMethod == "none" ? nil : client.secret
        guard let issuer = client.issuer, client.management != nil || secret != nil else { return }
        try await service.keep(
            ClientManagement(
                issuer: issuer, clientID: client.clientID, url: client.management?.url, token: client.management?.token, secret: secret,
                secretExpiresAt: secret == nil ? nil : client.secretExpiresAt,
                authenticationMethod: secret == nil ? nil : client.authenticationMethod))
    }
}

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
        guard store.storeState != .locked(isNew: true) else { return false }
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
