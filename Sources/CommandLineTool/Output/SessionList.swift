internal import AuthModel
internal import Localization
internal import TerminalApp
internal import UserConfiguration

/// The sessions, as `yett status` and `yett login` print them.
struct SessionList: Answer {
    let sessions: [SessionSummary]
    /// The time for which session states are computed.
    let now: Timestamp
    /// The identities behind the sessions, where they are known.
    var details: [SessionName: SessionDetail] = [:]
    /// The providers known to have sessions without tokens.
    var opaque: Set<ProviderName> = []

    var json: JSONValue {
        .answer(list: "sessions", of: sessions) { session in
            let object = object(session)
            guard let detail = details[session.name] else { return object }
            var members = (object.members ?? []) + [.init("identity", Self.claims(of: detail.identity))]
            if !detail.actions.isEmpty { members.append(.init("actions", Self.actions(of: detail))) }
            return .object(members)
        }
    }

    /// Returns the userinfo claims, and those claims of the ID token that userinfo lacks.
    private static func claims(of identity: Identity) -> JSONValue {
        let known = identity.userInfo.members ?? []
        return .object(known + (identity.idTokenClaims.members ?? []).filter { claim in !known.contains { $0.name == claim.name } })
    }

    /// Returns the actions at the provider, and for each whether it needs a signed-in session.
    private static func actions(of detail: SessionDetail) -> JSONValue {
        .object(detail.actions.map { .init($0.name, $0.needsSignIn ? "signed_in" : "anybody") })
    }

    private func object(_ session: SessionSummary) -> JSONValue {
        let members = JSONValue.members(
            ("session", .string(session.name.description)),
            ("provider", .string(session.name.provider.text)),
            ("account", JSONValue(session.name.account)),
            ("issuer", JSONValue(session.issuer)),
            ("subject", JSONValue(session.subject)),
            ("state", .string(session.state(at: now).rawValue)),
            ("access_expires_at", JSONValue(session.accessExpiresAt)),
            ("refresh_expires_at", JSONValue(session.refreshExpiresAt)),
            ("renewable", .bool(session.isRenewable)),
            ("next_renewal_at", JSONValue(session.nextRenewalAt)),
            ("scopes", JSONValue(session.scopes.values)),
            ("granted_at", JSONValue(session.grantedAt)),
            ("last_used_at", JSONValue(session.lastUsedAt)),
            ("warnings", JSONValue(session.warnings.map(\.english))))
        // Added only for opaque sessions, so that all others keep their format.
        guard opaque.contains(session.name.provider) else { return members }
        return .object((members.members ?? []) + [.init("kind", "opaque")])
    }

    var lines: [String] {
        guard !sessions.isEmpty else { return [] }
        var table = TextTable("SESSION", "STATE", "LEFT", "RENEWS", "SCOPES")
        for session in sessions {
            table.add([
                session.name.description, Words.state(session.shownState(at: now)), left(session),
                session.isRenewable ? "yes" : "no", session.scopes.wire,
            ])
        }
        return table.lines
            + sessions.flatMap { session in session.warnings.map { "\(session.name): \($0.english)" } }
    }

    /// Returns the time left, in its two largest units.
    func left(_ session: SessionSummary) -> String {
        guard let end = session.accessExpiresAt else { return "-" }
        return end <= now ? "ended" : (end - now).formatted
    }
}

extension CommandContext {
    /// Returns the sessions at the current time. For JSON, also includes which of them are opaque, according to the configuration.
    ///
    /// If the configuration cannot be read, the sessions are shown without that.
    func sessionList(_ sessions: [SessionSummary], details: [SessionName: SessionDetail] = [:], asJSON: Bool) -> SessionList {
        let providers = asJSON ? (try? configurationFile().read())?.providers ?? [] : []
        let opaque = providers.filter { $0.kindSettings?.hasOpaqueSessions == true }.map(\.name)
        return SessionList(sessions: sessions, now: now, details: details, opaque: Set(opaque))
    }
}

extension Duration {
    /// The duration in its two largest units: `2 d 3 h`, `14 min 5 s`.
    var formatted: String {
        let seconds = max(0, wholeSeconds)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}

extension SessionSummary {
    /// Returns whether the session cannot be renewed, and has no more time left than the app gives notice before an end.
    func endsSoonUnrenewed(at now: Timestamp) -> Bool {
        !isRenewable && accessExpiresAt.map { $0 - now < SessionOverview.noticeTime } ?? false
    }

    /// Returns the time until `Duration.formatted` writes another time left, or none; `nil` if there is no end to come.
    func untilTextChanges(at now: Timestamp) -> Duration? {
        guard let end = accessExpiresAt, end > now else { return nil }
        let left = (end - now).wholeMilliseconds
        let unit: Int64 = left < 3_600_000 ? 1_000 : left < 86_400_000 ? 60_000 : 3_600_000
        // One instant after the last moment of the old text.
        return .milliseconds(min(left % unit + 1, left))
    }

    /// Returns the time until the token is about to expire or, if it already is, until it has expired; `nil` if there is no end to come.
    func untilStateChanges(at now: Timestamp) -> Duration? {
        guard let end = accessExpiresAt, end > now else { return nil }
        let left = end - now
        // One instant after the last moment of the old state.
        return left < Self.freshness ? left : left - Self.freshness + .milliseconds(1)
    }
}

/// One short line about sessions for a shell prompt or a status bar: `▲1 work 5m`, or `8 ok`.
struct PromptLine: Equatable {
    /// The line; `nil` without sessions, so that the prompt shows nothing.
    let text: String?

    /// - Parameter showsUnicode: whether the locale has the sign `▲`; otherwise `!` is used.
    init(_ sessions: [SessionSummary], at now: Timestamp, showsUnicode: Bool) {
        let named = sessions.filter { $0.shownState(at: now).needsAction || $0.endsSoonUnrenewed(at: now) }
            .sorted { Self.end($0, now) < Self.end($1, now) }
        guard let first = named.first else {
            switch sessions.count {
            case 0: text = nil
            case 1: text = [sessions[0].name.description, Self.left(sessions[0], at: now)].compactMap(\.self).joined(separator: " ")
            default: text = "\(sessions.count) ok"
            }
            return
        }
        text = "\(showsUnicode ? "▲" : "!")\(named.count) \(first.name) \(Self.left(first, at: now) ?? "ended")"
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
