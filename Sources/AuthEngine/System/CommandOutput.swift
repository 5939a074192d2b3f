internal import AuthModel
internal import System

/// Runs the command of `client_secret_command` for the first line that it prints: an argument vector, never a shell, with a deadline.
///
/// The command shares standard error with this process, so that a password manager can ask the user.
struct CommandOutput: Sendable {
    let arguments: [String]
    let environment: [String: String]
    let deadline: Duration

    private static let limit = 65_536

    /// Returns the first line without its end.
    ///
    /// - Throws: `.configuration` if the command cannot be started, fails, prints nothing or more than 64 KiB, or misses the deadline.
    func firstLine() async throws(AuthFailure) -> Secret {
        let result: Result<Secret, AuthFailure> = await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start { continuation.resume(returning: run()) }
            if !isStarted { continuation.resume(returning: .failure(failure("cannot start a thread"))) }
        }
        return try result.get()
    }

    private func failure(_ reason: String) -> AuthFailure {
        AuthFailure(
            .configuration, "the command \(arguments.first ?? "") for the client secret failed: \(reason)",
            hint: "run it in a terminal to check; its first line must be the secret")
    }

    private func run() -> Result<Secret, AuthFailure> {
        do throws(CapturedOutput.Failure) {
            let output = try CapturedOutput.run(
                arguments.first ?? "", Array(arguments.dropFirst()), environment: environment, limit: Self.limit, deadline: deadline)
            guard output.status == 0 else { return .failure(failure("it ended with status \(output.status)")) }
            let line = output.bytes.prefix { $0 != 0x0A && $0 != 0x0D }
            return line.isEmpty ? .failure(failure("it printed nothing")) : .success(Secret(bytes: line))
        } catch {
            switch error {
            case .system(let error): return .failure(failure(error.text))
            case .timedOut: return .failure(failure("it did not finish within \(deadline.wholeSeconds) seconds"))
            case .tooLarge: return .failure(failure("it printed too much output"))
            }
        }
    }
}
