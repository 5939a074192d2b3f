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

    /// Of times that were taken already.
    init(_ times: [Duration]) { self.times = times.sorted() }

    var median: Duration { times[times.count / 2] }

    /// Things done by turns, so that what else the machine does meanwhile falls on all of them alike.
    static func byTurns(rounds: Int, _ bodies: [() async throws -> Duration]) async throws -> [Measurement] {
        var times = bodies.map { _ in [Duration]() }
        // The first time fills caches, and is not counted.
        for round in 0...rounds {
            for (index, body) in bodies.enumerated() {
                let time = try await body()
                if round > 0 { times[index].append(time) }
            }
        }
        return times.map(Measurement.init)
    }

    /// How many times the other one's median.
    func ratio(to unit: Measurement) -> Double { median / unit.median }

    /// `12.3 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
