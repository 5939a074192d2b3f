import Glibc

/// Measures what the design sets a budget for. How it is run is in `../run`.
let isShort = CommandLine.arguments.dropFirst().first == "short"
let suite = Suite(rounds: isShort ? 5 : 40, manySessions: isShort ? 1_000 : 10_000, settings: isShort ? "short" : "full")
do {
    try await suite.run()
} catch {
    print("could not be measured: \(error)")
    exit(1)
}
