import AuthModel
import SQLite

/// A session's row: its summary without the last use, which is not authenticated.
struct SessionColumns: ClearColumns {
    static let table = "sessions"
    static let names = [
        "provider", "account", "issuer", "subject", "settled_state", "access_expires_at", "refresh_expires_at", "renewable",
        "next_renewal_at", "scopes", "granted_at", "received_at", "warnings",
    ]

    /// The summary without `lastUsedAt` and `lastUsedBy`.
    let summary: SessionSummary

    var name: SessionName { summary.name }

    init(_ summary: SessionSummary) throws(StoreError) {
        guard summary.name.account != nil else { throw StoreError(.invalid(UserMessage("store.session_without_account_label"))) }
        var summary = summary
        summary.lastUsedAt = nil
        summary.lastUsedBy = nil
        self.summary = summary
    }

    init(_ reader: inout ColumnReader) throws(StoreError) {
        guard let provider = ProviderName(try reader.text()), let name = SessionName(provider: provider, account: try reader.text()) else {
            throw StoreError(.altered)
        }
        let issuer = try reader.optionalText()
        let subject = try reader.optionalText()
        guard let state = SessionState(rawValue: try reader.text()) else { throw StoreError(.altered) }
        summary = SessionSummary(
            name: name, issuer: issuer, subject: subject, recordedState: state, accessExpiresAt: try reader.optionalMoment(),
            refreshExpiresAt: try reader.optionalMoment(), isRenewable: try reader.flag(), nextRenewalAt: try reader.optionalMoment(),
            scopes: try reader.scopes(), grantedAt: try reader.moment(), receivedAt: try reader.moment(),
            warnings: try reader.lines().map(UserMessage.init(line:)))
    }

    var databaseValues: [SQLiteValue] {
        [
            .text(summary.name.provider.text), SQLiteValue(summary.name.account), SQLiteValue(summary.issuer), SQLiteValue(summary.subject),
            .text(summary.recordedState.rawValue), summary.accessExpiresAt.databaseValue, summary.refreshExpiresAt.databaseValue,
            .integer(summary.isRenewable ? 1 : 0), summary.nextRenewalAt.databaseValue, summary.scopes.values.joinedLines,
            summary.grantedAt.databaseValue, summary.receivedAt.databaseValue, summary.warnings.map(\.line).joinedLines,
        ]
    }

    /// Returns whether `other` is a session of the same account: the same provider, issuer and subject, byte for byte. Without a subject,
    /// the name identifies the account.
    func isSameAccount(as other: SessionSummary) -> Bool {
        guard name.provider == other.name.provider, (summary.issuer ?? "").utf8.elementsEqual((other.issuer ?? "").utf8) else {
            return false
        }
        guard let subject = summary.subject, let wrongSubject = other.subject else {
            return summary.subject == nil && other.subject == nil && name == other.name
        }
        return subject.hasSameBytes(as: wrongSubject)
    }
}

/// The row of a queued revocation.
struct RevocationColumns: ClearColumns {
    static let table = "revocations"
    static let names = ["provider", "queued_at", "attempts", "next_attempt_at"]

    var provider: String
    var queuedAt: Timestamp
    var attempts: Int64
    var nextAttemptAt: Timestamp

    init(provider: String, queuedAt: Timestamp, attempts: Int64, nextAttemptAt: Timestamp) {
        self.provider = provider
        self.queuedAt = queuedAt
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
    }

    init(_ reader: inout ColumnReader) throws(StoreError) {
        provider = try reader.text()
        queuedAt = try reader.moment()
        attempts = try reader.integer()
        nextAttemptAt = try reader.moment()
    }

    var databaseValues: [SQLiteValue] {
        [.text(provider), queuedAt.databaseValue, .integer(attempts), nextAttemptAt.databaseValue]
    }
}

/// The row of another sealed value.
struct ValueColumns: ClearColumns {
    static let table = "kept"
    static let names = ["name"]

    var name: String

    init(name: String) { self.name = name }
    init(_ reader: inout ColumnReader) throws(StoreError) { name = try reader.text() }
    var databaseValues: [SQLiteValue] { [.text(name)] }
}
