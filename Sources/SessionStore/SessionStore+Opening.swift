import AuthModel
import Crypto
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

extension SessionStore {
    /// Returns whether there is a database. Opens one that another process created meanwhile.
    func hasDatabase() async throws(StoreError) -> Bool {
        leaveReplacedDatabase()
        if state.withLock({ $0.database != nil }) { return true }
        return try await attach()
    }

    /// Closes a database that is no longer at its path, because the user replaced or removed it. Writes to it would be lost, and its keys
    /// do not open the new one.
    func leaveReplacedDatabase() {
        guard let path = databasePath else { return }
        state.withLock { state in
            guard let file = state.file, FileGuard.identity(path).map({ $0 != file }) ?? FileGuard.isMissing(path) else { return }
            state.file = nil
            state.isLost = true
            state.database = nil
            state.keys = nil
            state.seen = nil
            state.storedSeal = nil
            state.systemKey = nil
            state.securityKeys = nil
        }
    }

    /// Opens the database if there is one, and unlocks it if that needs no user. Returns whether there is one.
    ///
    /// Opening is cheap: it reads the header, and each later use checks the whole store. An empty file is not a new store but a truncated
    /// one: a new store gets its name only when it is complete.
    func attach() async throws(StoreError) -> Bool {
        guard let directory, let path = databasePath else { return true }
        // The whole folder was removed.
        if FileGuard.isMissing(directory) { return false }
        try FileGuard.check(directory: directory)
        guard let size = try FileGuard.check(file: path) else { return false }
        guard size > 0 else { throw StoreError(.corrupt, path: path) }
        // A creation that was interrupted at its last step leaves a second name of the same file.
        unlink(draftPath(path))
        let file = FileGuard.identity(path)
        let database = try await Self.connect(path)
        let current = try await Self.transaction(.deferred, on: database, path: path) { db in
            try Schema.needsMigration(db) ? nil : try Header(in: db)
        }
        let header = if let current { current } else { try await migrate(database, path: path) }
        var keys: StoreKeys?
        do throws(StoreError) {
            if case .storage(let storage) = try state.withLock({ $0.source }).resolved(for: header.seal), storage.isImmediate {
                keys = try await unwrap(header, with: storage)
            }
        } catch {
            // Report a changed header as such, not as a wrong key or configuration.
            try await Self.verify(nil, on: database, path: path)
            throw error
        }
        state.withLock { [keys] state in
            state.database = database
            state.file = file
            state.isLost = false
            state.remember(header)
            state.keys = keys
        }
        return true
    }

    /// Changes a store of an earlier version to the current tables, and returns its header.
    private func migrate(_ database: DatabaseQueue, path: String) async throws(StoreError) -> Header {
        do throws(StoreError) {
            return try await Self.transaction(.immediate, on: database, path: path) { [self] db in
                // Another process may have been faster.
                if try Schema.needsMigration(db) {
                    guard try hasWholePages(db), try db.firstValue(of: "PRAGMA quick_check(1)")?.text == "ok" else {
                        throw StoreError(.corrupt)
                    }
                    try Schema.migrate(db)
                }
                return try Header(in: db)
            }
        } catch  where error.kind == .readOnly && isWritable {
            // A database can be marked read-only internally; ours never is.
            throw StoreError(.corrupt, path: path)
        }
    }

    func unwrap(_ header: Header, with storage: any KeyStorage) async throws(StoreError) -> StoreKeys {
        let key: Secret
        do throws(StoreError) {
            key = try await storage.key(store: header.storeIdentifier, credential: header.credential)
        } catch {
            throw StoreError(error, path: databasePath)
        }
        guard let keys = key.withBytes({ header.unwrap(with: SymmetricKey(data: $0)) }) else {
            throw StoreError(storage.mismatch, path: databasePath)
        }
        return keys
    }

    /// Checks the whole store; with keys, also its authentication code.
    static func verify(_ keys: StoreKeys?, on database: DatabaseQueue, path: String?) async throws(StoreError) {
        try await transaction(.deferred, on: database, path: path) { db in _ = try StoreTransaction(in: db, keys: keys) }
    }

    /// Creates a store whose key a key storage keeps.
    func create(sealedBy storage: any KeyStorage) async throws(StoreError) {
        let locks = state.withLock { $0.lockCount }
        var header = Header.fresh(storage.seal)
        let key = try await storage.newKey(store: header.storeIdentifier)
        let keys = StoreKeys()
        try Self.rethrowing(databasePath) { try header.wrap(keys, with: key) }
        try await create(header, keys: keys)
        guard !storage.isImmediate else { return }
        // The user is not asked again for a key that was just made, unless another process was faster with another one.
        guard storage.asksUser, try await read({ $0.header }) == header else { return try await unlock() }
        try keep(keys, unlessLockedSince: locks)
    }

    /// Creates a new store completely under a temporary name, makes it durable, and then gives it its name.
    ///
    /// An interruption leaves no store or a complete one. If another process was faster, its store is opened.
    func create(_ header: Header, keys: StoreKeys) async throws(StoreError) {
        guard let directory, let path = databasePath else { return }
        try FileGuard.createDirectory(directory)
        let lock = try await acquireLock("creation", until: time.bootTime + .seconds(10))
        defer { lock.release() }
        if try await attach() { return }
        let draft = draftPath(path)
        for leftover in [draft, draft + "-journal"] { unlink(leftover) }
        close(try FileGuard.create(draft))
        defer { unlink(draft) }
        let database = try await Self.connect(draft, pageSize: settings.pageSize)
        try await Self.layOut(header, keys: keys, in: database, path: path)
        try Self.rethrowing(path) { try database.close() }
        guard link(draft, path) == 0 || errno == EEXIST else { throw StoreError.system(UserMessage("phrase.create"), errno, path: path) }
        try FileGuard.syncDirectory(directory)
        guard try await attach() else { throw StoreError.system(UserMessage("phrase.open"), ENOENT, path: path) }
    }

    func createInMemory() async throws(StoreError) {
        let keys = StoreKeys()
        let database = try Self.rethrowing(nil) { try DatabaseQueue(path: nil, setUp: Schema.setUp) }
        try await Self.layOut(Header.fresh(.memory), keys: keys, in: database, path: nil)
        state.withLock { state in
            state.database = database
            state.storedSeal = .memory
            state.keys = keys
        }
    }

    private static func layOut(_ header: Header, keys: StoreKeys, in database: DatabaseQueue, path: String?) async throws(StoreError) {
        try await transaction(.immediate, on: database, path: path) { db in
            try Schema.create(in: db)
            try StoreTransaction.create(header, keys: keys, in: db)
        }
    }

    private func draftPath(_ path: String) -> String { path + ".new" }

    private static func connect(_ path: String, pageSize: Int? = nil) async throws(StoreError) -> DatabaseQueue {
        try await offPool(path) {
            try DatabaseQueue(path: path) { (db) throws(SQLiteError) in
                if let pageSize { try db.execute("PRAGMA page_size = \(pageSize)") }
                try Schema.setUp(db)
            }
        }
    }

    /// Runs work that may wait for another process's transaction outside the Swift concurrency threads.
    private static func offPool<Value: Sendable>(
        _ path: String?, _ body: @escaping @Sendable () throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { () throws(StoreError) in try rethrowing(path, body) })
            }
        }
        return try result.get()
    }

    static func rethrowing<Value>(_ path: String?, _ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
