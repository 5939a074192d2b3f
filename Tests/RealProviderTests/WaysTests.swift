import ProcessHarness
import Testing

/// Sign-in and sign-out methods that only some of these providers support.
extension ProviderTests.Glewlwyd {
    @Test func deviceCodeSignsIn() async throws {
        try await Journey.glewlwyd().deviceCodeSignsIn()
    }

    @Test func pushedRequestKeepsParametersOutOfTheURL() async throws {
        try await Journey.glewlwyd().pushedRequestKeepsParametersOutOfTheURL()
    }

    @Test func boundTokenIsRefusedWithoutItsKey() async throws {
        try await Journey(.glewlwyd, revocation: .refusesPublicClients).boundTokenIsRefusedWithoutItsKey()
    }
}

extension ProviderTests.Canaille {
    @Test func registeredClientSignsIn() async throws {
        try await Journey.canaille().registeredClientSignsIn()
    }
}

extension ProviderTests.Django {
    /// Neither of its documents names the endpoint, and its token response has no ID token.
    @Test func deviceCodeSignsIn() async throws {
        try await Journey.django().deviceCodeSignsIn { provider in
            "device_authorization_endpoint = \"\(provider.issuer)/device-authorization/\""
        }
    }

    @Test func signOutEndsTheBrowserSession() async throws {
        try await Journey.django().signOutEndsTheBrowserSession()
    }

    /// Afterwards, the provider redirects the browser to the program.
    @Test func signOutReturnsToTheRegisteredRedirect() async throws {
        try await Journey.django().signOutReturnsToTheRegisteredRedirect()
    }

    /// Only its RFC 8414 document names the endpoint.
    @Test func registeredClientSignsIn() async throws {
        try await Journey.django().registeredClientSignsIn()
    }
}
