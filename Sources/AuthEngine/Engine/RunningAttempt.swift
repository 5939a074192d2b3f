internal import AuthModel

/// A sign-in attempt under way: how to end it, and where pasted text goes.
struct RunningAttempt {
    let task: Task<Void, Never>
    let pastes: PasteDesk
    let forms: FormDesk
}
