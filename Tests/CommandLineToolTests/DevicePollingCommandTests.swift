import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// When a device polls, tested by the command. The times are those at which the provider was asked, on a shared clock that only waiting
/// advances.
struct DevicePollingCommandTests {
    /// Signs in by device; returns the result, and the seconds between the code and each poll.
    private func signIn(
        _ fault: String? = nil, _ device: SandboxConfiguration.Device = .init(), autoApproves: String? = "ada"
    ) async throws -> (result: CommandResult, pauses: [Int64], codes: Int) {
        let time = HastyTime(over: ManualTime())
        let faults = try FaultSet(names: fault.map { [$0] } ?? [])
        let sandbox = SandboxConfiguration(
            autoApproves: autoApproves, idTokenAlgorithm: .es256, device: device, time: time, faultSet: faults)
        var outcome: (CommandResult, [Int64], Int)?
        // A deadline beyond what the clock skips.
        try await withSandbox(sandbox, more: "login_timeout = 3000") { server, world in
            let result = await world.run(["login", "--flow", "device"], time: time)
            let codes = server.requests.filter { $0.path == "/device_authorization" }
            let moments = codes.suffix(1) + server.requests.filter { $0.field("device_code") != nil }
            let pauses = zip(moments, moments.dropFirst()).map { ($1.receivedAt - $0.receivedAt).wholeSeconds }
            outcome = (result, pauses, codes.count)
        }
        return try #require(outcome)
    }

    @Test func waitsTheIntervalBeforeEachPoll() async throws {
        let (result, pauses, codes) = try await signIn(
            nil, .init(codeLifetime: .seconds(40), interval: .seconds(9)), autoApproves: nil)
        #expect(result.status == 4, "\(result.errors)")
        #expect(pauses == [9, 9, 9, 9])
        // The user did not type the code; the program requests no other one.
        #expect(codes == 1)
    }

    @Test func slowDownAddsFiveSecondsPermanently() async throws {
        let (result, pauses, _) = try await signIn("device-slow-down", .init(codeLifetime: .seconds(100)))
        #expect(result.status == 4, "\(result.errors)")
        #expect(pauses == [5, 10, 15, 20, 25])
    }

    @Test(arguments: ["device-interval-missing", "device-interval-negative"])
    func missingIntervalMeansFiveSeconds(fault: String) async throws {
        let (result, pauses, _) = try await signIn(fault)
        #expect(result.status == 0, "\(result.errors)")
        #expect(pauses == [5])
    }

    /// After a poll without an answer the pause is longer, and at least as long as the server requires.
    @Test(arguments: ["device-first-poll-closed", "device-first-poll-html", "device-first-poll-503", "device-first-poll-429"])
    func failedPollDoublesThePause(fault: String) async throws {
        let (result, pauses, codes) = try await signIn(fault)
        #expect(result.status == 0, "\(result.errors)")
        #expect(pauses == [5, 10])
        #expect(codes == 1)
    }
}
