import AuthModel
import Crypto

/// The tables and their migrations.
///
/// There is no index except the primary keys: a store has few rows, all are read and checked together, and an index could be inconsistent
/// with its table.
enum Schema {
    /// "yett", in the database file's header.
    static let applicationID: Int64 = 0x7965_7474

    /// The names of the migrations that make the current tables. Their table was first written by GRDB, and keeps its name.
    private static let migrations: Set = ["1", renaming]
    private static let migrationTable = "grdb_migrations"

    /// The migration that gives a table and a column their current names.
    private static let renaming = "2"

    /// Creates the tables, within a transaction.
    static func create(in db: Database) throws(SQLiteError) {
        try db.execute(
            """
            PRAGMA application_id = \(applicationID);
            CREATE TABLE \(migrationTable) (identifier TEXT NOT NULL PRIMARY KEY);
            CREATE TABLE header (
                format INTEGER NOT NULL, store BLOB NOT NULL, seal TEXT NOT NULL,
                salt BLOB, cost INTEGER, block_size INTEGER, parallelism INTEGER, wrapped BLOB NOT NULL
            ) STRICT;
            CREATE TABLE roster (
                revision INTEGER NOT NULL, next_id INTEGER NOT NULL, digest BLOB NOT NULL, code BLOB NOT NULL
            ) STRICT;
            CREATE TABLE sessions (
                id INTEGER PRIMARY KEY, version INTEGER NOT NULL, tag BLOB NOT NULL,
                provider TEXT NOT NULL, account TEXT NOT NULL, issuer TEXT, subject TEXT, recorded_state TEXT NOT NULL,
                access_expires_at INTEGER, refresh_expires_at INTEGER, renewable INTEGER NOT NULL, next_renewal_at INTEGER,
                scopes TEXT NOT NULL, granted_at INTEGER NOT NULL, received_at INTEGER NOT NULL, warnings TEXT NOT NULL
            ) STRICT;
            CREATE TABLE revocations (
                id INTEGER PRIMARY KEY, version INTEGER NOT NULL, tag BLOB NOT NULL,
                provider TEXT NOT NULL, queued_at INTEGER NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE kept (
                id INTEGER PRIMARY KEY, version INTEGER NOT NULL, tag BLOB NOT NULL, name TEXT NOT NULL
            ) STRICT;
            CREATE TABLE payloads (id INTEGER PRIMARY KEY, box BLOB NOT NULL) STRICT;
            CREATE TABLE last_uses (
                id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT, checksum BLOB NOT NULL
            ) STRICT;
            """)
        for name in migrations.sorted() { try db.run("INSERT INTO \(migrationTable) (identifier) VALUES (?)", [.text(name)]) }
    }

    /// Returns whether an earlier version wrote the store. Throws if this is not a store of yett, if a newer version wrote it, or if it has
    /// only a part of what a version writes.
    static func needsMigration(_ db: Database) throws -> Bool {
        guard try db.firstValue(of: "PRAGMA application_id")?.integer == applicationID else { throw StoreError(.corrupt) }
        guard try db.firstValue(of: "SELECT count(*) FROM sqlite_master WHERE name = ?", [.text(migrationTable)]) == .integer(1) else {
            throw StoreError(.altered)
        }
        let done = try Set(db.rows(of: "SELECT identifier FROM \(migrationTable)").compactMap { $0.first?.text })
        guard done.isSubset(of: migrations) else { throw StoreError(.newerFormat) }
        guard done.contains("1") else { throw StoreError(.altered) }
        return !done.contains(renaming)
    }

    /// Changes the tables of an earlier version to the current ones, within a transaction. No row changes: digests do not cover names.
    static func migrate(_ db: Database) throws(SQLiteError) {
        try db.execute(
            """
            ALTER TABLE hand_outs RENAME TO last_uses;
            ALTER TABLE sessions RENAME COLUMN settled_state TO recorded_state;
            """)
        try db.run("INSERT INTO \(migrationTable) (identifier) VALUES (?)", [.text(renaming)])
    }

    /// Settings of every connection.
    ///
    /// Rollback journal and `synchronous = EXTRA`: a commit is durable, folder entry included, when it returns; the store at rest is one
    /// file, which can be read from a read-only disk; and the end of a commit is one event, the removal of the journal. The store is
    /// written a few times an hour, so the faster commit of a write-ahead log has no benefit.
    static func setUp(_ db: Database) throws(SQLiteError) {
        try db.execute(
            """
            PRAGMA synchronous = EXTRA;
            PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            """)
    }
}

