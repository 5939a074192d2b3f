package import AuthModel

extension AppModel {
    /// Whether the agent gives no token to the program with this path.
    package func isBlocked(_ path: String) -> Bool { settings?[.blockedProgram(path)]?.value == .flag(true) }

    /// Adds the activity from before the app started to the activity since then.
    ///
    /// - Parameter earlier: the newest first. Entries from the time of reading may be in both lists.
    package mutating func remember(earlier: [Activity]) {
        var known = activity
        let unknown = earlier.reversed().filter { entry in
            guard let index = known.firstIndex(where: { $0.isSame(as: entry) }) else { return true }
            known.remove(at: index)
            return false
        }
        activity = unknown + activity
    }
}

extension Activity {
    /// Whether both are about the same event. The service and the log of the agent describe the use of a token each in its own way, one after
    /// the other.
    fileprivate func isSame(as other: Activity) -> Bool {
        if self == other { return true }
        guard kind == .issued, other.kind == .issued, session == other.session, let use = TokenUse(of: self) else { return false }
        return use == TokenUse(of: other) && abs((at - other.at).wholeMilliseconds) <= 1000
    }
}
