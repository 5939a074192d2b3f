/// The current time, passed in by the runtime.
public struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, for display.
    public var civilMilliseconds: Int64
    /// Monotonic time from any origin, for measuring.
    public var steady: Duration

    /// Creates a reading of both clocks.
    public init(civilMilliseconds: Int64, steady: Duration) {
        self.civilMilliseconds = civilMilliseconds
        self.steady = steady
    }
}
