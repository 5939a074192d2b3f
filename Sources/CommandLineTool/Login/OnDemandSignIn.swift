internal import Agent
internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import Synchronization
internal import UserConfiguration

/// Signs the user in, once for a command, when a tool needs a token of a session that is missing or has ended: `sign_in = "on-demand"`.
final class OnDemandSignIn: Sendable {
    private let context: CommandContext
    private let isUsed = Mutex(false)

    init(_ context: CommandContext) { self.context = context }

    /// Runs a sign-in for a session; throws `failure`, why it is needed, if there may be none.
    fileprivate func run(_ session: SessionName, because failure: AuthFailure) async throws(AuthFailure) {
        guard [.notSignedIn, .signInAgain].contains(failure.kind),
            let provider = try context.configurationFile().read().providers.first(where: { $0.name == session.provider }),
            provider.signInMode == .onDemand,
            // The sessions are on another machine, and so is their user.
            context.agentLocation.remoteSocket == nil
        else { throw failure }
        // The agent is no program of a terminal or a desktop: the full program finds out who is at the caller's.
        guard context.edges.sessionService == nil else { throw LauncherCommand.needsProgram }
        let presence = context.edges.userPresence()
        guard presence.isPresent, claim() else { throw failure }
        context.console.note("you must sign in: \(failure.summary)")
        let status = await (try context.signInTurn(at: provider)).run {
            await context.login([session.description], at: presence.terminal == .foreground ? .terminal : .standardError)
        }
        guard !Task.isCancelled else { throw AuthFailure(.cancelled, text: "the sign-in was cancelled") }
        guard let status else { throw failure }
        guard !LoginProcess.isSignedIn(after: status) else { return }
        throw AuthFailure(
            AuthFailure.Kind(exitCode: status) ?? failure.kind, text: "the sign-in at \(provider.name) did not succeed",
            hint: "try again with: yett login \(session.shellWord)")
    }

    /// Returns whether this is the first sign-in of the command.
    private func claim() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }
}

extension OnDemandSignIn? {
    /// Runs `body`. If it fails because the user must sign in, and may do so now, runs a sign-in and `body` once more.
    ///
    /// Throws the failure of `body` if there is no sign-in, otherwise how the sign-in ended.
    ///
    /// - Parameter session: the session that `body` needs; `nil` if that is unknown, and then there is no sign-in.
    func retrying<Value>(
        _ session: @autoclosure () -> SessionName?, _ body: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        do throws(AuthFailure) {
            return try await body()
        } catch {
            guard let self, let session = session() else { throw error }
            try await self.run(session, because: error)
        }
        return try await body()
    }
}

extension AuthFailure.Kind {
    /// Returns the kind of failure that ended another process of this program; `nil` if its exit status tells nothing that the user could
    /// act on.
    init?(exitCode: Int32) {
        let kinds: [AuthFailure.Kind] = [
            .configuration, .cancelled, .timedOut, .denied(code: nil), .signInAgain, .unavailable(retryAfter: nil), .security, .notSignedIn,
        ]
        guard let kind = kinds.first(where: { AuthFailure($0, text: "").exitCode == exitCode }) else { return nil }
        self = kind
    }
}

extension CommandContext {
    /// Returns the only configured provider as the name of a session; `nil` if there are several.
    func onlyProvider() throws(AuthFailure) -> SessionName? {
        let providers = try configurationFile().read().providers
        return providers.count == 1 ? SessionName(provider: providers[0].name, account: nil) : nil
    }
}

/// `yett login` as a process of its own, because standard output of this one belongs to the program that started it.
struct LoginProcess: Sendable {
    /// The program to start.
    let program: String
    let environment: [String: String]

    /// The streams on which the user reads and types.
    enum Place: Sendable {
        /// Standard error only; nothing can be typed.
        case standardError
        /// The controlling terminal: input comes from it, and output goes to it if standard error is not a terminal.
        case terminal
    }

    /// Runs a sign-in, and returns its exit status; `nil` if it could not be started, or if the task is cancelled, which ends it. The end of
    /// this process ends it too.
    ///
    /// - Parameter arguments: the arguments after `login`.
    func run(_ arguments: [String], at place: Place) async -> Int32? {
        let terminal: Int32? = place == .terminal ? Self.openTerminal() : nil
        defer { if let terminal { close(terminal) } }
        // The program that runs this one may read keys, and the sign-in reads lines.
        let typing = terminal.flatMap { TerminalTyping(at: $0, .shownLine) }
        defer { typing?.end(discarding: false) }
        let output = isatty(2) == 1 ? 2 : terminal ?? 2
        guard let life = try? Pipe() else { return nil }
        defer { close(life.writeEnd) }
        let child = try? ChildProcess.start(
            program, ["login", "--until-parent-ends"] + arguments, environment: environment,
            streams: ChildProcess.Streams(
                input: terminal.map { .descriptor($0) } ?? .null, output: .descriptor(output), errors: .descriptor(output),
                passed: life.readEnd, startsSession: false))
        close(life.readEnd)
        guard let child else { return nil }
        let status = await withTaskCancellationHandler {
            await child.exitStatus()
        } onCancel: {
            kill(child.id, SIGTERM)
        }
        Self.takeSignals()
        return status
    }

