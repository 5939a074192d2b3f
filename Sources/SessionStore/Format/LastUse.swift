import AuthModel
import Crypto
import Synchronization

extension SessionStore {
    /// The store as the last transaction left it, kept so that the next transaction need not read and check all rows.
    ///
    /// It is valid as long as SQLite reports that no other connection has written. It contains no secret.
    struct Seen: Sendable {
        var contents: StoreTransaction.Contents
        var mark: Mark

        /// Identifies the state of the database, and records which checks it passed.
        struct Mark: Sendable {
            /// `PRAGMA data_version`: it changes after each commit of another connection, and after none of this one's.
            var version: Int64
            /// The connection that this version belongs to.
            var connection: ObjectIdentifier
            /// Whether the keys authenticated the contents, and not only their own digest.
            var isAuthenticated: Bool
            /// Whether the database's structure was checked.
            var isSound: Bool
        }
    }

    /// Returns the checked store within a transaction: the remembered one, or else newly read. Clears the remembered one, so that it is
    /// changed without a copy.
    ///
    /// A page with overlapping parts may still be readable, but writing to it would destroy the data beneath. So before writing to data
    /// that another connection wrote, the database's structure is checked in addition to its content.
    func openTransaction(in db: Database, keys: StoreKeys?, forWriting: Bool) throws -> (transaction: StoreTransaction, mark: Seen.Mark) {
        guard let version = try db.firstValue(of: "PRAGMA data_version")?.integer else { throw StoreError(.corrupt) }
        let connection = ObjectIdentifier(db)
        let seen = state.withLock { state -> Seen? in
            defer { state.seen = nil }
            guard let mark = state.seen?.mark, mark.version == version, mark.connection == connection else { return nil }
            return keys == nil || mark.isAuthenticated ? state.seen : nil
        }
        guard try seen != nil || hasWholePages(db) else { throw StoreError(.corrupt) }
        var mark = seen?.mark ?? Seen.Mark(version: version, connection: connection, isAuthenticated: keys != nil, isSound: false)
        if forWriting, !mark.isSound {
            guard try db.firstValue(of: "PRAGMA quick_check(1)")?.text == "ok" else { throw StoreError(.corrupt) }
            mark.isSound = true
        }
        return (try seen.map { StoreTransaction($0.contents, in: db, keys: keys) } ?? StoreTransaction(in: db, keys: keys), mark)
    }

    /// Returns whether the file ends with a complete page. SQLite reads the missing end of a page as zeros, which changes nothing if the page
    /// was not full.
    func hasWholePages(_ db: Database) throws -> Bool {
        guard let path = databasePath, let size = try FileGuard.check(file: path) else { return true }
        guard let page = try db.firstValue(of: "PRAGMA page_size")?.integer, page > 0 else { return false }
        return Int64(size) % page == 0
    }
}

/// When a session's token was last used, and by which caller.
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