/// The store's header: its identity, how it is sealed, and the wrapped data key.
struct Header: Equatable, Sendable {
    /// The format that this code writes: the sealed data, the algorithms and the authenticated contexts.
    static let currentFormat: Int64 = 1

    var format = Header.currentFormat
    /// The store's identity: 16 random bytes that never change.
    var store: [UInt8]
    var seal: Seal
    /// The key derivation for a passphrase; `nil` for other seals.
    var derivation: KeyDerivation?
    /// The wrapped data key; empty for a store in memory.
    var wrapped: [UInt8] = []
    /// The data with which the key storage finds its key again, for ``Seal/system`` and ``Seal/securityKey``; else empty. It is the end of
    /// the column `wrapped`, so that it changes in the same transaction. It is not authenticated here: a changed value leads to another key
    /// or to none, so the store does not open.
    var credential: [UInt8] = []

    /// The size of the wrapped data key: nonce, key and tag.
    private static let wrappedSize = 12 + 32 + 16

    /// Returns a header for a new store.
    static func fresh(_ seal: Seal, derivation: KeyDerivation? = nil) -> Header {
        Header(store: .random(count: 16), seal: seal, derivation: derivation)
    }

    /// The store's identity as hexadecimal digits, for key storages.
    var storeIdentifier: String { store.hexadecimal }

    /// The data that the wrapping authenticates: every field except ``wrapped``.
    var context: [UInt8] {
        var bytes = CanonicalBytes(purpose: "yett store data key")
        for value in values.dropLast() { bytes.append(value) }
        return bytes.bytes
    }

    func unwrap(with key: SymmetricKey) -> StoreKeys? { StoreKeys(unwrapping: wrapped, with: key, authenticating: context) }

    mutating func wrap(_ keys: StoreKeys, with key: SymmetricKey) throws { wrapped = try keys.wrapped(with: key, authenticating: context) }

    /// Wraps the keys with the key of a key storage.
    mutating func wrap(_ keys: StoreKeys, with new: NewKey) throws {
        try new.key.withBytes { try wrap(keys, with: SymmetricKey(data: $0)) }
        credential = new.credential
    }
}

extension Header {
    private static let names = "format, store, seal, salt, cost, block_size, parallelism, wrapped"

    var values: [SQLiteValue] {
        [
            .integer(format), .blob(store), .text(seal.rawValue), SQLiteValue(derivation?.salt), SQLiteValue(derivation?.cost),
            SQLiteValue(derivation?.blockSize), SQLiteValue(derivation?.parallelism), .blob(wrapped + credential),
        ]
    }

    /// Reads the header. Throws unless there is exactly one and this code understands it.
    init(in db: Database) throws {
        let rows = try db.rows(of: "SELECT \(Self.names) FROM header")
        guard let row = rows.first, rows.count == 1 else { throw StoreError(.altered) }
        var reader = ColumnReader(row[...])
        let format = try reader.integer()
        guard format <= Self.currentFormat else { throw StoreError(.newerFormat) }
        guard format == Self.currentFormat else { throw StoreError(.altered) }
        store = try reader.blob()
        guard store.count == 16 else { throw StoreError(.altered) }
        // A later version may know more seals.
        guard let seal = Seal(rawValue: try reader.text()) else { throw StoreError(.newerFormat) }
        self.seal = seal
        let salt = try reader.optionalBlob()
        let cost = try reader.optionalInteger()
        let blockSize = try reader.optionalInteger()
        let parallelism = try reader.optionalInteger()
        if let salt, let cost, let blockSize, let parallelism {
            derivation = KeyDerivation(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
        }
        guard (derivation != nil) == (seal == .passphrase) else { throw StoreError(.altered) }
        wrapped = try reader.blob()
        if seal == .system || seal == .securityKey {
            guard (Self.wrappedSize + 1...Self.wrappedSize + SystemCredentialKey.limit).contains(wrapped.count) else {
                throw StoreError(.altered)
            }
            credential = Array(wrapped.dropFirst(Self.wrappedSize))
            wrapped.removeLast(credential.count)
        }
    }

    /// Writes the header in place of the existing one.
    func write(in db: Database) throws {
        try db.run("DELETE FROM header")
        try db.run("INSERT INTO header (\(Self.names)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    }
}
