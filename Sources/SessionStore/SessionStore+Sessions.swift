public import AuthModel
import Glibc
import Synchronization

extension SessionStore {
    /// Returns every session's summary, sorted by name. Works while the store is locked.
    public func summaries() async throws(StoreError) -> [SessionSummary] {
        guard try await hasDatabase() else { return [] }
        return try await read { transaction in try transaction.summaries() }
    }

    /// Returns one session; `nil` if there is none of that name.
    public func record(_ name: SessionName) async throws(StoreError) -> SessionRecord? {
        try await readUnlocked { transaction in try transaction.record(named: name) }
    }

    /// Returns the sessions at one provider, sorted by name.
    public func records(provider: ProviderName) async throws(StoreError) -> [SessionRecord] {
        try await readUnlocked { transaction in
            try transaction.sessions.entries.filter { $0.columns.name.provider == provider }
                .map { try transaction.record($0) }.sorted { $0.summary.name < $1.summary.name }
        }
    }

    /// Atomically reads, changes and writes a session.
    ///
    /// `change` gets `nil` if there is no such session. Setting `nil` deletes the session; another name renames it. An unchanged session is
    /// not written.
    ///
    /// - Parameter lock: a lock that the caller holds; it gives access to a store that was locked meanwhile.
    @discardableResult
    public func update<Result: Sendable>(
        _ name: SessionName, holding lock: SessionLock? = nil, _ change: @escaping @Sendable (inout SessionRecord?) -> Result
    ) async throws(StoreError) -> Result {
        try await write(holding: lock) { transaction in
            let before = try transaction.record(named: name)
            var after = before
            let result = change(&after)
            guard after != before else { return result }
            if let after {
                if let before { try transaction.replace(before.summary.name, with: after) } else { try transaction.insert(after) }
            } else {
                try transaction.delete(name)
            }
            return result
        }
    }

    /// Verifies that the store can be written now: writes a session again unchanged, or, if there is none of that name, only what every
    /// change writes. Call it before requesting something that is issued only once.
    ///
    /// - Parameter lock: a lock that the caller holds; it also keeps disk space reserved until the next write under it.
    public func verifyWritable(_ name: SessionName? = nil, holding lock: SessionLock? = nil) async throws(StoreError) {
        try await write(holding: lock) { transaction in
            if let name, let record = try transaction.record(named: name) {
                try transaction.replace(name, with: record)
            } else {
                transaction.touch()
            }
        }
        if let lock, let directory { lock.hold(try ReservedSpace(in: directory)) }
    }

    /// The origin of a session's label.
    public enum LabelChoice: Equatable, Sendable {
        /// The user chose it: it is used, or ``StoreError/Kind/nameTaken(_:)`` is thrown.
        case chosen
        /// It comes from claims: a known account keeps its label, and a label in use gets a number.
        case suggested
    }

    /// Saves the session of an account; replaces an existing session of the same account (provider, issuer, subject). If the provider names
    /// no subject, a chosen label replaces the session of that name, and a suggested label only one that has ended.
    ///
    /// Returns the record as saved: its label may differ, see ``LabelChoice``.
    ///
    /// - Parameter former: a session that is deleted in the same write, so that its name is free, and its revocations, which are queued.
    public func store(
        _ record: SessionRecord, label: LabelChoice = .suggested,
        inPlaceOf former: (record: SessionRecord, revocations: [QueuedRevocation])? = nil
    ) async throws(StoreError) -> SessionRecord {
        let now = time.now
        return try await write { transaction in
            if let former, let entry = transaction.entry(named: former.record.summary.name),
                entry.columns.summary.receivedAt == former.record.summary.receivedAt
            {
                try transaction.delete(former.record.summary.name)
                for revocation in former.revocations { try transaction.enqueue(revocation, at: now, dueAt: now) }
            }
            let known = transaction.sessions.entries.first { entry in
                guard entry.columns.isSameAccount(as: record.summary) else { return false }
                return label == .chosen || record.summary.subject != nil || entry.columns.summary.hasEnded(at: now)
            }
            var record = record
            if label == .suggested { record.summary.name = try transaction.unusedName(like: record.summary.name, for: known) }
            if let known { try transaction.replace(known.columns.name, with: record) } else { try transaction.insert(record) }
            return record
        }
    }

    /// Saves new sessions in one transaction, all or none; each name must be free. Saving ten thousand sessions takes about as long as one
    /// write, while separate calls would check all existing rows each time.
    package func insert(_ records: [SessionRecord]) async throws(StoreError) {
        try await write { transaction in try transaction.insert(records) }
    }

    /// Deletes a session and queues its revocations atomically. Returns the session; `nil` if there was none.
    ///
    /// - Parameter pause: how long to wait before the provider gets the revocations.
    @discardableResult
    public func delete(
        _ name: SessionName, revoking revocations: [QueuedRevocation] = [], after pause: Duration = .zero
    ) async throws(StoreError) -> SessionRecord? {
        let now = time.now
        return try await write { transaction in
            guard let record = try transaction.record(named: name) else { return nil }
            try transaction.delete(name)
            for revocation in revocations { try transaction.enqueue(revocation, at: now, dueAt: now + pause) }
            return record
        }
    }

