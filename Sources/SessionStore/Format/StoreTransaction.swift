import AuthModel
import Crypto

/// The store within one transaction: the clear part of every row, checked as a whole.
///
/// The roster holds a digest of header and rows, so that a missing, doubled, older or altered row is detected even while the store is
/// locked. With the keys, the digest's authentication code also detects a forgery. Nothing is used or written before both are valid.
struct StoreTransaction {
    let database: Database
    /// The part that is kept after the transaction.
    private(set) var contents: Contents
    private var isChanged = false
    private let keys: StoreKeys?

    /// The clear part of every row, the revision and the next id.
    struct Contents: Sendable {
        var header: Header
        var sessions: SealedTable<SessionColumns>
        var revocations: SealedTable<RevocationColumns>
        var values: SealedTable<ValueColumns>
        var revision: Int64 = 0
        var nextID: Int64 = 1
    }

    var header: Header { contents.header }
    var sessions: SealedTable<SessionColumns> { contents.sessions }
    var revocations: SealedTable<RevocationColumns> { contents.revocations }
    var values: SealedTable<ValueColumns> { contents.values }

    /// Reads and checks the store.
    init(in db: Database, keys: StoreKeys?) throws {
        let (transaction, digest, code) = try StoreTransaction.unchecked(in: db, keys: keys)
        let actual = transaction.digest
        guard digest == actual else { throw StoreError(.altered) }
        if let keys {
            guard keys.isValid(code, for: actual) else { throw StoreError(.altered) }
        }
        self = transaction
    }

    /// Uses contents that were checked before, if no other connection has written since.
    init(_ contents: Contents, in db: Database, keys: StoreKeys?) {
        database = db
        self.contents = contents
        self.keys = keys
    }

    /// Reads the store and the roster without comparing them.
    static func unchecked(in db: Database, keys: StoreKeys?) throws -> (transaction: StoreTransaction, digest: [UInt8], code: [UInt8]) {
        var transaction = try StoreTransaction(rowsIn: db, header: Header(in: db), keys: keys)
        let rows = try db.rows(of: "SELECT revision, next_id, digest, code FROM roster")
        guard let roster = rows.first, rows.count == 1 else { throw StoreError(.altered) }
        var reader = ColumnReader(roster[...])
        transaction.contents.revision = try reader.integer()
        transaction.contents.nextID = try reader.integer()
        return (transaction, try reader.blob(), try reader.blob())
    }

    /// Creates an empty store.
    static func create(_ header: Header, keys: StoreKeys, in db: Database) throws {
        try header.write(in: db)
        var transaction = try StoreTransaction(rowsIn: db, header: header, keys: keys)
        try transaction.writeRoster()
    }

    private init(rowsIn db: Database, header: Header, keys: StoreKeys?) throws {
        let contents = Contents(
            header: header, sessions: try SealedTable(in: db, store: header.store),
            revocations: try SealedTable(in: db, store: header.store),
            values: try SealedTable(in: db, store: header.store))
        self.init(contents, in: db, keys: keys)
    }

