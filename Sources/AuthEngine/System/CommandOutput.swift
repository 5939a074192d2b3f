internal import AuthModel
internal import OperatingSystem

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
            if !isStarted { continuation.resume(returning: .failure(failure("process.cannot_start_thread"))) }
        }
        return try result.get()
    }

    private func failure(_ reason: UserMessage) -> AuthFailure {
        AuthFailure(
            .configuration, UserMessage("client.secret_command_failed", ["command": arguments.first ?? "", "reason": reason]),
            hint: "hint.run_secret_command")
    }

    private func run() -> Result<Secret, AuthFailure> {
        do throws(CapturedOutput.Failure) {
            let output = try CapturedOutput.run(
                arguments.first ?? "", Array(arguments.dropFirst()), environment: environment, limit: Self.limit, deadline: deadline)
            guard output.status == 0 else { return .failure(failure(UserMessage("phrase.ended_with_status", ["status": output.status]))) }
            let line = output.bytes.prefix { $0 != 0x0A && $0 != 0x0D }
            return line.isEmpty ? .failure(failure("phrase.printed_nothing")) : .success(Secret(bytes: line))
        } catch {
            switch error {
            case .system(let error): return .failure(failure(.verbatim(error.text)))
            case .timedOut: return .failure(failure(UserMessage("phrase.did_not_finish_in_time", ["seconds": deadline.wholeSeconds])))
            case .tooLarge: return .failure(failure("phrase.printed_too_much"))
            }
        }
    }
}
