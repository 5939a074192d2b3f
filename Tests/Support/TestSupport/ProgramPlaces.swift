import CTestSupport
import Synchronization
public import Testing

/// A trait of tests that start programs, terminals and browsers: at most four of them run at once.
///
/// They mostly wait for programs, so four share two cores well. With more, programs answer so late that a time limit runs out.
public struct ProgramPlaces: SuiteTrait, TestTrait, TestScoping {
    /// The largest number of tests that run at once, of all kinds.
    public static let width = Int(TESTS_AT_ONCE)

    /// How many of the places a test takes.
    let places: Int

    private static let free = Places(4)
    @TaskLocal private static var isInPlace = false

    static let alone = ProgramPlaces(places: free.count)

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ProgramPlaces? { testCase == nil ? nil : self }

    public func provideScope(for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void) async throws {
        // The trait of a test adds to that of its suite.
        guard !Self.isInPlace else { return try await run() }
        let places = test.traits.compactMap { ($0 as? Self)?.places }.max() ?? places
        await Self.free.take(places)
        defer { Self.free.giveBack(places) }
        try await Self.$isInPlace.withValue(true) { try await run() }
    }
}

extension Trait where Self == ProgramPlaces {
    /// Marks tests that start programs.
    public static var startsPrograms: Self { ProgramPlaces(places: 1) }
    /// Marks tests that start programs and hold them to real time: no other test that starts programs runs beside them.
    public static var startsProgramsAlone: Self { ProgramPlaces.alone }
}

/// A number of places, taken in the order of asking, so that who needs many of them gets a turn.
final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [(places: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Takes places for those who wait, as far as there are enough for the first.
        mutating func admit() -> [CheckedContinuation<Void, Never>] {
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.places <= free {
                free -= first.places
                admitted.append(waiting.removeFirst().continuation)
            }
            return admitted
        }
    }

    let count: Int
    private let state: Mutex<State>

    init(_ count: Int) {
        self.count = count
        state = Mutex(State(free: count))
    }

    /// Waits until the places are free, and callers that asked before have theirs.
    func take(_ places: Int) async {
        await withCheckedContinuation { continuation in
            let admitted = state.withLock { state in
                state.waiting.append((places, continuation))
                return state.admit()
            }
            for continuation in admitted { continuation.resume() }
        }
    }

    func giveBack(_ places: Int) {
        let admitted = state.withLock { state in
            state.free += places
            return state.admit()
        }
        for continuation in admitted { continuation.resume() }
    }

    /// How many callers wait.
    var waiting: Int { state.withLock { $0.waiting.count } }
}
