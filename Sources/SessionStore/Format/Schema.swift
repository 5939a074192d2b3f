import GRDB

/// The tables, and how older ones become them.
///
/// No index but the primary keys: a store has few rows, all are read and checked together, and an index is one more thing that can lie.
enum Schema {
    /// "yett", in the database's header.
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

    /// Refuses what is not a store of yett, or of a newer one; tells whether migrations are due.
    static func needsMigration(_ db: Database) throws -> Bool {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID else { throw StoreError(.corrupt) }
        if try migrator.hasBeenSuperseded(db) { throw StoreError(.newerFormat) }
        return try !migrator.hasCompletedMigrations(db)
    }

    /// How every connection is set up.
    ///
    /// Rollback journal and `synchronous = EXTRA`: a commit is durable, folder entry included, when it returns; the store at rest is
    /// one file, which can be read from a disk that cannot be written; and the end of a commit is one event, the journal's removal.
    /// A store is written a few times an hour, so the write-ahead log's faster commit buys nothing.
    static func configuration(pageSize: Int? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        // A rollback that fails on a broken disk leaves a transaction open; that is an error to report, not a reason to stop.
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
