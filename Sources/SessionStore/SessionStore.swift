public import AuthModel
import GRDB
import Synchronization

/// The sealed database of sessions.
///
/// Every call may be made from anywhere at any time; several processes may use one store. What a call has stored is durable when it
/// returns, and a call that throws has changed nothing. Work that began is finished even when its task is cancelled, so that a token
/// that was paid for is never dropped halfway.
public final class SessionStore: Sendable {
    /// Where the store lies; `nil` for one in memory.
    public let directory: String?
    let time: any TimeSource
    let settings: Settings
    let locks: LockLocation
    let state: Mutex<State>

    /// What is known of the store while it is open.
    struct State: Sendable {
        /// As it was configured.
        var source: KeySource
        /// `nil` until there is a database.
        var database: DatabaseQueue?
        /// Which file it is.
        var file: FileIdentity?
        /// Whether there was one that was taken away, and nothing came in its place.
        var isLost = false
        /// What the database was last seen to be sealed by.
        var storedSeal: Seal?
        /// `nil` while the store is locked.
        var keys: StoreKeys?
        /// `nil` until it was read, and during a transaction.
        var seen: Seen?
        /// How many locks on sessions this process holds.
        var held = 0
        /// Those who wait until it holds none.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isRetired = false
    }

    /// What a test may set otherwise.
    package struct Settings: Sendable {
        /// What deriving a key from a passphrase may cost.
        package var bounds = KeyDerivation.Bounds.standard
        /// Bytes of a page of a new database.
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

    /// Opens the store in `directory`, making folder and store where there is none.
    ///
    /// A store that needs a passphrase is open and locked; a new one of that sort comes to be with the first passphrase. With
    /// ``KeySource/memory`` the folder is not touched.
    public static func open(directory: String, source: KeySource, time: any TimeSource) async throws(StoreError) -> SessionStore {
        try await open(directory: directory, source: source, time: time, settings: Settings())
    }

    /// ``open(directory:source:time:)`` with settings of a test.
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
        if try await store.attach() == false, case .holder(let holder) = source.forNewStore { try await store.create(sealedBy: holder) }
        return store
    }

    /// How the store is sealed, or will be.
    public var seal: Seal {
        state.withLock { state in state.storedSeal ?? state.source.forNewStore.seal ?? .passphrase }
    }

    /// Whether tokens can be read.
    public var sealState: SealState {
        leaveReplacedDatabase()
        return state.withLock { state in
            guard state.keys == nil else { return .unlocked }
            return .locked(isNew: state.database == nil && databasePath.map(FileGuard.isMissing) ?? true)
        }
    }

    /// Where the store lay that this process used and that somebody took away; `nil` while there is one, and where there was none.
    public var lostPath: String? {
        leaveReplacedDatabase()
        return state.withLock { $0.isLost } ? databasePath : nil
    }

    /// The database's path; `nil` for a store in memory.
    var databasePath: String? { directory.map { "\($0)/\(Self.fileName)" } }
}
