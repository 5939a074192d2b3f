import AuthModel
import Testing

/// Settings of provider kinds that AuthModel does not know, inside a provider's configuration.
struct KindSettingsTests {
    private struct PlainSettings: KindSettings {
        var berth: String
        var shown: [(name: String, value: JSONValue)] { [("berth", .string(berth))] }
    }

    private struct OpaqueSettings: KindSettings {
        var berth: String
        var shown: [(name: String, value: JSONValue)] { [("berth", .string(berth))] }
        var hasOpaqueSessions: Bool { true }
    }

    private func provider(_ own: (any KindSettings)?) throws -> ProviderConfiguration {
        var provider = ProviderConfiguration(name: try #require(ProviderName("p")), kind: .oauth2, issuer: nil, clientID: "c")
        provider.kindSettings = own
        return provider
    }

    @Test func providersWithDifferentKindSettingsAreNotEqual() throws {
        #expect(try provider(PlainSettings(berth: "1")) == provider(PlainSettings(berth: "1")))
        #expect(try provider(PlainSettings(berth: "1")) != provider(PlainSettings(berth: "2")))
        #expect(try provider(PlainSettings(berth: "1")) != provider(OpaqueSettings(berth: "1")))
        #expect(try provider(PlainSettings(berth: "1")) != provider(nil))
        #expect(try provider(nil) == provider(nil))
    }

    @Test func keepsTheSettingsOfTheKind() throws {
        var provider = try provider(PlainSettings(berth: "1"))
        #expect(provider.kindSettings as? PlainSettings == PlainSettings(berth: "1"))
        provider.kindSettings = OpaqueSettings(berth: "2")
        #expect(provider.kindSettings as? OpaqueSettings == OpaqueSettings(berth: "2"))
        #expect(provider.kindSettings?.hasOpaqueSessions == true)
        provider.kindSettings = nil
        #expect(provider.kindSettings == nil)
    }

    @Test func settingsOfAKindHaveDefaults() {
        let settings: any KindSettings = PlainSettings(berth: "1")
        #expect(!settings.hasOpaqueSessions && !settings.confirmsUntrustedCertificates && settings.guestPrompt == nil)
    }
}
