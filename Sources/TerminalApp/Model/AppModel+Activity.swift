import AuthModel

extension AppModel {
    /// Puts what was written down before the app began in front of what it heard since.
    ///
    /// - Parameter earlier: the newest first. What happened while it was read may be in both.
    mutating func remember(earlier: [Activity]) {
        activity = earlier.reversed().filter { !activity.contains($0) } + activity
    }
}
