import AuthModel
import Crypto
import FoundationEssentials
import GRDB

/// The store as one transaction sees it: the clear part of every row, checked as a whole.
///
/// The roster holds a digest of header and rows, so that a row that is missing, doubled, older or altered is noticed even while the
/// store is locked; with the keys, the digest's authentication code tells an accident from a forgery. Nothing is used, and nothing
/// written, before both hold.
struct Ledger {
    let database: Database
    /// What is remembered of it once the transaction is over.
    private(set) var contents: Contents
    private var isChanged = false
    private let keys: StoreKeys?

    /// The clear part of every row, and the numbers that count.
    struct Contents: Sendable {
        var header: Header
        var sessions: Shelf<SessionColumns>
        var revocations: Shelf<RevocationColumns>
        var values: Shelf<ValueColumns>
        var revision: Int64 = 0
        var nextID: Int64 = 1
    }

    var header: Header { contents.header }
    var sessions: Shelf<SessionColumns> { contents.sessions }
    var revocations: Shelf<RevocationColumns> { contents.revocations }
    var values: Shelf<ValueColumns> { contents.values }

    /// Reads and checks the store.
    init(in db: Database, keys: StoreKeys?) throws {
        let (ledger, digest, code) = try Ledger.unchecked(in: db, keys: keys)
        let actual = ledger.digest
        guard digest == actual else { throw StoreError(.altered) }
        if let keys {
            guard keys.isValid(code, for: actual) else { throw StoreError(.altered) }
        }
        self = ledger
    }

    /// What was checked before, where nobody else has written since.
    init(_ contents: Contents, in db: Database, keys: StoreKeys?) {
        database = db
        self.contents = contents
        self.keys = keys
    }

    /// Reads the store, and what the roster says of it.
    static func unchecked(in db: Database, keys: StoreKeys?) throws -> (ledger: Ledger, digest: [UInt8], code: [UInt8]) {
        var ledger = try Ledger(rowsIn: db, header: Header(in: db), keys: keys)
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT revision, next_id, digest, code FROM roster"))
        guard let roster = rows.first, rows.count == 1 else { throw StoreError(.altered) }
        var reader = ColumnReader(Array(roster.databaseValues)[...])
        ledger.contents.revision = try reader.integer()
        ledger.contents.nextID = try reader.integer()
        return (ledger, Array(try reader.blob()), Array(try reader.blob()))
    }

    /// Lays out an empty store.
    static func create(_ header: Header, keys: StoreKeys, in db: Database) throws {
        try header.write(in: db)
        var ledger = try Ledger(rowsIn: db, header: header, keys: keys)
        try ledger.writeRoster()
    }

    private init(rowsIn db: Database, header: Header, keys: StoreKeys?) throws {
        let contents = Contents(
            header: header, sessions: try Shelf(in: db, store: header.store), revocations: try Shelf(in: db, store: header.store),
            values: try Shelf(in: db, store: header.store))
        self.init(contents, in: db, keys: keys)
    }

    /// The digest of everything but the payloads, whose tags stand for them.
    var digest: [UInt8] {
        var head = CanonicalBytes(purpose: "yett store 1 roster")
        for value in header.values { head.append(value) }
        head.append(contents.revision)
        head.append(contents.nextID)
        var hasher = SHA256()
        hasher.update(data: head.bytes)
        sessions.hash(into: &hasher)
        revocations.hash(into: &hasher)
        values.hash(into: &hasher)
        return Array(hasher.finalize())
    }

    private func unlockedKeys() throws(StoreError) -> StoreKeys {
        guard let keys else { throw StoreError(.locked) }
        return keys
    }

    private mutating func writeRoster() throws {
        let digest = digest
        let code = try unlockedKeys().authenticationCode(for: digest)
        try database.execute(sql: "DELETE FROM roster")
        try database.execute(
            sql: "INSERT INTO roster (revision, next_id, digest, code) VALUES (?, ?, ?, ?)",
            arguments: [contents.revision, contents.nextID, Data(digest), Data(code)])
    }

    /// Ends a transaction that may have changed something.
    mutating func close() throws {
        guard isChanged else { return }
        contents.revision += 1
        try writeRoster()
    }

    /// Has the next ``close()`` write, though nothing was changed.
    mutating func touch() { isChanged = true }

    /// Puts another header in the place of this one. The data key stays the same.
    mutating func replaceHeader(_ header: Header) throws {
        try header.write(in: database)
        contents.header = header
        isChanged = true
    }

    private mutating func newID() -> Int64 {
        defer { contents.nextID += 1 }
        return contents.nextID
    }
}

// MARK: Rows

extension Ledger {
    mutating func put(_ columns: SessionColumns, payload: Secret, id: Int64?) throws {
        try put(columns, payload: payload, id: id, on: \.sessions)
    }

    mutating func put(_ columns: RevocationColumns, payload: Secret, id: Int64?) throws -> Int64 {
        try put(columns, payload: payload, id: id, on: \.revocations)
    }

    mutating func put(_ columns: ValueColumns, payload: Secret, id: Int64?) throws {
        try put(columns, payload: payload, id: id, on: \.values)
    }

    @discardableResult
    private mutating func put<Columns>(
        _ columns: Columns, payload: Secret, id: Int64?, on shelf: WritableKeyPath<Contents, Shelf<Columns>>
    ) throws -> Int64 {
        let keys = try unlockedKeys()
        let id = id ?? newID()
        try contents[keyPath: shelf].put(
            columns, payload: payload, id: id, version: contents.revision + 1, store: header.store, keys: keys, in: database)
        isChanged = true
        return id
    }

    mutating func removeSession(id: Int64) throws { try remove(id, from: \.sessions) }
    mutating func removeRevocation(_ id: Int64) throws { try remove(id, from: \.revocations) }
    mutating func removeValue(id: Int64) throws { try remove(id, from: \.values) }

    private mutating func remove<Columns>(_ id: Int64, from shelf: WritableKeyPath<Contents, Shelf<Columns>>) throws {
        guard contents[keyPath: shelf].entries.contains(where: { $0.id == id }) else { return }
        try contents[keyPath: shelf].remove(id: id, in: database)
        isChanged = true
    }

    func payload<Columns>(of entry: Entry<Columns>, on shelf: KeyPath<Contents, Shelf<Columns>>) throws -> Secret {
        try contents[keyPath: shelf].payload(of: entry, keys: unlockedKeys(), in: database)
    }
}