    /// Records that a token of the session was used. Seals nothing; does nothing if there is no such session.
    public func markUsed(_ name: SessionName, at moment: Timestamp, by caller: UserMessage?) async throws(StoreError) {
        try await write { transaction in
            guard let entry = transaction.entry(named: name) else { return }
            try LastUse(at: moment, by: caller?.line).store(for: entry.id, in: transaction.database)
        }
    }
}

extension SessionStore {
    /// Runs `body` on the checked store. Works while the store is locked; throws ``StoreError/Kind/locked`` if there is no store yet.
    func read<Value: Sendable>(_ body: @escaping @Sendable (StoreTransaction) throws -> Value) async throws(StoreError) -> Value {
        _ = try await hasDatabase()
        return try await transaction(.deferred, keys: state.withLock { $0.keys }) { transaction in try body(transaction) }
    }

    /// Runs `body` on the checked, unlocked store.
    func readUnlocked<Value: Sendable>(_ body: @escaping @Sendable (StoreTransaction) throws -> Value) async throws(StoreError) -> Value {
        _ = try await hasDatabase()
        guard let keys = state.withLock({ $0.keys }) else { throw StoreError(.locked) }
        return try await transaction(.deferred, keys: keys) { transaction in try body(transaction) }
    }

    /// Runs `body` on the checked, unlocked store and saves its changes, atomically.
    ///
    /// - Parameter lock: a lock that the caller holds; it gives access to a store that was locked meanwhile.
    func write<Value: Sendable>(
        holding lock: SessionLock? = nil, _ body: @escaping @Sendable (inout StoreTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        _ = try await hasDatabase()
        let access = lock?.access
        let known = state.withLock { $0.keys ?? ($0.database === access?.database ? access?.keys : nil) }
        guard let keys = known else { throw StoreError(.locked) }
        lock?.releaseReservedSpace()
        do throws(StoreError) {
            return try await transaction(.immediate, keys: keys, body)
        } catch  where error.kind == .readOnly && isWritable {
            // A database can be marked read-only internally; ours never is.
            throw StoreError(.corrupt, path: databasePath)
        }
    }

    var isWritable: Bool {
        guard let directory, let databasePath else { return false }
        return access(directory, W_OK) == 0 && access(databasePath, W_OK) == 0
    }

    /// Runs one transaction on the checked store and saves its changes.
    private func transaction<Value: Sendable>(
        _ kind: Database.TransactionKind, keys: StoreKeys?, _ body: @escaping @Sendable (inout StoreTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        guard let database = state.withLock({ $0.database }) else { throw StoreError(.locked) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            database.async { [self] db in
                var seen: Seen?
                let result = Self.transaction(kind, in: db, path: databasePath) { db in
                    var transaction: StoreTransaction
                    let mark: Seen.Mark
                    (transaction, mark) = try openTransaction(in: db, keys: keys, forWriting: kind != .deferred)
                    let value = try body(&transaction)
                    try transaction.close()
                    seen = Seen(contents: transaction.contents, mark: mark)
                    return value
                }
                // Set on the connection's own queue, so that the order of transactions is kept.
                if case .success = result { state.withLock { [seen] in $0.seen = seen } }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Begins, runs and commits a transaction on the database's own queue. Cancelling the task does not stop it.
    static func transaction<Value: Sendable>(
        _ kind: Database.TransactionKind, on database: DatabaseQueue, path: String?,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            database.async { db in
                continuation.resume(returning: transaction(kind, in: db, path: path, body))
            }
        }
        return try result.get()
    }

    private static func transaction<Value>(
        _ kind: Database.TransactionKind, in db: Database, path: String?, _ body: (Database) throws -> Value
    ) -> Result<Value, StoreError> {
        do {
            // A failed rollback left it open.
            if db.isInsideTransaction { try db.rollback() }
            try db.begin(kind)
            let value = try body(db)
            try db.commit()
            return .success(value)
        } catch {
            let failure = StoreError(error, path: path)
            // SQLite has often rolled back by itself. If it cannot, the journal does it at the next use.
            if db.isInsideTransaction { try? db.rollback() }
            return .failure(failure)
        }
    }
}

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

    /// Returns whether the file ends with a complete page. SQLite reads the missing end of a page as zeros, which changes nothing if the
    /// page was not full.
    func hasWholePages(_ db: Database) throws -> Bool {
        guard let path = databasePath, let size = try FileGuard.check(file: path) else { return true }
        guard let page = try db.firstValue(of: "PRAGMA page_size")?.integer, page > 0 else { return false }
        return Int64(size) % page == 0
    }
}
