import AuthModel

/// The agent's state, as the line that `systemctl status` shows.
struct ServiceStatus: Equatable, Sendable {
    var isLocked: Bool
    var sessions: Int
    /// The number of sessions that need a new sign-in.
    var ended: Int

    init(isLocked: Bool, sessions: [SessionSummary], at now: Timestamp) {
        self.isLocked = isLocked
        self.sessions = sessions.count
        ended = sessions.count { $0.hasEnded(at: now) }
    }

    var text: String {
        let seal = isLocked ? "Locked" : "Unlocked"
        let count =
            switch sessions {
            case 0: "no session"
            case 1: "1 session"
            default: "\(sessions) sessions"
            }
        return ended == 0 ? "\(seal), \(count)" : "\(seal), \(count), \(ended) ended"
    }
}
