package import AuthModel
internal import Synchronization

/// The sign-in attempts in progress, with the receivers of what the user pastes, answers and requests.
final class SignInAttempts: Sendable {
    private struct Running {
        let task: Task<Void, Never>
        let reporter: AttemptReporter
    }

    private let attempts = Mutex<[SignInAttempt.ID: Running]>([:])

    /// Starts an attempt and adds it, in one atomic step. The attempt ends with ``remove(_:)``.
    func add(_ id: SignInAttempt.ID, _ reporter: AttemptReporter, start: () -> Task<Void, Never>) -> Task<Void, Never> {
        attempts.withLock { attempts in
            let task = start()
            attempts[id] = Running(task: task, reporter: reporter)
            return task
        }
    }

    /// Removes an attempt that has ended.
    func remove(_ id: SignInAttempt.ID) { attempts.withLock { $0[id] = nil } }

    /// Returns the receivers of an attempt. Throws if the attempt has ended.
    func reporter(of id: SignInAttempt.ID) throws(AuthFailure) -> AttemptReporter {
        guard let running = attempts.withLock({ $0[id] }) else { throw .signInHasEnded }
        return running.reporter
    }

    /// Cancels an attempt and waits for its end.
    func cancel(_ id: SignInAttempt.ID) async {
        guard let running = attempts.withLock({ $0[id] }) else { return }
        running.task.cancel()
        await running.task.value
    }
}

extension AuthFailure {
    /// An operation on an attempt that has ended.
    package static let signInHasEnded = AuthFailure(.usage, "sign_in.already_ended", hint: "hint.start_new_one")
}
