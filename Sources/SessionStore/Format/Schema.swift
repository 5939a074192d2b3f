import GRDB

/// The tables and their migrations.
///
/// There is no index except the primary keys: a store has few rows, all are read and checked together, and an index could be inconsistent
/// with its table.
enum Schema {
    /// "yett", in the database file's header.
    static let applicationID: Int64 = 0x7965_7474

    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    PRAGMA application_id = \(applicationID);
                    CREATE TABLE header (
                        format INTEGER NOT NULL, store BLOB NOT NULL, seal TEXT NOT NULL,
                        salt BLOB, cost INTEGER, block_size INTEGER, parallelism INTEGER, wrapped BLOB NOT NULL
                    ) STRICT;
                    CREATE TABLE roster (
                        revision INTEGER NOT NULL, next_id INTEGER NOT NULL, digest BLOB NOT NULL, code BLOB NOT NULL
                    ) STRICT;
                    CREATE TABLE sessions (
                        id INTEGER PRIMARY KEY, version INTEGER NOT NULL, tag BLOB NOT NULL,
                        provider TEXT NOT NULL, account TEXT NOT NULL, issuer TEXT, subject TEXT, settled_state TEXT NOT NULL,
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
                    CREATE TABLE hand_outs (
                        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT, checksum BLOB NOT NULL
                    ) STRICT;
                    """)
        }
        return migrator
    }()

    /// Throws if this is not a store of yett, or a newer version wrote it. Returns whether migrations are due.
    static func needsMigration(_ db: Database) throws -> Bool {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID else { throw StoreError(.corrupt) }
        if try migrator.hasBeenSuperseded(db) { throw StoreError(.newerFormat) }
        return try !migrator.hasCompletedMigrations(db)
    }

    /// Returns the configuration of every connection.
    ///
    /// Rollback journal and `synchronous = EXTRA`: a commit is durable, folder entry included, when it returns; the store at rest is one
    /// file, which can be read from a read-only disk; and the end of a commit is one event, the removal of the journal. The store is
    /// written a few times an hour, so the faster commit of a write-ahead log has no benefit.
    static func configuration(pageSize: Int? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        // A rollback that fails on a broken disk leaves a transaction open. Report that as an error instead of crashing.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            if let pageSize { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
            try db.execute(
                sql: """
                    PRAGMA synchronous = EXTRA;
                    PRAGMA secure_delete = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cell_size_check = ON;
                    PRAGMA trusted_schema = OFF;
                    """)
        }
        return configuration
    }
}
