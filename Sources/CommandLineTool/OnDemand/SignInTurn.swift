internal import AuthModel
internal import Glibc

/// Lets one process at a time sign in at a server, so that the user sees one browser window for all programs that wait.
struct SignInTurn: Sendable {
    /// The file whose lock is the turn.
    let path: String
    let time: any TimeSource

    private static let interval = Duration.milliseconds(100)

    /// Runs a sign-in, and returns its exit status. If another process is signing in, waits for its end instead and returns 0: whether it
    /// succeeded is seen when the token is requested. Returns `nil` if the task is cancelled.
    func run(_ signIn: @Sendable () async -> Int32?) async -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // Two windows are better than none.
        guard descriptor >= 0 else { return await signIn() }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return await signIn() }
        repeat {
            guard (try? await time.sleep(until: time.bootTime + Self.interval)) != nil else { return nil }
        } while flock(descriptor, LOCK_EX | LOCK_NB) != 0
        return 0
    }
}
