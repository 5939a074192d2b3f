/// Times of the same thing, done several times.
struct Measurement {
    private var times: [Duration] = []

    /// Does it so many times, each time measured by what it returns.
    init(rounds: Int, _ body: () async throws -> Duration) async throws {
        // The first time fills caches, and is not counted.
        _ = try await body()
        for _ in 0..<rounds { times.append(try await body()) }
        times.sort()
    }

    var median: Duration { times[times.count / 2] }

    /// How many times the other one's median.
    func ratio(to unit: Measurement) -> Double { median / unit.median }

    /// `12.3 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
