import AuthEngine
import AuthModel
import Fuzzing
import NIOCore
import NIOPosix
import OAuth
import Sandbox
import Synchronization

/// Encounters with hostile providers; a seed determines what the providers do.
package struct HostileRun: Sendable {
    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// What a run came to.
    package struct Tally: Sendable {
        /// What may not come of an encounter, and did.
        package var findings: [Finding] = []
        /// Sessions that were made, renewed or ended, by what was tried.
        package var done: [Scene: Int] = [:]
        /// What failed, by exit code.
        package var failed: [Int32: Int] = [:]
        /// The longest that an encounter took.
        package var slowest = (time: Duration.zero, number: 0)

        mutating func add(_ other: Tally) {
            done.merge(other.done, uniquingKeysWith: +)
            failed.merge(other.failed, uniquingKeysWith: +)
            findings += other.findings
            if other.slowest.time > slowest.time { slowest = other.slowest }
        }
    }

    /// An encounter of which something came that may not.
    package struct Finding: Sendable, CustomStringConvertible {
        package let seed: UInt64
        package let encounter: Encounter
        package let text: String

        package var description: String { "seed \(seed), \(encounter): \(text)" }
    }

    /// So many of one scene end it.
    private static let findingLimit = 5
    /// The longest that an encounter may take: far more than every deadline in it together.
    private static let limit: Duration = .seconds(90)

    /// Meets the providers of these numbers: those of one scene one after the other, the scenes side by side.
    ///
    /// - Parameter watch: is told every encounter before it begins.
    package func over(_ numbers: Range<Int>, watch: @escaping @Sendable (Encounter) -> Void = { _ in }) async throws -> Tally {
        let lanes = Dictionary(grouping: numbers.map { Encounter(seed: seed, number: $0) }, by: \.scene)
        return try await withThrowingTaskGroup(of: Tally.self) { group in
            for (scene, encounters) in lanes { group.addTask { try await meet(encounters, in: scene, watch) } }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
    }

    private func meet(_ encounters: [Encounter], in scene: Scene, _ watch: (Encounter) -> Void) async throws -> Tally {
        var tally = Tally()
        let provider = try await HostileProvider.start(scene.sandbox)
        for encounter in encounters {
            try Task.checkCancellation()
            watch(encounter)
            let begin = ContinuousClock.now
            do {
                let failure = try await within(Self.limit) { try await Visit(provider: provider, encounter: encounter).run() }
                if let failure { tally.failed[failure.exitCode, default: 0] += 1 } else { tally.done[scene, default: 0] += 1 }
            } catch let broken as BrokenProperty {
                tally.findings.append(Finding(seed: seed, encounter: encounter, text: broken.text))
                // What is broken in general is not told a thousand times.
                if tally.findings.count == Self.findingLimit { break }
            }
            let time = ContinuousClock.now - begin
            if time > tally.slowest.time { tally.slowest = (time, encounter.number) }
        }
        await provider.stop()
        return tally
    }

    /// What `body` gives, or a broken promise when it does not end. It may be stuck for good, so nobody waits for it then.
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
