import AuthModel
import Sandbox
import OperatingSystem
import TestSupport
import Testing

@testable import CommandLineTool

/// A sign-in that waits for its user: its deadline, and what the terminal offers meanwhile.
extension SignInTests {
    @Test func missingBrowserLeavesTheURLToTheUser() async throws {
        try await withSandbox(Self.honest) { _, world in
            let time = ManualTime(now: world.time.now)
            let result = await world.run(
                ["login", "--timeout", "1"], browser: .isMissing, time: time,
                told: { if $0.contains("open the URL yourself") { time.advance(by: .seconds(1)) } }, exits: 4)
            #expect(result.errors.contains("yett: warning: no browser was started: no browser was found"))
            #expect(result.errors.contains("yett: hint: open the URL yourself"))
            #expect(result.errors.contains("/authorize?"))
        }
    }

    @Test func closedBrowserEndsAtTheDeadline() async throws {
        try await withSandbox(Self.honest, more: "login_timeout = 1") { _, world in
            let result = await world.run(["login"], untilDeadlineAfter: .seconds(1)) { _ in }
            #expect(result.status == 4)
            #expect(result.output == "")
        }
    }

    @Test func noOpenOpensNoBrowser() async throws {
        try await withSandbox(Self.honest) { _, world in
            let time = ManualTime(now: world.time.now)
            await world.run(
                ["login", "--no-open", "--timeout", "1"], time: time,
                told: { if $0.contains("/authorize?") { time.advance(by: .seconds(1)) } }, exits: 4)
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func signUpRequestsTheAccountCreationPage() async throws {
        try await withSandbox(Self.honest) { _, world in
            #expect(await world.run(["signup", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { _ in }.status == 4)
            let query = try #require(FormEncoding.decode(world.openedAddresses.first?.query ?? ""))
            #expect(query.contains { $0.name == "prompt" && $0.value == "create" })
        }
    }

    /// A pushed request is kept for a limited time. A browser that opens its URL later shows an error, so the command announces the expiry.
    @Test(arguments: ["browser", "manual"])
    func expiredPushedRequestURLIsAnnounced(flow: String) async throws {
        var provider = Self.honest
        provider.pushedRequests = .required
        provider.lifetimes.pushedRequest = .seconds(1)
        try await withSandbox(provider) { _, world in
            let (interruptions, interrupt) = AsyncStream.makeStream(of: Interruption.self)
            let result = await world.run(
                ["login", "--flow", flow], browser: .isClosed, user: .init(hasTerminal: true), interruptions: interruptions,
                time: CommandWorld.secondSkippingTime(),
                told: { text in if text.contains("expired after 1 s") { interrupt.yield(.interrupt) } }, exits: 3)
            #expect(result.errors.contains("the address for the browser expired after 1 s; if you have not opened it, start again"))
        }
    }

    /// Signs in at a terminal with a browser that does nothing, and enters `d` once the prompt offers it.
    private func runEnteringD(
        _ arguments: [String], at world: CommandWorld, time: any TimeSource, told mark: String,
        then hear: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> CommandResult {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        return await world.run(
            arguments, browser: .isClosed, user: .init(hasTerminal: true), paste: lines, time: time,
            told: {
                if $0.contains(mark) { line.yield("d") }
                hear($0)
            })
    }

    @Test func enteringDRequestsADeviceCode() async throws {
        let time = CommandWorld.secondSkippingTime()
        let sandbox = SandboxConfiguration(autoApproves: "ada", device: .init(interval: .seconds(1)), time: time)
        try await withSandbox(sandbox) { sandbox, world in
            let result = await runEnteringD(["login"], at: world, time: time, told: "enter d for a code")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("and enter the code "))
            #expect(sandbox.requests.filter { $0.path == "/device_authorization" }.count == 1)
            #expect(!sandbox.requests.contains { $0.field("grant_type") == "authorization_code" })
        }
    }

    @Test func enteringDSaysWhyThereIsNoDeviceCode() async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", device: .init(isOffered: false))) { _, world in
            let time = ManualTime(now: world.time.now)
            let result = await runEnteringD(
                ["login", "--timeout", "2"], at: world, time: time, told: "or paste the full URL",
                then: { if $0.contains("does not support device sign-in") { time.advance(by: .seconds(2)) } })
            #expect(result.status == 4)
            #expect(result.errors.contains("yett: warning: sandbox does not support device sign-in"))
            #expect(!result.errors.contains("enter d"))
        }
    }
}
