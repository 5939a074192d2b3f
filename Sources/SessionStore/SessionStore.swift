public import AuthModel
import OperatingSystem
import Synchronization

/// The sealed database of sessions.
///
/// Any task may make any call at any time; several processes may use one store. A change is durable when its call returns, and a call that
/// throws has changed nothing. Work that has started is finished even if its task is cancelled, so that a new token is never lost.
public final class SessionStore: Sendable {
    /// The store's folder; `nil` for a store in memory.
    public let directory: String?
    let time: any TimeSource
    let settings: Settings
    let locks: LockLocation
    let state: Mutex<State>

    /// The version of the SQLite library.
    public static var libraryVersion: String { Database.libraryVersion }

    /// The state of the open store.
    struct State: Sendable {
        /// The configured key source.
        var source: KeySource
        /// `nil` until there is a database.
        var database: DatabaseQueue?
        /// The identity of the database's file.
        var file: FileIdentity?
        /// Whether the store was removed and not replaced.
        var isLost = false
        /// The seal last read from the database.
        var storedSeal: Seal?
        /// The kind of systemd's key that seals the store's, if the seal last read is ``Seal/system``.
        var systemKey: SystemKey?
        /// The number of enrolled keys, if the seal last read is ``Seal/securityKey``.
        var securityKeys: Int?
        /// `nil` while the store is locked.
        var keys: StoreKeys?
        /// The number of times that it was locked.
        var lockCount = 0
        /// `nil` until the store is read, and during a transaction.
        var seen: Seen?
        /// The number of session locks that this process holds.
        var sessionLockCount = 0
        /// Callers that wait until it holds none.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isRetired = false

        mutating func remember(_ header: Header) {
            storedSeal = header.seal
            systemKey = header.seal == .system ? SystemCredentialKey.kind(of: header.credential) : nil
            securityKeys = header.seal == .securityKey ? try? SecurityKeyEnrolment.all(in: header.credential).count : nil
        }
    }

    /// Settings that a test can change.
    package struct Settings: Sendable {
        /// The allowed cost of deriving a key from a passphrase.
        package var bounds = KeyDerivation.Bounds.standard
        /// The page size of a new database, in bytes.
        var pageSize = 4096

        package init(bounds: KeyDerivation.Bounds = .standard) { self.bounds = bounds }
    }

    /// The database's name in its folder.
    public static let fileName = "sessions.db"

    init(directory: String?, source: KeySource, time: any TimeSource, settings: Settings) {
        self.directory = directory
        self.time = time
        self.settings = settings
        locks = directory.map { .file(path: $0 + "/sessions.lock") } ?? .process(InMemoryLocks())
        state = Mutex(State(source: source))
    }

    /// Opens the store in `directory`; creates the folder and the store if they are missing.
    ///
    /// A store that needs the user is opened locked; a new one is created at its first ``unlock(passphrase:isPIN:)``. With
    /// ``KeySource/memory`` the folder is not touched.
    public static func open(directory: String, source: KeySource, time: any TimeSource) async throws(StoreError) -> SessionStore {
        try await open(directory: directory, source: source, time: time, settings: Settings())
    }

    /// Opens the store like ``open(directory:source:time:)``, with settings for a test.
    package static func open(
        directory: String, source: KeySource, time: any TimeSource, settings: Settings
    ) async throws(StoreError) -> SessionStore {
        if case .memory = source {
            let store = SessionStore(directory: nil, source: source, time: time, settings: settings)
            try await store.createInMemory()
            return store
        }
        let path = FileGuard.withoutTrailingSlashes(directory)
        try FileGuard.createDirectory(path)
        let store = SessionStore(directory: path, source: source, time: time, settings: settings)
        if try await store.attach() == false, case .storage(let storage) = source.forNewStore, !storage.asksUser {
            try await store.create(sealedBy: storage)
        }
        return store
    }

