/// The times of several runs of the same operation.
struct Measurement {
    private var times: [Duration] = []

    /// Runs `body` `rounds` times; each run returns its duration.
    init(rounds: Int, _ body: () async throws -> Duration) async throws {
        // The first run fills caches and is not counted.
        _ = try await body()
        for _ in 0..<rounds { times.append(try await body()) }
        times.sort()
    }

    /// Creates a measurement from existing times.
    init(_ times: [Duration]) { self.times = times.sorted() }

    var median: Duration { times[times.count / 2] }

    /// Measures operations alternately, so that other load on the machine affects all of them equally.
    static func alternating(rounds: Int, _ bodies: [() async throws -> Duration]) async throws -> [Measurement] {
        var times = bodies.map { _ in [Duration]() }
        // The first run fills caches and is not counted.
        for round in 0...rounds {
            for (index, body) in bodies.enumerated() {
                let time = try await body()
                if round > 0 { times[index].append(time) }
            }
        }
        return times.map(Measurement.init)
    }

    /// Returns this median divided by the other one's.
    func ratio(to unit: Measurement) -> Double { median / unit.median }

    /// Returns a time such as `12.3 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
