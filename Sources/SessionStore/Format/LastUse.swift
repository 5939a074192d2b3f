import AuthModel
import Crypto

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
