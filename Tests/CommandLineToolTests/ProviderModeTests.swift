import AuthEngine
import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Providers with several modes, and providers that are contacted before they are written.
struct ProviderModeTests {
    private static func provider(_ name: String, in world: CommandWorld) async throws -> JSONValue {
        let answer = try await world.run("providers", "show", name, "--json").json
        return try #require(answer["provider"])
    }

    // MARK: Modes

    @Test(arguments: [
        ("beyond-identity", "rp-initiated, direct, secure-access"), ("openweb", "codes, jwt, provider"),
    ])
    func modeIsRequiredWithoutATerminal(name: String, modes: String) async throws {
        let world = try CommandWorld()
        for arguments in [[], ["--mode", "nosuch"]] {
            let result = await world.run(["providers", "add", name, "--no-check"] + arguments)
            #expect(result.status == 64 && result.errors.contains(modes), "\(result.errors)")
        }
        #expect(await world.run("providers", "add", "google", "--mode", "direct", "--client-id", "g", "--no-check").status == 64)
        #expect(world.files(containing: "[providers").isEmpty)
    }

    @Test(arguments: [
        (["1", "https://app.example.org/start?r={redirect}&state={state}"], "rp-initiated", "url"),
        (["direct", "https://app.example.org/exchange", "acme"], "direct", "exchange_url"),
        (["3", "auth-us.beyondidentity.com/v1/tenants/t/realms/r/applications/a", "acme"], "secure-access", "issuer"),
    ])
    func terminalAsksForTheModeAndItsSettings(lines: [String], mode: String, key: String) async throws {
        let world = try CommandWorld()
        let result = await world.run(
            ["providers", "add", "beyond-identity", "--no-check"], user: .init(hasTerminal: true, lines: ["none such"] + lines), exits: 0)
        for line in ["1  rp-initiated: ", "2  direct: ", "3  secure-access: "] { #expect(result.errors.contains(line)) }
        let provider = try await Self.provider("beyond-identity", in: world)
        #expect(provider["kind"] == "beyond-identity" && provider["mode"] == .string(mode))
        #expect(provider[key]?.string?.hasSuffix(lines[1]) == true, "\(provider)")
        #expect(provider["scopes"]?.strings?.contains("openid") == (mode != "rp-initiated"))
    }

    @Test func publisherIsAnAddressOrAProvider() async throws {
        for (line, key) in [("https://p.example.org/api/login", "publisher_login_url"), ("work", "publisher")] {
            let world = try CommandWorld()
            try world.configure("[providers.work]\nkind = \"oidc\"\nissuer = \"https://id.example.org\"\nclient_id = \"c\"\n")
            await world.run(
                ["providers", "add", "openweb", "--no-check"],
                user: .init(hasTerminal: true, lines: ["codes", "sp_x", "https://p.example.org/api/codeb", line]), exits: 0)
            let provider = try await Self.provider("openweb", in: world)
            #expect(provider["mode"] == "codes" && provider[key] == .string(line) && provider["spot_id"] == "sp_x", "\(provider)")
        }
    }

    @Test func missingSettingIsNamed() async throws {
        let world = try CommandWorld()
        let result = await world.run("providers", "add", "openweb", "--mode", "provider", "--at", "sp_x", "--no-check")
        #expect(result.status == 64 && result.errors.contains("--set provider=piano"), "\(result.errors)")
        for bad in ["nothing", "=x", "client_secret=x", "kind=oidc"] {
            let refused = await world.run(
                "providers", "add", "openweb", "--mode", "provider", "--at", "sp_x", "--set", bad, "--no-check")
            #expect(refused.status == 64, "\(bad): \(refused.errors)")
        }
    }

    // MARK: Contacted before they are written

    @Test(arguments: [("sandbox-key", Int32(0)), ("another-key", 2)])
    func gatewayIsAskedForTheKey(key: String, status: Int32) async throws {
        try await VendorServer<MapsIndoorsSettings>.running { server in
            let world = try CommandWorld()
            let result = await world.run("providers", "add", "mapsindoors", "--at", "\(server.origin)/gateway/\(key)", "--name", "mi")
            #expect(result.status == status, "\(result.errors)")
            #expect(server.calls(of: "/gateway/\(key)").count == 1)
            #expect(result.errors.contains(status == 0 ? "found: sign-in is at 127.0.0.1" : "the api_key of mi is not known"))
            #expect(world.files(containing: "[providers.mi]").isEmpty == (status != 0))
        }
    }

    @Test(arguments: [("", Int32(0)), ("/elsewhere", 7)])
    func portalIsCheckedBeforeItIsAdded(path: String, status: Int32) async throws {
        try await VendorServer<ArcGISSettings>.running { server in
            let world = try CommandWorld()
            let result = await world.run(
                "providers", "add", "arcgis", "--at", server.origin + path, "--client-id", "c", "--name", "ag")
            #expect(result.status == status, "\(result.errors)")
            #expect(
                result.errors.contains(
                    status == 0 ? "found: it is an ArcGIS portal" : "is not an ArcGIS portal"))
            #expect(world.files(containing: "[providers.ag]").isEmpty == (status != 0))
        }
    }

    /// The app plans providers with the same code, so it refuses the same ones.
    @Test func appRefusesAKeyThatTheGatewayDoesNotKnow() async throws {
        try await VendorServer<MapsIndoorsSettings>.running { server in
            let world = try CommandWorld()
            let planner = try ProviderPlanner(
                discovery: NetworkDiscovery(
                    transport: CurlTransport(version: "test", environment: world.environment), time: world.time),
                file: try ConfigurationFile(
                    option: nil, environment: world.environment, directories: Directories(environment: world.environment),
                    workingDirectory: world.home, rules: .standard))
            var input = ProviderPlanner.ProviderInput("mapsindoors")
            input.place = "\(server.origin)/gateway/another-key"
            await #expect(throws: AuthFailure.self) { try await planner.plan(input) }
        }
    }
}
