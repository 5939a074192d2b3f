import Glibc

/// Measures everything that has a budget in the design. `../run` explains the usage.
let arguments = CommandLine.arguments.dropFirst()
let form = arguments.first ?? "full"
do {
    switch form {
    case "short": try await Suite(rounds: 5, manySessions: 1_000, dueSessions: 60, idleSeconds: 4, settings: form).run()
    case "full": try await Suite(rounds: 40, manySessions: 10_000, dueSessions: 1_000, idleSeconds: 60, settings: form).run()
    case "commands": try await Suite(rounds: 40, manySessions: 0, dueSessions: 0, idleSeconds: 0, settings: form).commands()
    case "proxy":
        let suite = Suite(rounds: 10, manySessions: 0, dueSessions: 0, idleSeconds: 0, settings: form)
        try await suite.proxy()
        try await suite.intercept()
        try await suite.bridge()
    case "soak":
        let suite = Suite(rounds: 1, manySessions: 0, dueSessions: 0, idleSeconds: 0, settings: form)
        try await suite.soak(minutes: arguments.dropFirst().first.flatMap { Int($0) } ?? 10)
    case "frames":
        let suite = Suite(rounds: 40, manySessions: 10_000, dueSessions: 0, idleSeconds: 0, settings: form)
        try await suite.frames(try await suite.unit())
    case "show": exit(try await AppPreview(sessions: arguments.dropFirst().first.flatMap { Int($0) } ?? 50).run())
    default: exit(64)
    }
} catch {
    print("could not be measured: \(error)")
    exit(1)
}
