import AuthModel
import Crypto

/// A session's row: its summary without the last use, which is not authenticated.
struct SessionColumns: ClearColumns {
    static let table = "sessions"
    static let names = [
        "provider", "account", "issuer", "subject", "recorded_state", "access_expires_at", "refresh_expires_at", "renewable",
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

/// The columns that a table stores unencrypted beside a sealed payload, and authenticates with it.
protocol ClearColumns: Sendable {
    static var table: String { get }
    /// The column names, in the order of ``databaseValues``.
    static var names: [String] { get }
    var databaseValues: [SQLiteValue] { get }
    init(_ reader: inout ColumnReader) throws(StoreError)
}

/// Reads a row's values one after the other. Throws ``StoreError/Kind/altered`` for a value of the wrong type, because yett did not write
/// it.
struct ColumnReader {
    private var values: ArraySlice<SQLiteValue>
    /// The scopes read so far, by their text. Most sessions have the same scopes.
    private var knownScopes: [String: ScopeSet] = [:]

    init(_ values: ArraySlice<SQLiteValue> = []) { self.values = values }

    /// Continues with another row.
    mutating func begin(_ values: ArraySlice<SQLiteValue>) { self.values = values }

    private mutating func next() throws(StoreError) -> SQLiteValue {
        guard let value = values.popFirst() else { throw StoreError(.altered) }
        return value
    }

    mutating func integer() throws(StoreError) -> Int64 {
        guard case .integer(let number) = try next() else { throw StoreError(.altered) }
        return number
    }

    mutating func text() throws(StoreError) -> String {
        guard case .text(let text) = try next() else { throw StoreError(.altered) }
        return text
    }

    mutating func blob() throws(StoreError) -> [UInt8] {
        guard case .blob(let bytes) = try next() else { throw StoreError(.altered) }
        return bytes
    }

    mutating func flag() throws(StoreError) -> Bool {
        switch try integer() {
        case 0: return false
        case 1: return true
        default: throw StoreError(.altered)
        }
    }

    mutating func moment() throws(StoreError) -> Timestamp { Timestamp(milliseconds: try integer()) }

    private mutating func skipsNull() -> Bool {
        guard values.first == .null else { return false }
        values.removeFirst()
        return true
    }

    mutating func optionalInteger() throws(StoreError) -> Int64? { skipsNull() ? nil : try integer() }
    mutating func optionalText() throws(StoreError) -> String? { skipsNull() ? nil : try text() }
    mutating func optionalBlob() throws(StoreError) -> [UInt8]? { skipsNull() ? nil : try blob() }
    mutating func optionalMoment() throws(StoreError) -> Timestamp? { skipsNull() ? nil : try moment() }

    /// Reads texts that were joined by line feeds.
    mutating func lines() throws(StoreError) -> [String] { Self.lines(of: try text()) }

    mutating func scopes() throws(StoreError) -> ScopeSet {
        let text = try text()
        if let known = knownScopes[text] { return known }
        let scopes = ScopeSet(Self.lines(of: text))
        knownScopes[text] = scopes
        return scopes
    }

    private static func lines(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }
}

extension Timestamp {
    var databaseValue: SQLiteValue { .integer(milliseconds) }
}

extension Optional where Wrapped == Timestamp {
    var databaseValue: SQLiteValue { map(\.databaseValue) ?? .null }
}

extension [String] {
    /// Joins the texts by line feeds. Line breaks within a text become spaces.
    var joinedLines: SQLiteValue {
        let lines = map { text in
            guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
            return String(text.map { $0.isNewline ? " " : $0 })
        }
        return .text(lines.joined(separator: "\n"))
    }
}

/// The last use of a session's token: the time and the caller.
///
/// It is written often, so it is stored separately and not sealed. A checksum detects damage; nothing relies on it further.
struct LastUse {
    var at: Timestamp
    var by: String?

    /// Maximum size of ``by``, in bytes.
    static let callerLimit = 1000

    /// Creates the last use, with a bounded caller.
    init(at moment: Timestamp, by caller: String?) {
        at = moment
        by = caller.map { String($0.prefix(bytes: Self.callerLimit).map { $0 == "\0" ? " " : $0 }) }
    }

    /// Creates a last use as it is stored: its checksum is of this very text.
    private init(stored by: String?, at: Timestamp) {
        self.at = at
        self.by = by
    }

    private func checksum(id: Int64) -> [UInt8] {
        var bytes = CanonicalBytes(purpose: "yett store 1 hand-out")
        bytes.append(id)
        bytes.append(at.milliseconds)
        bytes.append(SQLiteValue(by))
        return Array(SHA256.hash(data: bytes.bytes).prefix(8))
    }

    func store(for id: Int64, in db: Database) throws {
        try db.run(
            "INSERT OR REPLACE INTO last_uses (id, at, by, checksum) VALUES (?, ?, ?, ?)",
            [.integer(id), at.databaseValue, SQLiteValue(by), .blob(checksum(id: id))])
    }

    /// Returns the last use of each session.
    static func all(in db: Database) throws -> [Int64: LastUse] {
        var all: [Int64: LastUse] = [:]
        try db.forEachRow(of: "SELECT id, at, by, checksum FROM last_uses") { row in
            let (id, use) = try checked(row)
            all[id] = use
        }
        return all
    }

    /// Returns the last use of one session.
    static func last(of id: Int64, in db: Database) throws -> LastUse? {
        try db.rows(of: "SELECT id, at, by, checksum FROM last_uses WHERE id = ?", [.integer(id)]).first.map { try checked($0).use }
    }

    private static func checked(_ row: [SQLiteValue]) throws -> (id: Int64, use: LastUse) {
        var reader = ColumnReader(row[...])
        let id = try reader.integer()
        let at = try reader.moment()
        let use = LastUse(stored: try reader.optionalText(), at: at)
        guard try reader.blob() == use.checksum(id: id) else { throw StoreError(.altered) }
        return (id, use)
    }

    static func remove(for id: Int64, in db: Database) throws {
        try db.run("DELETE FROM last_uses WHERE id = ?", [.integer(id)])
    }
}
