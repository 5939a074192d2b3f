internal import AuthModel

/// A sign-in attempt in progress: its task, and the receivers of what the user pastes, answers and requests.
struct RunningAttempt {
    let task: Task<Void, Never>
    let reporter: AttemptReporter
}
