import AuthModel
import Sandbox
import OperatingSystem
import TestSupport
import Testing

@testable import CommandLineTool

/// Signing in with a code on any device, tested by the command: what is shown, and what the provider's responses cause.
struct DeviceCommandTests {
    /// Skips the waits between polls, for the command and the sandbox.
    private let time = CommandWorld.secondSkippingTime()

    private func sandbox(_ faults: FaultSet = .none) -> SandboxConfiguration {
        SandboxConfiguration(
            autoApproves: "ada", idTokenAlgorithm: .es256, device: .init(interval: .seconds(1)), time: time, faultSet: faults)
    }

    private func polls(_ server: SandboxServer) -> [LoggedRequest] { server.requests.filter { $0.field("device_code") != nil } }

    @Test func deviceHostIsShownFirstAndNoBrowserOpens() async throws {
        try await withSandbox(sandbox()) { (server, world) async throws in
            let result = await world.run(["login", "--flow", "device"], user: .init(hasTerminal: true), time: time, exits: 0)
            #expect(result.errors.contains("on any device, at 127.0.0.1:\(server.port): open \(server.issuer)/device\n"))
            #expect(result.errors.contains("and enter the code "))
            #expect(result.errors.contains("only if you started this sign-in: "))
            #expect(world.openedAddresses.isEmpty)
            #expect(!server.requests.contains { $0.path == "/authorize" })
            #expect(try await world.sessions().first?["account"] == "ada")
        }
    }

    /// White modules on black ones in every terminal's colours, with `NO_COLOR` too; plain lines have no picture, which could be inverted.
    @Test(arguments: [(["login", "--flow", "device"], true), (["login", "--flow", "device", "--plain"], false)])
    func qrCodeIsBlackOnWhiteOrNotShown(arguments: [String], isShown: Bool) async throws {
        try await withSandbox(sandbox()) { server, world in
            let user = CommandWorld.User(hasTerminal: true, columns: 100)
            let result = await world.run(arguments, user: user, with: ["NO_COLOR": "1"], time: time)
            let rows = result.errors.split(separator: "\n").filter { $0.contains("██") }
            #expect(rows.isEmpty != isShown, "\(result.errors)")
            for row in rows { #expect(row.contains("\u{1B}[38;5;231;48;5;16m██"), "\(row)") }
            #expect(result.errors.contains("\(server.issuer)/device") && result.errors.contains("enter the code "))
        }
    }

    @Test func deviceCodeIsNeverShownOrLogged() async throws {
        try await withSandbox(sandbox()) { server, world in
            let result = await world.run(["login", "--flow", "device", "--log"], user: .init(hasTerminal: true), time: time)
            let code = try #require(polls(server).first?.field("device_code"))
            #expect(!(result.output + result.errors).contains(code))
            #expect(!(try world.text(world.home + "/.local/state/yett/yett.log").contains(code)))
            #expect(!server.requests.contains { $0.query.contains { $0.value == code } })
        }
    }

    /// The code is shown, and the provider's first final response ends the flow.
    @Test(arguments: [
        ("device-denied", Int32(5), "access_denied"), ("device-expired", 4, "was not confirmed in time"),
        ("token-id-token-missing", 0, "no ID token"),
        ("id-token-iss-wrong", 8, "from a different issuer"), ("id-token-aud-wrong", 8, "not for this client"),
        ("id-token-signature-wrong", 8, "its signature is invalid"), ("userinfo-sub-other", 8, "for a different account"),
    ])
    func firstFinalPollResponseEndsTheFlow(fault: String, status: Int32, says: String) async throws {
        try await withSandbox(sandbox(try FaultSet(names: [fault]))) { server, world in
            let result = await world.run(["login", "--flow", "device"], time: time)
            #expect(result.status == status)
            #expect(result.errors.contains("and enter the code "))
            #expect(result.errors.contains(says), "\(result.errors)")
            #expect(polls(server).count == 1)
            // The user decides whether to request another code.
            #expect(server.requests.filter { $0.path == "/device_authorization" }.count == 1)
        }
    }

    /// An invalid response is not shown to the user, and the program does not poll.
    @Test(arguments: [
        "device-device-code-missing", "device-user-code-missing", "device-user-code-hostile", "device-expires-in-missing",
        "device-expires-in-negative", "device-verification-uri-missing", "device-verification-uri-javascript",
        "device-verification-uri-http",
    ])
    func invalidDeviceResponseIsNeverShown(fault: String) async throws {
        try await withSandbox(sandbox(try FaultSet(names: [fault]))) { server, world in
            let result = await world.run(["login", "--flow", "device"], user: .init(hasTerminal: true), time: time)
            #expect([7, 8].contains(result.status), "\(result.errors)")
            #expect(!result.errors.contains("and enter the code "))
            #expect(!result.errors.contains("javascript:") && !result.errors.contains("provider.example"))
            #expect(result.errors.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) })
            #expect(polls(server).isEmpty)
        }
    }

    @Test func completeURIOnAnotherHostIsIgnored() async throws {
        try await withSandbox(sandbox(try FaultSet(names: ["device-verification-uri-complete-elsewhere"]))) { _, world in
            let result = await world.run(["login", "--flow", "device"], time: time, exits: 0)
            #expect(result.errors.contains("ignored a page"), "\(result.errors)")
        }
    }

    @Test func cancellingStopsThePolling() async throws {
        try await withSandbox(sandbox(try FaultSet(names: ["device-pending"]))) { server, world in
            let time = ManualTime(now: world.time.now)
            let (interruptions, keyboard) = AsyncStream.makeStream(of: Interruption.self)
            await world.run(
                ["login", "--flow", "device"], interruptions: interruptions, time: time,
                told: { if $0.contains("and enter the code ") { keyboard.yield(.interrupt) } }, exits: 3)
            let asked = polls(server).count
            time.advance(by: .seconds(5))
            #expect(await world.run("status").status == 0)
            #expect(polls(server).count == asked)
        }
    }

    /// The provider gets the requirements that the ID token is checked against.
    @Test func signInOptionsAreSentWithTheDeviceRequest() async throws {
        try await withSandbox(sandbox()) { server, world in
            await world.run(
                ["login", "--flow", "device", "--max-age", "60", "--ui-locales", "de-AT en"], time: time, exits: 0)
            let authorization = try #require(server.requests.first { $0.path == "/device_authorization" })
            #expect(authorization.field("max_age") == "60" && authorization.field("ui_locales") == "de-AT en")
            let prompted = await world.run("login", "--flow", "device", "--prompt", "login", exits: 64)
            #expect(prompted.errors.contains("a prompt is not possible with a device code"))
        }
    }

    @Test func deviceRequestNamesTheResources() async throws {
        try await withSandbox(sandbox()) { server, world in
            let resource = server.issuer + "/api/hello"
            await world.run(["login", "--flow", "device", "--resource", resource], time: time, exits: 0)
            let authorization = try #require(server.requests.first { $0.path == "/device_authorization" })
            #expect(authorization.field("resource") == resource)
            #expect(polls(server).allSatisfy { $0.field("resource") == resource } && !polls(server).isEmpty)
        }
    }
}
