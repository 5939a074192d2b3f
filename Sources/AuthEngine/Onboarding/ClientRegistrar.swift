public import AuthModel
public import OAuth

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
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        self.policy = policy
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
            try await keep(client)
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
