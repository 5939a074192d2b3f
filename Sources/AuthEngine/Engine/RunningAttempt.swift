internal import AuthModel

/// A sign-in attempt under way: how to end it, and where what the person pastes, answers and asks for goes.
struct RunningAttempt {
    let task: Task<Void, Never>
    let reporter: AttemptReporter
}
