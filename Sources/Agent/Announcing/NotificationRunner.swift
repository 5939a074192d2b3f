public import AuthModel

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
    func settle() async { await last?.value }
}
