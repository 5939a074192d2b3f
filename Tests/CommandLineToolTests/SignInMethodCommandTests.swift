import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// Signing in on a desktop: the browser, a device code and pasting are available at once, and the first to succeed ends the others.
struct SignInMethodCommandTests {
    private let clock = ManualTime(now: CivilShiftedTime().now)
    /// Skips the wait for the device code, and those between polls, for the command and the sandbox.
    private let time: HastyTime

    init() { time = CommandWorld.secondSkippingTime(over: clock) }

    /// - Parameter interval: the seconds between polls. The clock skips a single one only.
    private func sandbox(_ faults: FaultSet = .none, interval: Int = 1) -> SandboxConfiguration {
        SandboxConfiguration(autoApproves: "ada", device: .init(interval: .seconds(interval)), time: time, faultSet: faults)
    }

    private func polls(_ server: SandboxServer) -> [LoggedRequest] { server.requests.filter { $0.field("device_code") != nil } }

    @Test func deviceCodeCompletesABrowserSignIn() async throws {
        try await withSandbox(sandbox()) { server, world in
            let result = await world.run(["login"], browser: .isClosed, user: .init(hasTerminal: true), time: time, exits: 0)
            #expect(world.openedAddresses.count == 1)
            #expect(server.requests.count { $0.field("grant_type") == "authorization_code" } == 0)
            let lines = result.errors.split(separator: "\n")
            let browser = try #require(lines.firstIndex { $0.contains("open this URL in your browser") })
            let device = try #require(lines.firstIndex { $0.contains("on any device") })
            #expect(browser < device, "the browser comes first")
        }
    }

    /// Signs in with a browser that starts once a text was printed.
    private func signIn(in world: CommandWorld, once isTime: @escaping @Sendable (String) -> Bool) async -> CommandResult {
        let (said, say) = AsyncStream.makeStream(of: Never.self)
        let browser = CommandWorld.Browser.does { url in
            for await _ in said {}
            await world.visit(url)
        }
        return await world.run(
            ["login"], browser: browser, user: .init(hasTerminal: true), time: time, told: { if isTime($0) { say.finish() } })
    }

    @Test func browserCompletesWhileADeviceCodeIsShown() async throws {
        try await withSandbox(sandbox(try FaultSet(names: ["device-pending"]), interval: 5)) { server, world in
            let result = await signIn(in: world) { $0.contains("and enter the code ") }
            #expect(result.status == 0, "\(result.errors)")
            let asked = polls(server).count
            clock.advance(by: .seconds(5))
            #expect(await world.run("status").status == 0)
            #expect(polls(server).count == asked)
        }
    }

    @Test func pasteCompletesWhileADeviceCodeIsShown() async throws {
        try await withSandbox(sandbox(try FaultSet(names: ["device-pending"]), interval: 5)) { server, world in
            let (lines, keyboard) = AsyncStream.makeStream(of: String.self)
            let browser = CommandWorld.Browser.does { url in
                if let answer = await world.answer(to: url) { keyboard.yield(answer) }
            }
            await world.run(["login"], browser: browser, user: .init(hasTerminal: true), paste: lines, exits: 0)
            #expect(server.requests.count { $0.field("grant_type") == "authorization_code" } == 1)
        }
    }

    /// An invalid device response removes only this sign-in method: the response is not shown, and the browser continues.
    @Test(arguments: [
        "device-unauthorized-client", "device-404", "device-500", "device-503", "device-html", "device-not-json", "device-oversize",
        "device-redirect-307", "device-duplicate-member", "device-device-code-missing", "device-user-code-hostile",
        "device-verification-uri-javascript", "device-verification-uri-http", "device-expires-in-missing",
    ])
    func failedDeviceCodeLeavesTheOtherSignInMethods(fault: String) async throws {
        try await withSandbox(sandbox(try FaultSet(names: [fault]))) { server, world in
            let result = await signIn(in: world) { $0.contains("device codes are not available") || $0.contains("warning") }
            #expect(result.status == 0, "\(result.errors)")
            #expect(!result.errors.contains("and enter the code "))
            #expect(!result.errors.contains("javascript:") && !result.errors.contains("provider.example"))
            #expect(polls(server).isEmpty)
        }
    }

    @Test func silentDeviceEndpointDoesNotBlockTheBrowser() async throws {
        try await withSandbox(sandbox([.transport(.device, .hanging)])) { server, world in
            let browser = CommandWorld.Browser.does { url in
                for await request in server.followRequests() where request.path == "/device_authorization" { break }
                await world.visit(url)
            }
            await world.run(["login"], browser: browser, time: time, exits: 0)
        }
    }

    /// A denial ends the sign-in, whichever method it comes from.
    @Test func denialOnTheDeviceEndsTheBrowserSignIn() async throws {
        try await withSandbox(sandbox(try FaultSet(names: ["device-denied"]))) { _, world in
            await world.run(["login"], browser: .isClosed, user: .init(hasTerminal: true), time: time, exits: 5)
        }
    }

    @Test(arguments: [["--flow", "browser"], ["--prompt", "login"]])
    func deviceCodeIsNotRequestedUnlessWanted(_ options: [String]) async throws {
        try await withSandbox(sandbox()) { server, world in
            await world.run(["login"] + options, exits: 0)
            #expect(!server.requests.contains { $0.path == "/device_authorization" })
        }
    }
}
