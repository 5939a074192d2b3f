import AuthModel

/// A session that is to be forgotten here, as long as that can be undone.
///
/// Nothing is done before the time is up: a program that ends until then has forgotten nothing.
struct PendingForget: Equatable, Sendable {
    /// How long it can be undone.
    static let time = Duration.seconds(10)

    let name: SessionName
    /// `nil` until the clock was looked at: what the app last knew of the time may be old.
    var until: Timestamp?
}
