import AuthModel
import Testing

@testable import Sandbox
@testable import CommandLineTool

/// What `yett providers check` and `yett doctor` report about providers without published metadata.
struct ProviderCheckTests {
    private func portal(_ use: TLSUse, portal: String = "", _ body: (CommandWorld) async throws -> Void) async throws {
        var common = VendorServerSettings()
        common.tls = use
        try await VendorServer<ArcGISSettings>.running(common: common) { server in
            let world = try CommandWorld()
            try world.configure("[providers.ag]\nkind = \"arcgis\"\nportal_url = \"\(server.origin)\(portal)\"\n")
            try await body(world)
        }
    }

    @Test func portalIsChecked() async throws {
        try await portal(.off) { world in
            let result = await world.run("providers", "check", exits: 0)
            #expect(result.output == "ok   ag: it is an ArcGIS portal\n")
        }
    }

    @Test func serverThatIsNotAPortalIsReported() async throws {
        try await portal(.off, portal: "/elsewhere") { world in
            let result = await world.run("providers", "check", exits: 7)
            #expect(result.output.contains("is not an ArcGIS portal"))
            #expect(result.errors.contains("yett: hint: check portal_url"))
        }
    }

    /// An untrusted certificate is found without trying to sign in.
    @Test func untrustedCertificateIsFound() async throws {
        try await portal(.selfSigned) { world in
            let check = await world.run("providers", "check", exits: 8)
            #expect(check.output.contains("fail ag: the certificate of 127.0.0.1"))
            #expect(await world.run("doctor").output.contains("ag: the certificate of 127.0.0.1"))
        }
    }

    @Test func solutionShowsWhereItsUsersSignIn() async throws {
        try await withSolution { server, world in
            let result = await world.run("providers", "check")
            #expect(result.output == "ok   mi: sign-in is at 127.0.0.1:\(server.port)\n", "\(result.errors)")
        }
    }

    @Test(arguments: [("sp_sandbox", Int32(0)), ("sp_other", 7)])
    func gatewayIsAskedForItsSite(spot: String, status: Int32) async throws {
        try await VendorServer<OpenWebSettings>.running { server in
            let world = try CommandWorld.configured(
                "[providers.ow]\nkind = \"openweb\"\nmode = \"jwt\"\ngateway_url = \"\(server.origin)\"\nspot_id = \"\(spot)\"\n")
            let result = await world.run("providers", "check")
            #expect(result.status == status, "\(result.errors)")
            #expect(result.output.contains("the site \(spot) exists there") == (status == 0))
        }
    }

    /// An ability that the provider does not publish is not reported as missing.
    @Test func detailsSayNoOnlyIfKnown() async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            "mode = \"rp-initiated\"\nurl = \"\(origin)/start?redirect={redirect}\"\nsignup_url = \"\(origin)/enroll\""
        } _: { _, world in
            let result = await world.run("providers", "details", "bi")
            #expect(result.output.contains("yes  account creation"), "\(result.errors)")
            #expect(!result.output.contains("no   "))
            let json = try await world.run("providers", "details", "bi", "--json").json
            #expect(json["capabilities"]?["account_creation"] == true && json["capabilities"]?["revocation"] == .null)
        }
    }
}
