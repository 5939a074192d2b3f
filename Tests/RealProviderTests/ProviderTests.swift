import ProcessHarness
import TestSupport
import Testing

/// Real providers, which differ in what they support. The tests run one at a time: each needs a browser and the registered ports.
@Suite(
    .startsPrograms, .serialized,
    .enabled(if: Browser.isInstalled, "Chromium and its driver are not installed: see Tests/RealProviders/install"))
struct ProviderTests {
    @Suite(.startsPrograms, .enabled(if: RealProvider.glewlwyd.isInstalled, "Glewlwyd is not installed: see Tests/RealProviders/install"))
    struct Glewlwyd {
        @Test func commandsCoverTheLifeOfASession() async throws {
            try await Journey.glewlwyd().commandsCoverTheLifeOfASession()
        }

        @Test func appCoversTheLifeOfASession() async throws {
            try await Journey.glewlwyd().appCoversTheLifeOfASession()
        }
    }

    @Suite(.startsPrograms, .enabled(if: RealProvider.canaille.isInstalled, "Canaille is not installed: see Tests/RealProviders/install"))
    struct Canaille {
        @Test func commandsCoverTheLifeOfASession() async throws {
            try await Journey.canaille().commandsCoverTheLifeOfASession()
        }

        @Test func deniedConsentFailsTheSignIn() async throws {
            try await Journey.canaille().deniedConsentFailsTheSignIn(endsWith: 5)
        }

        @Test func signUpCreatesAnAccount() async throws {
            try await Journey.canaille().signUpCreatesAnAccount()
        }
    }

    @Suite(
        .startsPrograms,
        .enabled(if: RealProvider.django.isInstalled, "The Django provider is not installed: see Tests/RealProviders/install"))
    struct Django {
        @Test func commandsCoverTheLifeOfASession() async throws {
            try await Journey.django().commandsCoverTheLifeOfASession()
        }

        @Test func appCoversTheLifeOfASession() async throws {
            try await Journey.django().appCoversTheLifeOfASession()
        }

        /// It announces `iss` for every response (RFC 9207) and leaves it out of this one.
        @Test func deniedConsentFailsTheSignIn() async throws {
            try await Journey.django().deniedConsentFailsTheSignIn(endsWith: 8)
        }

        @Test func signUpCreatesAnAccount() async throws {
            try await Journey.django().signUpCreatesAnAccount()
        }
    }
}

extension Journey {
    static func glewlwyd() throws -> Journey { try Journey(.glewlwyd, revocation: .refusesPublicClients) }
    static func canaille() throws -> Journey { try Journey(.canaille, revocation: .refusesPublicClients) }
    static func django() throws -> Journey { try Journey(.django, revocation: .works) }
}
