import AuthModel
import SessionStore

/// Repeats a write of data that cannot be obtained again, while the store may accept it, up to ``RenewalRetry/deadline``.
struct SaveRetry: Sendable {
    let time: any TimeSource
    /// Whether the process continues to run (``EngineEnvironment/patience`` is set). It does not repeat, and keeps the data in memory for
    /// the next use.
    let isResident: Bool

    init(_ environment: EngineEnvironment) {
        time = environment.time
        isResident = environment.patience != nil
    }

    /// Returns the result of the first write that succeeds.
    func run<Value>(_ write: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let end = time.bootTime + RenewalRetry.deadline
        var pause = Duration.milliseconds(100)
        while true {
            do {
                return try await write()
            } catch {
                let next = time.bootTime + pause
                guard !isResident, error.mayPassLater, next < end, (try? await time.sleep(until: next)) != nil else { throw error }
                pause = min(pause * 2, .seconds(2))
            }
        }
    }
}

extension StoreError {
    /// Whether the same write may succeed later.
    var mayPassLater: Bool {
        switch kind {
        case .full, .readOnly, .busy, .system, .database: true
        default: false
        }
    }
}
