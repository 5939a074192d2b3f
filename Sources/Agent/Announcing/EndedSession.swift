import AuthModel
import Localization

/// A session that can no longer be renewed, for a notification to the user.
struct EndedSession: Equatable, Sendable {
    var session: SessionName
    /// The reason, in one line. It may contain text from the provider.
    var reason: UserMessage

    /// Returns the sessions that ended between two lists.
    static func between(_ before: [SessionName: SessionState], _ sessions: [SessionSummary]) -> [EndedSession] {
        sessions.filter { session in
            guard let old = before[session.name] else { return false }
            return isAlive(old) && !isAlive(session.recordedState)
        }.map { EndedSession(session: $0.name, reason: $0.warnings.last ?? "session.has_ended") }
    }

    private static func isAlive(_ state: SessionState) -> Bool {
        switch state {
        case .guest, .signingIn, .signedIn, .expiring, .renewing, .expired: true
        case .needsSignIn, .revoked, .error: false
        }
    }

    /// The details for a hook, as environment variables.
    var environment: [String: String] {
        [
            "YETT_EVENT": "sign_in_needed", "YETT_SESSION": session.description, "YETT_PROVIDER": session.provider.text,
            "YETT_ACCOUNT": session.account ?? "", "YETT_MESSAGE": Self.line(reason.english),
        ]
    }

    /// The arguments of a desktop notification. Some servers interpret the body as markup, so markup is escaped.
    var notification: [String] {
        let body = UserMessage("agent.ended_session_body", ["reason": Self.line(reason.english), "provider": session.provider]).english
        let escaped = body.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
        return ["notify-send", "--app-name=yett", "--", UserMessage("agent.session_needs_sign_in", ["session": session]).english, escaped]
    }

    /// Removes control characters, which an environment or a bus may pass to a terminal; limits the text to 500 bytes.
    private static func line(_ text: String) -> String {
        text.prefix(bytes: 500).filter {
            $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        }
    }
}
