package import AuthModel

/// A session that is waiting to be forgotten, and can still be restored.
///
/// Nothing is deleted before the time is over: if the program ends before that, the session is kept.
package struct PendingForget: Equatable, Sendable {
    /// The time in which the user can undo it.
    package static let time = Duration.seconds(10)

    package let name: SessionName
    /// The time to forget the session; nil until the first tick, because the app's last known time may be old.
    package var until: Timestamp?

    /// Creates a wait that begins with the next tick.
    package init(name: SessionName) { self.name = name }
}
