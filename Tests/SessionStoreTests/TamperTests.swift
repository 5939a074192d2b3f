import AuthModel
import Foundation
@testable import SessionStore
import Testing

/// An attacker who can write the database and has no key.
@Suite struct TamperTests {
    private let folder: Folder

    init() async throws {
        folder = try Folder()
        try await folder.fill("work/a", "work/b")
    }

    @Test(arguments: SessionColumns.names + ["id", "version", "tag"])
    func refusesAChangedColumn(_ column: String) async throws {
        try folder.tamper { db in
            let change =
                switch column {
                case "tag": "zeroblob(16)"
                case "provider", "account", "issuer", "subject", "scopes", "warnings": "\(column) || 'x'"
                case "recorded_state": "'guest'"
                case "renewable": "1 - renewable"
                default: "\(column) + 1000"
                }
            try db.execute("UPDATE sessions SET \(column) = \(change) WHERE account = 'a'")
            #expect(try db.firstValue(of: "SELECT changes()") == .integer(1))
        }
        try await expectRefused()
    }

    @Test(arguments: [
        "DELETE FROM sessions WHERE account = 'a'",
        "DELETE FROM sessions",
        "DELETE FROM roster",
        "INSERT INTO roster SELECT * FROM roster",
        "DELETE FROM header",
        "UPDATE roster SET revision = revision + 1",
        "UPDATE roster SET next_id = 1",
        "UPDATE roster SET digest = zeroblob(32)",
        "UPDATE header SET wrapped = zeroblob(60)",
        "UPDATE header SET store = randomblob(16)",
        "UPDATE header SET seal = 'memory'",
        "UPDATE header SET seal = 'passphrase', salt = randomblob(32), cost = 15, block_size = 8, parallelism = 1",
        "UPDATE sessions SET tag = (SELECT tag FROM sessions WHERE account = 'b') WHERE account = 'a'",
        "CREATE TEMP TABLE twin AS SELECT * FROM sessions; UPDATE twin SET id = id + 100; INSERT INTO sessions SELECT * FROM twin",
        "UPDATE sessions SET access_expires_at = NULL WHERE account = 'a'",
        "DELETE FROM revocations",
        "UPDATE revocations SET next_attempt_at = 0",
        "UPDATE kept SET name = 'other'",
        "UPDATE last_uses SET at = at + 1",
        "DROP TABLE kept",
        "ALTER TABLE sessions RENAME COLUMN issuer TO issued",
        "DELETE FROM grdb_migrations",
        "DELETE FROM grdb_migrations WHERE identifier = '1'",
        "DELETE FROM grdb_migrations WHERE identifier = '2'",
        "PRAGMA application_id = 1",
    ])
    func refusesAChangedStore(_ sql: String) async throws {
        let store = try await folder.open()
        try await store.enqueue(Sample.revocation())
        try await store.setSealedValue(Secret("v"), for: "k")
        try await store.markUsed(Sample.name("work/a"), at: Sample.now, by: .verbatim("git"))
        try folder.tamper { db in try db.execute(sql) }
        try await expectRefused()
    }

    /// The digest needs no key, so an attacker can recompute it. The authentication code needs one.
    @Test(arguments: [
        "DELETE FROM sessions WHERE account = 'a'",
        "UPDATE sessions SET account = 'c' WHERE account = 'a'",
        "UPDATE sessions SET tag = (SELECT tag FROM sessions WHERE account = 'b') WHERE account = 'a'",
        "UPDATE roster SET revision = revision - 1",
    ])
    func refusesAChangeWithARecomputedDigest(_ sql: String) async throws {
        try folder.tamper { db in
            try db.execute(sql)
            let digest = try StoreTransaction.unchecked(in: db, keys: nil).transaction.digest
            try db.run("UPDATE roster SET digest = ?", [.blob(digest)])
        }
        try await expectRefused()
    }

    /// Even an attacker who can forge the roster cannot combine a payload with another context.
    @Test func payloadIsBoundToItsContext() throws {
        func context(store: UInt8 = 1, id: Int64 = 2, version: Int64 = 3, values: [SQLiteValue] = [.text("a"), .null]) -> [UInt8] {
            Entry<ValueColumns>.context(store: [store], id: id, version: version, values: values)
        }
        let keys = StoreKeys()
        let sealed = try keys.seal(Secret("secret"), authenticating: context())
        #expect(try keys.open(sealed, authenticating: context()) == Secret("secret"))
        let others = [
            context(store: 9), context(id: 9), context(version: 9), context(values: [.text("b"), .null]),
            context(values: [.null, .text("a")]), context(values: [.text("a")]),
            Entry<RevocationColumns>.context(store: [1], id: 2, version: 3, values: [.text("a"), .null]),
        ]
        for other in others {
            #expect(throws: StoreError(.altered)) { try keys.open(sealed, authenticating: other) }
        }
        #expect(throws: StoreError(.altered)) { try StoreKeys().open(sealed, authenticating: context()) }
    }

