import AuthModel
import CSQLite
import Crypto
import Glibc
import Synchronization

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
        let pass = lock?.pass
        let known = state.withLock { $0.keys ?? ($0.database === pass?.database ? pass?.keys : nil) }
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

extension StoreError {
    /// Converts an error of SQLite or of the cryptography.
    init(_ error: any Error, path: String?) {
        switch error {
        case let error as StoreError:
            self = error
            if self.path == nil { self.path = path }
        case let error as SQLiteError:
            self.init(Self.kind(of: error), path: path)
        default:
            self.init(.database(operation: UserMessage("phrase.use"), reason: "phrase.store_encryption_failed"), path: path)
        }
    }

    private static func kind(of error: SQLiteError) -> Kind {
        switch error.primaryCode {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        // The schema is ours: if a table or column is missing or different, yett did not write this file.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_TOOBIG:
            return .corrupt
        // SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS, which are macros that Swift cannot import.
        case SQLITE_IOERR where error.code == SQLITE_IOERR | 2 << 8 || error.code == SQLITE_IOERR | 33 << 8: return .corrupt
        case SQLITE_CANTOPEN: return .database(operation: UserMessage("phrase.open"), reason: sentence(of: error))
        default: return .database(operation: UserMessage("phrase.use"), reason: sentence(of: error))
        }
    }

    /// Returns SQLite's message without its number.
    private static func sentence(of error: SQLiteError) -> UserMessage {
        error.message.map(UserMessage.verbatim) ?? "phrase.sqlite_no_reason"
    }
}
