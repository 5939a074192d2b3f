package import AuthModel

/// The outcome of copying a token.
package enum CopyOutcome: Equatable, Sendable {
    /// The token is on the clipboard, for at most ``timeOnClipboard``.
    case copied(expiresAt: Timestamp?)
    /// No clipboard is reachable.
    case noClipboard
    case failed(AuthFailure)

    /// The time after which a token is cleared from the clipboard.
    package static let timeOnClipboard = Duration.seconds(45)
}
