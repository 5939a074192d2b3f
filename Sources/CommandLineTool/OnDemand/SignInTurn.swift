internal import AuthModel
internal import Glibc

/// Lets one process at a time sign in at a server, so that the user sees one browser window for all programs that wait.
struct SignInTurn: Sendable {
    /// The file whose lock is the turn. It holds the number of the process that signs in.
    let path: String
    let time: any TimeSource
    /// The time after which a process no longer waits for another one: that one may be stopped, and would block all tools.
    var limit = Duration.seconds(360)
    /// Called once when the wait begins, and once when it ends at the limit, with the process that signs in; `nil` if it is unknown.
    var report: @Sendable (Wait, _ process: Int32?) -> Void = { _, _ in }

    /// The result of a wait for another process.
    enum Wait: Sendable {
        case begun
        case givenUp
    }

    private static let interval = Duration.milliseconds(100)

    /// Runs a sign-in, and returns its exit status. If another process is signing in, waits for its end instead and returns 0: whether it
    /// succeeded is seen when the token is requested. Returns the status of a time-out if it has not ended at the limit, and `nil` if the
    /// task is cancelled.
    func run(_ signIn: @Sendable () async -> Int32?) async -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // Without the file, sign in without waiting for others: a second browser window does less harm than no sign-in.
        guard descriptor >= 0 else { return await signIn() }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            Self.write(getpid(), to: descriptor)
            defer { Self.write(nil, to: descriptor) }
            return await signIn()
        }
        report(.begun, Self.process(in: descriptor))
        let end = time.bootTime + limit
        repeat {
            guard time.bootTime < end else {
                report(.givenUp, Self.process(in: descriptor))
                return AuthFailure(.timedOut, text: "").exitCode
            }
            guard (try? await time.sleep(until: time.bootTime + Self.interval)) != nil else { return nil }
        } while flock(descriptor, LOCK_EX | LOCK_NB) != 0
        return 0
    }

    private static func write(_ process: Int32?, to descriptor: Int32) {
        // Without the number, only the note about the wait says less.
        guard ftruncate(descriptor, 0) == 0, let process else { return }
        let text = Array("\(process)\n".utf8)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func process(in descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Int32(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) : nil
    }
}
