import ProcessHarness
import Testing

/// The providers, each with what it does differently. One at a time: each wants a browser, and the registered ports.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "Chromium and its driver are not installed: see Tests/RealProviders/install"))
struct ProviderTests {
    @Suite(.enabled(if: RealProvider.glewlwyd.isInstalled, "Glewlwyd is not installed: see Tests/RealProviders/install"))
    struct Glewlwyd {
        @Test func byCommands() async throws {
            try await Journey.glewlwyd().byCommands()
        }

        @Test func byTheApp() async throws {
            try await Journey.glewlwyd().byTheApp()
        }
    }

    @Suite(.enabled(if: RealProvider.canaille.isInstalled, "Canaille is not installed: see Tests/RealProviders/install"))
    struct Canaille {
        @Test func byCommands() async throws {
            try await Journey.canaille().byCommands()
        }

        @Test func refusingConsent() async throws {
            try await Journey.canaille().refusingConsent(endsWith: 5)
        }

        @Test func signingUp() async throws {
            try await Journey.canaille().signingUp()
        }
    }

    @Suite(.enabled(if: RealProvider.django.isInstalled, "The Django provider is not installed: see Tests/RealProviders/install"))
    struct Django {
        @Test func byCommands() async throws {
            try await Journey.django().byCommands()
        }

        @Test func byTheApp() async throws {
            try await Journey.django().byTheApp()
        }

        /// It promises `iss` in every answer (RFC 9207) and leaves it out of this one.
        @Test func refusingConsent() async throws {
            try await Journey.django().refusingConsent(endsWith: 8)
        }

        @Test func signingUp() async throws {
            try await Journey.django().signingUp()
        }
    }
}

extension Journey {
    static func glewlwyd() throws -> Journey { try Journey(.glewlwyd, revocation: .refusesPublicClients) }
    static func canaille() throws -> Journey { try Journey(.canaille, revocation: .refusesPublicClients) }
    static func django() throws -> Journey { try Journey(.django, revocation: .works) }
}
