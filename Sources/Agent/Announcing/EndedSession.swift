import AuthModel

/// A session that cannot be renewed any more, as the person is told of it.
struct EndedSession: Equatable, Sendable {
    var session: SessionName
    /// Why, in one line; from the provider in part.
    var reason: String

    /// The sessions that died between two looks.
    static func between(_ before: [SessionName: SessionState], _ sessions: [SessionSummary]) -> [EndedSession] {
        sessions.filter { session in
            guard let old = before[session.name] else { return false }
            return isAlive(old) && !isAlive(session.settledState)
        }.map { EndedSession(session: $0.name, reason: $0.warnings.last ?? "the session has ended") }
    }

    private static func isAlive(_ state: SessionState) -> Bool {
        switch state {
        case .guest, .signingIn, .signedIn, .expiring, .renewing, .expired: true
        case .needsSignIn, .revoked, .error: false
        }
    }

    /// The facts for a hook, as environment variables.
    var environment: [String: String] {
        [
            "YETT_EVENT": "sign_in_needed", "YETT_SESSION": session.description, "YETT_PROVIDER": session.provider.text,
            "YETT_ACCOUNT": session.account ?? "", "YETT_MESSAGE": Self.line(reason),
        ]
    }

    /// The arguments of a desktop notification. Its body is markup to some servers, so what could be markup is escaped.
    var notification: [String] {
        let body = "\(Self.line(reason)). Sign in again with: yett login \(session.provider)"
        let escaped = body.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
        return ["notify-send", "--app-name=yett", "--", "\(session) needs a sign-in", escaped]
    }

    /// Without control characters, which an environment or a bus may pass on to a terminal; at most 500 characters.
    private static func line(_ text: String) -> String {
        String(
            text.filter {
                $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
            }.prefix(500))
    }
}