    @Test func refusesSwappedPayloads() async throws {
        try folder.tamper { db in
            try db.execute(
                """
                CREATE TEMP TABLE swap AS SELECT * FROM payloads;
                UPDATE payloads SET box = (SELECT box FROM swap WHERE swap.id != payloads.id);
                """)
        }
        try await expectPayloadsRefused()
    }

    @Test func refusesSwappedRows() async throws {
        try folder.tamper { db in
            for table in ["sessions", "payloads"] {
                for (old, new) in [(1, 100), (2, 1), (100, 2)] {
                    try db.execute("UPDATE \(table) SET id = \(new) WHERE id = \(old)")
                }
            }
        }
        try await expectRefused()
    }

    @Test(arguments: ["UPDATE payloads SET box = zeroblob(length(box))", "UPDATE payloads SET box = x'00'", "DELETE FROM payloads"])
    func refusesAChangedPayload(_ sql: String) async throws {
        try folder.tamper { db in try db.execute(sql) }
        try await expectPayloadsRefused()
    }

    /// A rotated token must not come back, even with its whole original row.
    @Test func refusesAnOlderRow() async throws {
        let old = try folder.files()
        try await folder.open().update(Sample.name("work/a")) { $0?.tokens?.refreshToken = Secret("rotated") }
        let copy = folder.path + "/old"
        try #require(old["sessions.db"]).write(to: URL(fileURLWithPath: copy))
        let queue = try DatabaseQueue(path: folder.database)
        try queue.sync { db in
            try db.execute(
                """
                ATTACH '\(copy)' AS old;
                INSERT OR REPLACE INTO sessions SELECT * FROM old.sessions WHERE account = 'a';
                INSERT OR REPLACE INTO payloads SELECT * FROM old.payloads WHERE id = 1;
                DETACH old;
                """)
        }
        try queue.close()
        try await expectRefused()
    }

    @Test func refusesARowOfAnotherStoreWithTheSameKey() async throws {
        let other = try Folder()
        let key = try Data(contentsOf: URL(fileURLWithPath: folder.keyFile))
        try key.write(to: URL(fileURLWithPath: other.keyFile))
        chmod(other.keyFile, 0o600)
        try await other.fill("work/a")
        let wrapped = try DatabaseQueue(path: other.database).sync { db in try db.firstValue(of: "SELECT wrapped FROM header") }
        try folder.tamper { db in try db.run("UPDATE header SET wrapped = ?", [try #require(wrapped)]) }
        try await expectRefused()
    }

    @Test func refusesANewerFormat() async throws {
        let (migrated, sealed, word) = (try Folder(), try Folder(), try Folder())
        try await migrated.fill("work/a")
        try migrated.tamper { db in try db.execute("INSERT INTO grdb_migrations VALUES ('3')") }
        #expect(await failure { _ = try await migrated.open() } == .newerFormat)
        try await sealed.fill("work/a")
        try sealed.tamper { db in try db.execute("UPDATE header SET format = 2") }
        #expect(await failure { _ = try await sealed.open() } == .newerFormat)
        // A way to keep the key that this version does not know.
        try await word.fill("work/a")
        try word.tamper { db in try db.execute("UPDATE header SET seal = 'hologram'") }
        #expect(await failure { _ = try await word.open() } == .newerFormat)
    }

    @Test func detectsAChangeWhileTheStoreIsOpen() async throws {
        let store = try await folder.open()
        #expect(try await store.summaries().count == 2)
        try folder.tamper { db in try db.execute("DELETE FROM sessions WHERE account = 'a'") }
        #expect(await failure { _ = try await store.summaries() } == .altered)
        #expect(await failure { _ = try await store.store(Sample.record("work/new", subject: "new")) } == .altered)
    }

    /// Expects an error when the store is opened, and an unchanged database.
    private func expectRefused(_ location: SourceLocation = #_sourceLocation) async throws {
        let before = try folder.files()["sessions.db"]
        let kind = await failure { _ = try await folder.open().summaries() }
        #expect(kind == .altered || kind == .corrupt, sourceLocation: location)
        #expect(try folder.files()["sessions.db"] == before, sourceLocation: location)
    }

    private func expectPayloadsRefused(_ location: SourceLocation = #_sourceLocation) async throws {
        let before = try folder.files()["sessions.db"]
        let store = try await folder.open()
        #expect(await failure { _ = try await store.record(Sample.name("work/a")) } == .altered, sourceLocation: location)
        #expect(await failure { try await store.delete(Sample.name("work/a")) } == .altered, sourceLocation: location)
        #expect(try folder.files()["sessions.db"] == before, sourceLocation: location)
    }
}
