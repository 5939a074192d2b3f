internal import AuthModel

/// One short line about sessions for a shell prompt or a status bar: `▲1 work 5m`, or `8 ok`.
struct PromptLine: Equatable {
    /// The line; `nil` without sessions, so that the prompt shows nothing.
    let text: String?

    /// Sessions that cannot renew are reported this long before they end.
    static let notice = Duration.seconds(300)

    /// - Parameter showsUnicode: whether the locale has the sign `▲`; otherwise `!` is used.
    init(_ sessions: [SessionSummary], at now: Timestamp, showsUnicode: Bool) {
        let urgent = sessions.filter { Self.needsUser($0, at: now) }.sorted { Self.end($0, now) < Self.end($1, now) }
        guard let first = urgent.first else {
            switch sessions.count {
            case 0: text = nil
            case 1: text = [sessions[0].name.description, Self.left(sessions[0], at: now)].compactMap(\.self).joined(separator: " ")
            default: text = "\(sessions.count) ok"
            }
            return
        }
        text = "\(showsUnicode ? "▲" : "!")\(urgent.count) \(first.name) \(Self.left(first, at: now) ?? "ended")"
    }

    /// Returns whether a session has ended, or ends soon and cannot renew itself.
    private static func needsUser(_ session: SessionSummary, at now: Timestamp) -> Bool {
        switch session.state(at: now) {
        case .needsSignIn, .revoked, .error: true
        default: !session.isRenewable && session.accessExpiresAt.map { $0 - now < notice } ?? false
        }
    }

    private static func end(_ session: SessionSummary, _ now: Timestamp) -> Timestamp { session.accessExpiresAt ?? now }

    /// Returns the remaining time in one unit; `nil` if the session has ended or has no end.
    private static func left(_ session: SessionSummary, at now: Timestamp) -> String? {
        guard let end = session.accessExpiresAt, end > now, ![.needsSignIn, .revoked, .error].contains(session.state(at: now)) else {
            return nil
        }
        let seconds = (end - now).wholeSeconds
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
