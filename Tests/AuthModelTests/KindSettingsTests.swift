import AuthModel
import Testing

/// Settings of kinds that this room does not know, within a provider's configuration.
struct KindSettingsTests {
    private struct Harbour: KindSettings {
        var berth: String
        var shown: [(name: String, value: JSONValue)] { [("berth", .string(berth))] }
    }

    private struct Station: KindSettings {
        var berth: String
        var shown: [(name: String, value: JSONValue)] { [("berth", .string(berth))] }
        var hasOpaqueSessions: Bool { true }
    }

    private func provider(_ own: (any KindSettings)?) throws -> ProviderConfiguration {
        ProviderConfiguration(name: try #require(ProviderName("p")), kind: .oauth2, issuer: nil, clientID: "c", own: own)
    }

    @Test func providersAreEqualWhereTheirOwnSettingsAre() throws {
        #expect(try provider(Harbour(berth: "1")) == provider(Harbour(berth: "1")))
        #expect(try provider(Harbour(berth: "1")) != provider(Harbour(berth: "2")))
        #expect(try provider(Harbour(berth: "1")) != provider(Station(berth: "1")))
        #expect(try provider(Harbour(berth: "1")) != provider(nil))
        #expect(try provider(nil) == provider(nil))
    }

    @Test func settingsAreHeldAsTheyWereGiven() throws {
        var provider = try provider(Harbour(berth: "1"))
        #expect(provider.own as? Harbour == Harbour(berth: "1"))
        provider.own = Station(berth: "2")
        #expect(provider.own as? Station == Station(berth: "2"))
        #expect(provider.own?.hasOpaqueSessions == true)
        provider.own = nil
        #expect(provider.own == nil)
    }

    @Test func whatAKindDoesNotSayIsTheUsual() {
        let settings: any KindSettings = Harbour(berth: "1")
        #expect(!settings.hasOpaqueSessions && !settings.asksAboutUntrusted && settings.guestPrompt == nil)
    }
}