    /// Takes the signals that have arrived for this process, on this thread: Ctrl-C ends the sign-in too, and on a busy machine its end may
    /// be seen before another thread has taken the signal that ends this process.
    private static func takeSignals() {
        var signals = sigset_t()
        var former = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        // Only a change of the mask makes the kernel look for signals that another thread was to take.
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// Whether the user is signed in after a sign-in with this exit status. Another process may have signed in a moment before.
    static func isSignedIn(after status: Int32) -> Bool { status == 0 || status == AuthFailure(.alreadySignedIn, text: "").exitCode }

    private static func openTerminal() -> Int32? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        return terminal >= 0 ? terminal : nil
    }
}

extension CommandContext {
    /// Runs `yett login` with this command's global options, and returns its exit status; `nil` if it could not be started, or if the task
    /// was cancelled.
    func login(_ arguments: [String], at place: LoginProcess.Place) async -> Int32? {
        let own = (options.configuration.map { ["--config", $0] } ?? []) + (options.disablesAgent ? ["--no-agent"] : [])
        return await edges.login(arguments + own, place)
    }

    /// Returns the turn that all commands share that may sign in at a provider, which is that of its resource if it has one.
    func signInTurn(at provider: ProviderConfiguration) throws(AuthFailure) -> SignInTurn {
        let resource = provider.resources.count == 1 ? provider.resources.first.flatMap(WebURL.init) : nil
        return try signInTurn(
            resource?.lockName ?? provider.name.text, at: provider.name.text, limit: provider.loginTimeout + .seconds(60))
    }

    /// Returns the turn for a resource that no provider is configured for yet. It is the same once there is one for this resource, while the first
    /// sign-in runs.
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

/// Ends a sign-in together with the command that waits for it, however that command ends: a sign-in that stays behind would hold a port and
/// the terminal for an answer that has no use.
enum ParentWatch {
    /// The descriptor of the pipe whose other end only the waiting command has.
    private static let descriptor: Int32 = 3

    /// Sends this process `SIGTERM` once the command that started it has ended.
    static func start() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // If no thread can be started, the sign-in only ends at its own time limit.
        _ = DetachedThread.start(stackSize: 256 << 10, blocksSignals: true) {
            var byte: UInt8 = 0
            var count = read(descriptor, &byte, 1)
            while count > 0 || count < 0 && errno == EINTR { count = read(descriptor, &byte, 1) }
            if count == 0 { kill(getpid(), SIGTERM) }
        }
    }
}

extension WebURL {
    /// The resource as a part of a file's name: the same for its spellings, and seldom for two resources.
    fileprivate var lockName: String {
        let url = normalized ?? self
        let path = url.path.hasSuffix("/") ? url.path.dropLast() : url.path[...]
        let query = url.query.map { "?\($0)" } ?? ""
        let bytes = "\(url.origin)\(path)\(query)".utf8.prefix(200)
        return String(
            decoding: bytes.map { $0.isASCIIAlphanumeric || "-.".utf8.contains($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }
}

/// Marks the resource of a sign-in as used, for as long as it lives: another process whose sign-in fails then leaves the provider.
final class ResourceUse: Sendable {
    /// The file with a shared lock; -1 if it cannot be opened.
    private let descriptor: Int32

    init(of resource: WebURL, in context: CommandContext) {
        // In a folder of others, the lock could be theirs.
        guard let folder = try? context.directories.state, (try? PrivateFile.makeDirectory(folder, isPrivate: true)) != nil else {
            descriptor = -1
            return
        }
        descriptor = open("\(folder)/resource-\(resource.lockName).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // The lock of one process alone is short.
        while descriptor >= 0, flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
    }

    deinit { if descriptor >= 0 { FileLock.close(descriptor) } }

    /// Runs `body` if no other process uses the resource; none can begin meanwhile. Returns `nil` if one does.
    func alone<Value>(_ body: () throws(AuthFailure) -> Value) throws(AuthFailure) -> Value? {
        guard descriptor < 0 || FileLock.take(descriptor) else { return nil }
        defer { if descriptor >= 0 { _ = FileLock.take(descriptor, LOCK_SH) } }
        return try body()
    }
}

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
