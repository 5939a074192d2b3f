public import AuthModel
public import OAuth

/// Registers this program at a provider as a client of its own (RFC 7591), and takes that back (RFC 7592).
///
/// What a registration is managed with is the session service's.
public struct ClientRegistrar: Sendable {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let service: any SessionService
    private let policy: TransportPolicy

    /// - Parameters:
    ///   - session service: seals what a registration is managed with; unlocked.
    ///   - caFile: a PEM file with roots that count beside the system's.
    public init(transport: any HTTPTransport, time: any TimeSource, service: any SessionService, caFile: String? = nil) {
        self.transport = transport
        self.time = time
        self.service = service
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        self.policy = policy
    }

    /// Registers a client. What it is managed with, and a secret that the provider imposes, are sealed before this returns.
    ///
    /// Throws `.configuration` where the provider wants another way to authenticate than a secret. Such a registration is taken back.
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
            throw AuthFailure(.bug, "the registration failed in an unforeseen way")
        }
        // The token for it goes where the client was registered, and nowhere else.
        if client.management?.url.origin != metadata.registrationEndpoint?.origin { client.management = nil }
        do throws(AuthFailure) {
            try check(client)
            try await keep(client)
        } catch {
            // A client nobody knows of would stay at the provider for ever.
            _ = try? await delete(client)
            throw error
        }
        return client
    }

    /// A secret is used as the provider registered it. One that came for a client without authentication is of no use, and is dropped.
    private func check(_ client: RegisteredClient) throws(AuthFailure) {
        guard let method = client.authenticationMethod, method != "none" else { return }
        if ["client_secret_basic", "client_secret_post"].contains(method), client.secret != nil { return }
        let host = client.issuer?.url.origin.authority ?? "the provider"
        throw AuthFailure(
            .configuration, "\(host) registers clients for \(method) only, and gave nothing to authenticate with",
            hint: "register a client by hand there, and give --client-id and --client-secret-file")
    }

    /// Takes a registration back, where there is something to do it with.
    func delete(_ client: RegisteredClient) async throws(AuthFailure) {
        guard let deletion = client.deletion else { return }
        let response = try await transport.send(deletion, policy: policy)
        do {
            try RegisteredClient.validateDeletion(response, host: deletion.url.origin.authority, now: time.now)
        } catch {
            throw error.failure
        }
    }

    private func keep(_ client: RegisteredClient) async throws(AuthFailure) {
        let secret = client.authenticationMethod == "none" ? nil : client.secret
        guard let issuer = client.issuer, client.management != nil || secret != nil else { return }
        try await service.keep(
            ClientManagement(
                issuer: issuer, clientID: client.clientID, url: client.management?.url, token: client.management?.token, secret: secret,
                secretExpiresAt: secret == nil ? nil : client.secretExpiresAt,
                authenticationMethod: secret == nil ? nil : client.authenticationMethod))
    }
}
