/// Writes and reads the activity log.
///
/// A failed write does not stop the operation that is being recorded.
public protocol ActivityRecorder: Sendable {
    /// Adds an entry to the log.
    func record(_ activity: Activity)
    /// Returns at most `limit` entries, newest first. Throws if log entries exist and cannot be read.
    func recorded(_ limit: Int) throws(AuthFailure) -> [Activity]
}
