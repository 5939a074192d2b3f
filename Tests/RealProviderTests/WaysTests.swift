import ProcessHarness
import Testing

/// The ways in and out that only some of these providers offer.
extension ProviderTests.Glewlwyd {
    @Test func byDevice() async throws {
        try await Journey.glewlwyd().byDevice()
    }

    @Test func byPushedRequest() async throws {
        try await Journey.glewlwyd().byPushedRequest()
    }

    @Test func withProofs() async throws {
        try await Journey(.glewlwyd, revocation: .refusesPublicClients).withProofs()
    }
}

extension ProviderTests.Canaille {
    @Test func byRegistration() async throws {
        try await Journey.canaille().byRegistration()
    }
}

extension ProviderTests.Django {
    /// Neither of its documents names the endpoint, and its answer has no ID token.
    @Test func byDevice() async throws {
        try await Journey.django().byDevice { provider in
            "device_authorization_endpoint = \"\(provider.issuer)/device-authorization/\""
        }
    }

    @Test func endingTheBrowserSession() async throws {
        try await Journey.django().endingTheBrowserSession()
    }

    /// After which the browser comes back to the program.
    @Test func comingBackFromTheEndOfTheSession() async throws {
        try await Journey.django().comingBackFromTheEndOfTheSession()
    }

    /// Only its RFC 8414 document names the endpoint.
    @Test func byRegistration() async throws {
        try await Journey.django().byRegistration()
    }
}
