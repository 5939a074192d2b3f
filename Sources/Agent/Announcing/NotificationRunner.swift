public import AuthModel

/// Tells the person that a grant is dead: by a command of theirs, and by a notification on their desktop.
///
/// Commands are argument vectors and never pass a shell; what comes from a provider stands in environment variables only. They run one at a
/// time, and for ten seconds at most.
public actor NotificationRunner {
    private let hook: [String]
    private let notifies: Bool
    private let environment: [String: String]
    private let time: any TimeSource
    private var last: Task<Void, Never>?
    private var waiting = 0

    /// What the agent was told by its starter, which is no business of others.
    private static let own = Set(SocketActivation.variables + [ReadinessPipe.variable])

    /// How long a command may run.
    static let limit = Duration.seconds(10)
    /// How many announcements wait at most; more are dropped.
    static let queue = 32

    /// - Parameters:
    ///   - hook: the command and its arguments; empty for none.
    ///   - notifies: whether `notify-send` is run as well.
    ///   - environment: what the commands see beside the facts.
    public init(hook: [String] = [], notifies: Bool = false, environment: [String: String], time: any TimeSource) {
        self.hook = hook
        self.notifies = notifies
        self.environment = environment.filter { name, _ in !Self.own.contains(name) }
        self.time = time
    }

    /// Puts an announcement into the queue.
    func announce(_ grant: EndedSession) {
        let commands = (hook.isEmpty ? [] : [hook]) + (notifies ? [grant.notification] : [])
        guard !commands.isEmpty, waiting < Self.queue else { return }
        waiting += 1
        let (before, environment, time) = (last, environment.merging(grant.environment) { _, fact in fact }, time)
        last = Task {
            await before?.value
            for command in commands { await BoundedCommand(command, environment: environment).run(limit: Self.limit, time: time) }
            waiting -= 1
        }
    }

    /// Waits until everything announced so far is through.
    func settle() async { await last?.value }
}
