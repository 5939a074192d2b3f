import AuthModel
import Localization
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Providers that are known by name: the configuration of each, and its hints.
struct PresetTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    private static let library = PresetLibrary(folders: [], rules: .standard)
    private static let ways = library.presets.flatMap { $0.modes.isEmpty ? [$0] : $0.modes }

    @Test func shippedPresetsAreValid() {
        #expect(Self.library.problems == [])
        #expect(Self.library.presets.count > 40)
    }

    @Test(arguments: ways) func everyPresetIsWrittenAndRead(preset: ProviderPreset) async throws {
        var arguments = ["providers", "add", preset.name, "--no-check"]
        if let mode = preset.mode { arguments += ["--mode", mode] }
        if let place = preset.place { arguments += ["--at", place.example] }
        for setting in preset.settings { arguments += ["--set", "\(setting.keys[0])=\(setting.example)"] }
        if preset.needs.pasteRedirect { arguments += ["--paste-redirect", "https://www.example.org/callback"] }
        if preset.asksForClient || preset.needs.registersClient { arguments += ["--client-id", "mine"] }
        if preset.needs.secret == .required { arguments += ["--client-secret-file", "/secret"] }
        let result = await world.run(arguments, exits: 0)
        let provider = try await world.run("providers", "show", preset.name, "--json").json["provider"]
        #expect(provider?["kind"] == .string(preset.kind.rawValue))
        #expect(preset.hints.allSatisfy { result.errors.contains("\($0)\n") })
    }

    @Test func presetsWriteTheirPeculiarities() async throws {
        #expect(await world.run("providers", "add", "google", "--client-id", "g", "--no-check").status == 0)
        #expect(await world.run("providers", "add", "github", "--client-id", "h").status == 0)
        #expect(await world.run("providers", "add", "auth0", "--at", "me.eu.auth0.com", "--client-id", "a", "--no-check").status == 0)
        let text = try world.text(world.configurationPath)
        #expect(
            text.contains("extra_params = { \"access_type\" = \"offline\"") || text.contains("extra_params = { access_type = \"offline\""))
        #expect(!text.contains("offline_access\"]\nredirect = [\"http://127.0.0.1/callback\"]\napi_hosts = [\"www.googleapis.com\""))
        #expect(text.contains("authorization_endpoint = \"https://github.com/login/oauth/authorize\""))
        #expect(text.contains("issuer = \"https://me.eu.auth0.com/\""))
        let missing = await world.run("providers", "add", "keycloak", "--client-id", "k", exits: 64)
        #expect(missing.errors.contains("yett providers add keycloak --at "))
    }

    @Test func issuerOfAWellKnownProviderIsRecognised() async throws {
        await world.run(
            "providers", "add", "https://dev-7.okta.com", "--client-id", "o", "--no-check", "--name", "mine", exits: 0)
        #expect(try world.text(world.configurationPath).contains("redirect = [\"http://127.0.0.1:8400/callback\""))
    }

    @Test func appleNeedsAPasteRedirect() async throws {
        for provider in ["apple", "https://appleid.apple.com"] {
            let refused = await world.run("providers", "add", provider, "--client-id", "org.example.signin", "--no-check", exits: 64)
            #expect(refused.errors.contains("--paste-redirect https://"))
        }
        await world.run(
            "providers", "add", "apple", "--client-id", "org.example.signin", "--paste-redirect", "https://www.example.org/callback",
            "--no-check", exits: 0)
        let provider = try await world.run("providers", "show", "apple", "--json").json["provider"]
        #expect(provider?["issuer"] == "https://appleid.apple.com")
        // With any other scope the answer is posted, and there is no URL to paste.
        #expect(provider?["scopes"] == ["openid"])
        #expect(provider?["redirect"] == [] && provider?["paste_redirect"] == "https://www.example.org/callback")
        let add = ["providers", "add", "apple", "--name", "other", "--client-id", "x", "--no-check", "--paste-redirect"]
        #expect(await world.run(add + ["http://127.0.0.1/callback"]).status == 64)
        #expect(await world.run(add + ["https://www.example.org/a", "--redirect", "http://127.0.0.1/callback"]).status == 64)
    }

    @Test(
        arguments: [
            (["arcgis"], "https://www.arcgis.com"), (["arcgis", "--at", "gis.example.org/portal/"], "https://gis.example.org/portal"),
            (["https://org.maps.arcgis.com"], "https://org.maps.arcgis.com"),
        ])
    func arcGISPresetTakesAPortal(words: [String], portal: String) async throws {
        await world.run(["providers", "add"] + words + ["--name", "ag", "--client-id", "c", "--no-check"], exits: 0)
        let provider = try await world.run("providers", "show", "ag", "--json").json["provider"]
        #expect(provider?["kind"] == "arcgis" && provider?["portal_url"] == .string(portal))
        #expect(provider?["redirect"] == ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"])
        #expect(
            await world.run("providers", "add", "arcgis", "--at", "http://gis.example.org", "--client-id", "c", "--no-check").status == 64)
    }

    @Test func openWebPresetTakesASite() async throws {
        #expect(await world.run("providers", "add", "openweb", "--mode", "jwt").status == 64)
        await world.run("providers", "add", "openweb", "--mode", "jwt", "--at", "sp_example", "--no-check", exits: 0)
        let provider = try await world.run("providers", "show", "openweb", "--json").json["provider"]
        #expect(provider?["kind"] == "openweb" && provider?["spot_id"] == "sp_example")
        #expect(
            await world.run("providers", "add", "openweb", "--mode", "jwt", "--at", "sp/x", "--name", "other", "--no-check").status == 2)
    }

    @Test func mapsIndoorsPresetTakesAGatewayAndAKey() async throws {
        await world.run(
            "providers", "add", "mapsindoors", "--at", "https://gateway.example.org/auth/mapskey0001/", "--no-check", exits: 0)
        let provider = try await world.run("providers", "show", "mapsindoors", "--json").json["provider"]
        #expect(provider?["kind"] == "mapsindoors")
        #expect(provider?["gateway_url"] == "https://gateway.example.org/auth")
        #expect(provider?["api_key"] == "mapskey0001")
        #expect(provider?["redirect"] == ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"])
        #expect(!(try world.text(world.configurationPath).contains("client_id")))
        let add = ["providers", "add", "mapsindoors", "--name", "other"]
        for bad in [["--at", "gateway.example.org"], ["--at", "http://gateway.example.org/KEY"], ["--at", ""], []] {
            #expect(await world.run(add + bad).status == 64, "\(bad)")
        }
        #expect(await world.run(add + ["--at", "gateway.example.org/KEY", "--client-id", "x", "--no-check"]).status == 64)
        #expect(await world.run("providers", "add", "https://auth.mapsindoors.com", "--no-check").status == 64)
    }

    @Test(arguments: [
        ("https://auth-us.beyondidentity.com/v1/tenants/t/realms/r/applications/a", "beyond-identity"),
        ("https://auth.byndid.com/v2", "oidc"),
    ])
    func beyondIdentityIsRecognisedByItsIssuer(issuer: String, kind: String) async throws {
        await world.run("providers", "add", issuer, "--name", "bi", "--client-id", "c", "--no-check", exits: 0)
        let provider = try await world.run("providers", "show", "bi", "--json").json["provider"]
        #expect(provider?["kind"] == .string(kind) && provider?["issuer"] == .string(issuer))
        #expect(provider?["mode"] == (kind == "oidc" ? nil : "secure-access"))
        #expect(provider?["redirect"] == ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"])
    }

    @Test func defaultAddressNeedNotBeGiven() async throws {
        #expect(await world.run("providers", "add", "gitlab", "--client-id", "g", "--no-check").status == 0)
        let place = ["--at", "http://127.0.0.1:8080/realms/main"]
        #expect(await world.run(["providers", "add", "keycloak", "--client-id", "k", "--no-check"] + place).status == 0)
        let text = try world.text(world.configurationPath)
        #expect(text.contains("issuer = \"https://gitlab.com\""))
        #expect(text.contains("issuer = \"http://127.0.0.1:8080/realms/main\""))
        #expect(await world.run("providers", "add", "google", "--at", "x", "--client-id", "k", "--no-check").status == 64)
        #expect(
            await world.run("providers", "add", "okta", "--at", "http://okta.example.org", "--client-id", "k", "--no-check").status == 64)
    }
}
