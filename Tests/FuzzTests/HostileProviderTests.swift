import Foundation
import Testing

/// Runs the engine against providers that damage everything they send, each in its own way. `YETT_HOSTILE=COUNT` makes it a long run, and
/// `YETT_HOSTILE_SEED` changes the seed.
struct HostileProviderTests {
    private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

    @Test func hostileProviderCausesOnlyAValidSessionOrAClassedFailure() async throws {
        let wanted = Self.number("YETT_HOSTILE").map { Int($0) }
        let first = Self.number("YETT_HOSTILE_FIRST").map { Int($0) } ?? 0
        let run = HostileRun(seed: Self.number("YETT_HOSTILE_SEED") ?? 20_260_101)
        let tally = try await run.over(first..<first + (wanted ?? 80)) { testCase in
            // If the process crashes, the last line names the test case.
            if wanted != nil { FileHandle.standardError.write(Data("hostile: \(testCase)\n".utf8)) }
        }
        if wanted != nil { FileHandle.standardError.write(Data("hostile: \(tally)\n".utf8)) }
        #expect(tally.findings.isEmpty, "\(tally.findings.map(\.description).joined(separator: "\n"))")
        // A run in which everything is refused, or nothing, tests nothing.
        #expect(!tally.done.isEmpty)
        #expect(!tally.failed.isEmpty)
    }

    @Test func sameSeedGivesTheSameTestCases() {
        let testCases = (0..<200).map { HostileTestCase(seed: 7, number: $0).description }
        #expect((0..<200).map { HostileTestCase(seed: 7, number: $0).description } == testCases)
        #expect(Set(testCases).count > 150)
        #expect((0..<200).map { HostileTestCase(seed: 8, number: $0).description } != testCases)
    }
}
