import AuthModel

/// A single timer that can be rescheduled.
///
/// Setting it to the time that is already set does nothing. It is set far more often than its time changes, and the Swift runtime frees a
/// cancelled sleep only at its original end.
struct Alarm: Sendable {
    /// When it fires, on the boot clock; `nil` if it is not set.
    private(set) var time: Duration?
    private var task: Task<Void, Never>?

    /// Sets the timer; `nil` stops it.
    ///
    /// - Parameter fire: called with the time that was set. It must first call ``didFire(at:)``.
    mutating func set(for wanted: Duration?, by source: any TimeSource, _ fire: @escaping @Sendable (Duration) async -> Void) {
        guard wanted != time else { return }
        task?.cancel()
        time = wanted
        task = wanted.map { wanted in
            Task {
                guard (try? await source.sleep(until: wanted)) != nil else { return }
                // A separate task, because `fire` may set the timer again, which cancels this task.
                Task { await fire(wanted) }
            }
        }
    }

    /// Records that the timer fired, unless it was set to another time meanwhile.
    mutating func didFire(at rung: Duration) {
        if time == rung { time = nil }
    }

    /// Stops the timer.
    mutating func cancel() {
        task?.cancel()
        time = nil
    }
}
