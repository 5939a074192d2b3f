/// Where what happened is written down, and read again.
///
/// A record and not a duty: where it cannot be written, the work goes on.
public protocol ActivityRecorder: Sendable {
    /// Adds a line.
    func record(_ activity: Activity)
    /// The newest lines, the newest first. Throws where there are lines that may not be read.
    func recorded(_ limit: Int) throws(AuthFailure) -> [Activity]
}