    /// The seal of the store, or of the store that will be created.
    public var seal: Seal {
        state.withLock { state in state.storedSeal ?? state.source.forNewStore.seal ?? .passphrase }
    }

    /// The kind of key with which systemd seals the key of the store; `nil` for a store that is sealed in another way.
    public var systemKey: SystemKey? { state.withLock { $0.systemKey } }

    /// The number of security keys that open the store; `nil` for a store that is sealed in another way.
    public var securityKeys: Int? { state.withLock { $0.securityKeys } }

    /// Whether the store is unlocked, so that tokens can be read.
    public var storeState: StoreState {
        leaveReplacedDatabase()
        return state.withLock { state in
            guard state.keys == nil else { return .unlocked }
            return .locked(isNew: state.database == nil && databasePath.map(FileGuard.isMissing) ?? true)
        }
    }

    /// Sets how the key of the store will be kept. Does nothing if there is a store, whose seal decides.
    public func setSource(ofNewStore source: KeySource) {
        guard storeState == .locked(isNew: true) else { return }
        state.withLock { state in
            if state.database == nil { state.source = source }
        }
    }

    /// The path of the store that this process used and that was removed; `nil` if there is a store, or never was one.
    public var lostPath: String? {
        leaveReplacedDatabase()
        return state.withLock { $0.isLost } ? databasePath : nil
    }

    /// The database's path; `nil` for a store in memory.
    var databasePath: String? { directory.map { "\($0)/\(Self.fileName)" } }

    /// Returns another value that is stored sealed under a key of the caller's choice, for example a client registration; `nil` if there is
    /// none. The key is stored unencrypted.
    public func sealedValue(for key: String) async throws(StoreError) -> Secret? {
        try await readUnlocked { transaction in try transaction.value(for: key) }
    }

    /// Returns several values by their keys, in one transaction. Missing values are left out.
    public func sealedValues(for keys: [String]) async throws(StoreError) -> [String: Secret] {
        try await readUnlocked { transaction in
            var values: [String: Secret] = [:]
            for key in keys { values[key] = try transaction.value(for: key) }
            return values
        }
    }

    /// Stores a value; `nil` deletes it.
    public func setSealedValue(_ value: Secret?, for key: String) async throws(StoreError) {
        try await write { transaction in try transaction.setValue(value, for: key) }
    }

    /// Returns a stream that reports possible changes of the store by this or another process; several changes at once are reported as one.
    ///
    /// A commit removes the journal, so each element arrives when its change is readable. Nothing is polled. The stream finishes at once
    /// for a store in memory and if the system provides no watch, and after the change that removed the store's folder.
    public func changes() -> AsyncStream<Void> {
        guard let directory else { return AsyncStream { $0.finish() } }
        return DirectoryWatch(appearing: [Self.fileName], disappearing: [Self.fileName, "\(Self.fileName)-journal"]).changes(in: directory)
    }
}

/// Watches a folder for the appearance and disappearance of certain names.
struct DirectoryWatch {
    /// Names whose appearance is reported.
    var appearing: Set<String>
    /// Names whose disappearance is reported.
    var disappearing: Set<String>

    /// Returns a stream of changes in `path`; several changes at once are reported as one. It finishes at once if the system provides no
    /// watch, and after the change that removed or moved the folder.
    func changes(in path: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = FolderEvents { events in
            let isOver = events.contains { $0.kinds.intersects([.folderDeleted, .folderMoved]) }
            if isOver || events.contains(where: isWatched) { continuation.yield() }
            if isOver { continuation.finish() }
        }
        guard let events, events.watch(path, for: [.appeared, .left, .folderDeleted, .folderMoved]) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in events.stop() }
        return stream
    }

    private func isWatched(_ event: FolderEvents.Event) -> Bool {
        event.kinds.intersects(.overflowed) || (event.kinds.intersects(.left) ? disappearing : appearing).contains(event.name)
    }
}
