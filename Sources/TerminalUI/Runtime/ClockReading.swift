/// The time as the runtime was told it.
public struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, for showing.
    public var civilMilliseconds: Int64
    /// Time that never jumps, from any beginning, for measuring.
    public var steady: Duration

    public init(civilMilliseconds: Int64, steady: Duration) {
        self.civilMilliseconds = civilMilliseconds
        self.steady = steady
    }
}
