package import AuthModel

extension AppModel {
    /// Adds the activity from before the app started to the activity since then.
    ///
    /// - Parameter earlier: the newest first. Entries from the time of reading may be in both lists.
    package mutating func remember(earlier: [Activity]) {
        activity = earlier.reversed().filter { !activity.contains($0) } + activity
    }
}