    /// The digest of everything except the payloads, which are represented by their tags.
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
        try database.run("DELETE FROM roster")
        try database.run(
            "INSERT INTO roster (revision, next_id, digest, code) VALUES (?, ?, ?, ?)",
            [.integer(contents.revision), .integer(contents.nextID), .blob(digest), .blob(code)])
    }

    /// Writes the new revision and roster if anything was changed. Ends the transaction.
    mutating func close() throws {
        guard isChanged else { return }
        contents.revision += 1
        try writeRoster()
    }

    /// Makes the next ``close()`` write even if nothing was changed.
    mutating func touch() { isChanged = true }

    /// Replaces the header. The data key stays the same.
    mutating func replaceHeader(_ header: Header) throws {
        try header.write(in: database)
        contents.header = header
        isChanged = true
    }

    /// Replaces the header by `draft`, with the data key of this store wrapped by `key`. Returns it.
    mutating func replaceHeader(_ draft: Header, wrappingKeysWith key: SymmetricKey) throws -> Header {
        var header = draft
        try header.wrap(unlockedKeys(), with: key)
        try replaceHeader(header)
        return header
    }

    private mutating func newID() -> Int64 {
        defer { contents.nextID += 1 }
        return contents.nextID
    }

    /// Seals and writes a row; replaces the row `id`, or adds one for `nil`. Returns the row's id.
    @discardableResult
    mutating func put<Columns>(
        _ columns: Columns, payload: Secret, id: Int64?, on table: WritableKeyPath<Contents, SealedTable<Columns>>
    ) throws -> Int64 {
        let keys = try unlockedKeys()
        let id = id ?? newID()
        try contents[keyPath: table].put(
            columns, payload: payload, id: id, version: contents.revision + 1, store: header.store, keys: keys, in: database)
        isChanged = true
        return id
    }

    /// Removes a row, if there is one.
    mutating func remove<Columns>(_ id: Int64, from table: WritableKeyPath<Contents, SealedTable<Columns>>) throws {
        guard contents[keyPath: table].entries.contains(where: { $0.id == id }) else { return }
        try contents[keyPath: table].remove(id: id, in: database)
        isChanged = true
    }

    func payload<Columns>(of entry: Entry<Columns>, on table: KeyPath<Contents, SealedTable<Columns>>) throws -> Secret {
        try contents[keyPath: table].payload(of: entry, keys: unlockedKeys(), in: database)
    }

    /// Returns every session's summary, with its last use.
    func summaries() throws -> [SessionSummary] {
        let lastUses = try LastUse.all(in: database)
        let names = sessions.entries.map(\.columns.name)
        return names.indices.sorted { names[$0] < names[$1] }.map { index in
            let entry = sessions.entries[index]
            return entry.summary(with: lastUses[entry.id])
        }
    }

    func entry(named name: SessionName) -> Entry<SessionColumns>? { sessions.entries.first { $0.columns.name == name } }

    func record(named name: SessionName) throws -> SessionRecord? { try entry(named: name).map { try record($0) } }

    /// Opens a session's payload and returns its record.
    func record(_ entry: Entry<SessionColumns>) throws -> SessionRecord {
        let payload = try payload(of: entry, on: \.sessions)
        return try SessionPayload(payload).record(entry.summary(with: try LastUse.last(of: entry.id, in: database)))
    }

    /// Adds a session. Throws ``StoreError/Kind/nameTaken(_:)`` if its name is in use.
    mutating func insert(_ record: SessionRecord) throws {
        guard entry(named: record.summary.name) == nil else { throw StoreError(.nameTaken(record.summary.name)) }
        try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: nil, on: \.sessions)
    }

    /// Adds sessions. Throws ``StoreError/Kind/nameTaken(_:)`` if a name is in use.
    mutating func insert(_ records: [SessionRecord]) throws {
        var names = Set(sessions.entries.map(\.columns.name))
        for record in records {
            guard names.insert(record.summary.name).inserted else { throw StoreError(.nameTaken(record.summary.name)) }
            try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: nil, on: \.sessions)
        }
    }

    mutating func replace(_ name: SessionName, with record: SessionRecord) throws {
        guard let old = entry(named: name) else { throw StoreError(.notFound(name)) }
        if let other = entry(named: record.summary.name), other.id != old.id { throw StoreError(.nameTaken(record.summary.name)) }
        try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: old.id, on: \.sessions)
    }

    mutating func delete(_ name: SessionName) throws {
        guard let entry = entry(named: name) else { return }
        try remove(entry.id, from: \.sessions)
        try LastUse.remove(for: entry.id, in: database)
    }

    /// Returns the name for an account with a suggested label: its existing name, else `name`, else `name` with the first free number.
    func unusedName(like name: SessionName, for known: Entry<SessionColumns>?) throws(StoreError) -> SessionName {
        if let known { return known.columns.name }
        guard let label = name.account else { throw StoreError(.invalid(UserMessage("store.session_without_account_label"))) }
        var candidate = name
        var number = 1
        while entry(named: candidate) != nil {
            number += 1
            let suffix = "-\(number)"
            var stem = label
            while stem.utf8.count + suffix.utf8.count > 256 { stem.removeLast() }
            guard let next = SessionName(provider: name.provider, account: stem + suffix) else {
                throw StoreError(.nameTaken(name))
            }
            candidate = next
        }
        return candidate
    }

    func value(for name: String) throws -> Secret? { try valueEntry(name).map { try payload(of: $0, on: \.values) } }

    mutating func setValue(_ value: Secret?, for name: String) throws {
        let entry = valueEntry(name)
        if let value {
            try put(ValueColumns(name: name), payload: value, id: entry?.id, on: \.values)
        } else if let entry {
            try remove(entry.id, from: \.values)
        }
    }

    private func valueEntry(_ name: String) -> Entry<ValueColumns>? {
        values.entries.first { $0.columns.name.hasSameBytes(as: name) }
    }
}

// MARK: Rows

extension Entry where Columns == SessionColumns {
    func summary(with lastUse: LastUse?) -> SessionSummary {
        var summary = columns.summary
        summary.lastUsedAt = lastUse?.at
        summary.lastUsedBy = lastUse?.by.map(UserMessage.init(line:))
        return summary
    }
}
