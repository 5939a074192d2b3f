import AuthModel

/// Something that is to be done at a time, of which there is one: a time that is set takes the place of the one before.
///
/// One that is set already for the time that is wanted is left as it is. It is asked for far more often than it changes, and a sleep that
/// is cut off is let go of by the runtime only when its time has come.
struct Alarm: Sendable {
    /// When it rings, on the boot clock; `nil` where it is not set.
    private(set) var time: Duration?
    private var task: Task<Void, Never>?

    /// Sets it, or with `nil` stops it.
    ///
    /// - Parameter ring: called with the time it was set for; it begins by telling ``rang(at:)``.
    mutating func set(for wanted: Duration?, by source: any TimeSource, _ ring: @escaping @Sendable (Duration) async -> Void) {
        guard wanted != time else { return }
        task?.cancel()
        time = wanted
        task = wanted.map { wanted in
            Task {
                guard (try? await source.sleep(until: wanted)) != nil else { return }
                // Of its own: this task is cancelled by whoever sets the alarm anew, and what comes now may do that.
                Task { await ring(wanted) }
            }
        }
    }

    /// Notes that it rang, unless it has been set for another time meanwhile.
    mutating func rang(at rung: Duration) {
        if time == rung { time = nil }
    }

    /// Stops it.
    mutating func cancel() {
        task?.cancel()
        time = nil
    }
}
