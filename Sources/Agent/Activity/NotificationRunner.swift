public import AuthModel
import Glibc
import Localization
import OperatingSystem

/// Notifies the user that a session has ended: by the user's own command and by a desktop notification.
///
/// Commands are argument vectors and never pass through a shell. Text from a provider is passed in environment variables, and as one
/// argument of `notify-send`. Commands run one at a time, for at most ten seconds each.
public actor NotificationRunner {
    private let hook: [String]
    private let notifies: Bool
    private let environment: [String: String]
    private let time: any TimeSource
    private var last: Task<Void, Never>?
    private var waiting = 0

    /// Variables that only the agent may see.
    private static let own = Set(SocketActivation.variables + [ReadinessPipe.variable, AgentHandover.variable])

    /// Time limit for one command.
    static let limit = Duration.seconds(10)
    /// Maximum number of waiting notifications; further ones are dropped.
    static let queue = 32

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - hook: the command and its arguments; empty for none.
    ///   - notifies: whether `notify-send` is run as well.
    ///   - environment: the variables that the commands get in addition to the details.
    ///   - time: measures the time limit.
    public init(hook: [String] = [], notifies: Bool = false, environment: [String: String], time: any TimeSource) {
        self.hook = hook
        self.notifies = notifies
        self.environment = environment.filter { name, _ in !Self.own.contains(name) }
        self.time = time
    }

    /// Queues a notification.
    func announce(_ session: EndedSession) {
        let commands = (hook.isEmpty ? [] : [hook]) + (notifies ? [session.notification] : [])
        guard !commands.isEmpty, waiting < Self.queue else { return }
        waiting += 1
        let (before, environment, time) = (last, environment.merging(session.environment) { _, fact in fact }, time)
        last = Task {
            await before?.value
            for command in commands { await BoundedCommand(command, environment: environment).run(limit: Self.limit, time: time) }
            waiting -= 1
        }
    }

    /// Waits until all queued notifications are done.
    func waitUntilIdle() async { await last?.value }
}

/// A session that can no longer be renewed, for a notification to the user.
struct EndedSession: Equatable, Sendable {
    var session: SessionName
    /// The reason, in one line. It may contain text from the provider.
    var reason: UserMessage

    /// Returns the sessions that ended between two lists.
    static func between(_ before: [SessionName: SessionState], _ sessions: [SessionSummary]) -> [EndedSession] {
        sessions.filter { session in
            guard let old = before[session.name] else { return false }
            return isAlive(old) && !isAlive(session.recordedState)
        }.map { EndedSession(session: $0.name, reason: $0.warnings.last ?? "session.has_ended") }
    }

    private static func isAlive(_ state: SessionState) -> Bool {
        switch state {
        case .guest, .signingIn, .signedIn, .expiring, .renewing, .expired: true
        case .needsSignIn, .revoked, .error: false
        }
    }

    /// The details for a hook, as environment variables.
    var environment: [String: String] {
        [
            "YETT_EVENT": "sign_in_needed", "YETT_SESSION": session.description, "YETT_PROVIDER": session.provider.text,
            "YETT_ACCOUNT": session.account ?? "", "YETT_MESSAGE": Self.line(reason.english),
        ]
    }

    /// The arguments of a desktop notification. Some servers interpret the body as markup, so markup is escaped.
    var notification: [String] {
        let body = UserMessage("agent.ended_session_body", ["reason": Self.line(reason.english), "provider": session.provider]).english
        let escaped = body.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
        return ["notify-send", "--app-name=yett", "--", UserMessage("agent.session_needs_sign_in", ["session": session]).english, escaped]
    }

    /// Removes control characters, which an environment or a bus may pass to a terminal; limits the text to 500 bytes.
    private static func line(_ text: String) -> String {
        text.prefix(bytes: 500).filter {
            $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        }
    }
}

/// A command with a time limit. At the limit, it is killed with every process of its process group.
struct BoundedCommand: Sendable {
    private let command: [String]
    private let environment: [String: String]

    init(_ command: [String], environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// Runs the command and returns its exit status, or 128 plus the number of the signal that ended it; `nil` if it could not be started.
    @discardableResult
    func run(limit: Duration, time: any TimeSource) async -> Int32? {
        guard let program = command.first,
            let child = try? ChildProcess.start(program, Array(command.dropFirst()), environment: environment)
        else { return nil }
        let deadline = time.bootTime + limit
        let timer = Task {
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            // It leads a session and a group of its own. Not reaped before this task is over, so the number is still its own.
            kill(-child.id, SIGKILL)
        }
        await DetachedThread.run(stackSize: 256 << 10) { child.waitWithoutReaping() }
        timer.cancel()
        await timer.value
        return child.wait()
    }
}
