import AuthEngine
import AuthModel
import Fuzzing
import NIOCore
import NIOPosix
import OAuth
import Sandbox
import Synchronization

/// A run of test cases with hostile providers. A seed determines what the providers do.
package struct HostileRun: Sendable {
    /// The seed of all test cases.
    package let seed: UInt64

    /// Creates a run.
    package init(seed: UInt64) { self.seed = seed }

    /// The results of a run.
    package struct Tally: Sendable {
        /// The violations.
        package var findings: [Finding] = []
        /// The number of sessions created, renewed or ended, by operation.
        package var done: [Scene: Int] = [:]
        /// The number of failures, by exit code.
        package var failed: [Int32: Int] = [:]
        /// The time and number of the slowest test case.
        package var slowest = (time: Duration.zero, number: 0)

        mutating func add(_ other: Tally) {
            done.merge(other.done, uniquingKeysWith: +)
            failed.merge(other.failed, uniquingKeysWith: +)
            findings += other.findings
            if other.slowest.time > slowest.time { slowest = other.slowest }
        }
    }

    /// A test case with a violation.
    package struct Finding: Sendable, CustomStringConvertible {
        /// The seed of the run.
        package let seed: UInt64
        /// The test case.
        package let testCase: HostileTestCase
        /// A description of the violation.
        package let text: String

        package var description: String { "seed \(seed), \(testCase): \(text)" }
    }

    /// The number of findings after which an operation stops.
    private static let findingLimit = 5
    /// The time limit of a test case: far more than the sum of all its deadlines.
    private static let limit: Duration = .seconds(900)

    /// Runs the test cases with these numbers. Those of the same operation run one after another; the operations run in parallel.
    ///
    /// - Parameter watch: called with each test case before it begins.
    package func over(_ numbers: Range<Int>, watch: @escaping @Sendable (HostileTestCase) -> Void = { _ in }) async throws -> Tally {
        let groups = Dictionary(grouping: numbers.map { HostileTestCase(seed: seed, number: $0) }, by: \.scene)
        return try await withThrowingTaskGroup(of: Tally.self) { group in
            for (scene, testCases) in groups { group.addTask { try await meet(testCases, in: scene, watch) } }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
    }

    private func meet(_ testCases: [HostileTestCase], in scene: Scene, _ watch: (HostileTestCase) -> Void) async throws -> Tally {
        var tally = Tally()
        let provider = try await HostileProvider.start(scene.sandbox)
        for testCase in testCases {
            try Task.checkCancellation()
            watch(testCase)
            let begin = ContinuousClock.now
            do {
                let failure = try await within(Self.limit) { try await HostileTestRunner(provider: provider, testCase: testCase).run() }
                if let failure { tally.failed[failure.exitCode, default: 0] += 1 } else { tally.done[scene, default: 0] += 1 }
            } catch let broken as BrokenProperty {
                tally.findings.append(Finding(seed: seed, testCase: testCase, text: broken.text))
                // A general defect is reported a few times only.
                if tally.findings.count == Self.findingLimit { break }
            }
            let time = ContinuousClock.now - begin
            if time > tally.slowest.time { tally.slowest = (time, testCase.number) }
        }
        await provider.stop()
        return tally
    }

    /// Returns the result of `body`. Throws if it does not end within `limit`; then it does not wait for it, because it may never end.
    private func within<Value: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (results, continuation) = AsyncThrowingStream<Value, any Error>.makeStream()
        let work = Task {
            do {
                continuation.yield(try await body())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        let alarm = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: TimeAmount(limit)) {
            continuation.finish(throwing: BrokenProperty("did not end within \(limit)"))
            work.cancel()
        }
        defer { alarm.cancel() }
        for try await value in results { return value }
        throw BrokenProperty("ended without a result")
    }
}
