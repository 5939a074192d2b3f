internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import UserConfiguration

extension ProviderPlan {
    /// Registers the client.
    ///
    /// Reserves the port during the registration, so that the registered address can be used. If the provider refuses the scopes that a
    /// resource may ask for later, registers with the scopes of the sign-in alone.
    mutating func register(with registrar: ClientRegistrar) async throws(AuthFailure) -> RegisteredClient {
        registersClient = true
        var held: ReservedPort?
        if choosesRedirect {
            let port = try ReservedPort.reserve(port)
            self.port = port.number
            held = port
        }
        defer { withExtendedLifetime(held) {} }
        let client: RegisteredClient
        do throws(AuthFailure) {
            client = try await registered(by: registrar)
        } catch  where !laterScopes.isEmpty && error.isRefusal {
            laterScopes = []
            client = try await registered(by: registrar)
        }
        requiresProof = requiresProof || client.requiresProof
        return client
    }

    private func registered(by registrar: ClientRegistrar) async throws(AuthFailure) -> RegisteredClient {
        let (registration, metadata) = try registration()
        return try await registrar.register(registration, at: metadata)
    }
}

extension AuthFailure {
    /// Whether a server refused the request with an error of its own.
    fileprivate var isRefusal: Bool { if case .denied = kind { true } else { false } }
}
