internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import UserConfiguration

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
        defer { FileLock.close(descriptor) }
        if FileLock.take(descriptor) {
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
        } while !FileLock.take(descriptor)
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

extension CommandContext {
    /// Returns the turn that all commands share that may sign in at a provider, which is that of its resource if it has one.
    func signInTurn(at provider: ProviderConfiguration) throws(AuthFailure) -> SignInTurn {
        let resource = provider.resources.count == 1 ? provider.resources.first.flatMap(WebURL.init) : nil
        return try signInTurn(
            resource?.lockName ?? provider.name.text, at: provider.name.text, limit: provider.loginTimeout + .seconds(60))
    }

    /// Returns the turn for a resource that no provider is configured for yet. It is the same once there is one for this resource, while
    /// the first sign-in runs.
    func signInTurn(for resource: WebURL) throws(AuthFailure) -> SignInTurn {
        try signInTurn(resource.lockName, at: resource.origin.authority, limit: .seconds(360))
    }

    private func signInTurn(_ lockName: String, at name: String, limit: Duration) throws(AuthFailure) -> SignInTurn {
        var turn = SignInTurn(path: "\(try directories.state)/sign-in-\(lockName).lock", time: edges.time, limit: limit)
        turn.report = { [console] wait, process in
            let other = process.map { "process \($0)" } ?? "another process"
            switch wait {
            case .begun: console.note("waiting for the sign-in at \(name) of \(other)")
            case .givenUp:
                console.warning(
                    "\(other) has not ended its sign-in at \(name) after \(limit.wholeSeconds) s; end it, or sign in with: yett login")
            }
        }
        return turn
    }
}

extension WebURL {
    /// The resource as a part of a file's name: the same for its spellings, and seldom for two resources.
    var lockName: String {
        let url = normalized ?? self
        let path = url.path.hasSuffix("/") ? url.path.dropLast() : url.path[...]
        let query = url.query.map { "?\($0)" } ?? ""
        let bytes = "\(url.origin)\(path)\(query)".utf8.prefix(200)
        return String(
            decoding: bytes.map { $0.isASCIIAlphanumeric || "-.".utf8.contains($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }
}
