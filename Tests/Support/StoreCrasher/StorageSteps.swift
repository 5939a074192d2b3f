import AuthModel
import Glibc
import SessionStore
import Synchronization

/// Kills the process at a step of the key storages.
final class StorageSteps: Sendable {
    private let number = Mutex<Int?>(nil)
    private let deadly: Int

    /// Creates steps, the first of which is 1; 0 kills at none.
    init(killedAt deadly: Int) { self.deadly = deadly }

    /// Begins to count.
    func begin() { number.withLock { $0 = 0 } }

    /// The steps so far.
    var count: Int { number.withLock { $0 ?? 0 } }

    func step() {
        let isDeadly = number.withLock { number in
            guard let before = number else { return false }
            number = before + 1
            return before + 1 == deadly
        }
        if isDeadly { kill(getpid(), SIGKILL) }
    }
}

/// A key storage whose changes are steps: before and after each.
struct SteppedStorage<Storage: KeyStorage>: KeyStorage {
    let storage: Storage
    let steps: StorageSteps
    let seal: Seal

    /// Creates a storage. With another seal than its own, it stands in for the storage of that seal, which needs a keyring or a user.
    init(_ storage: Storage, steps: StorageSteps, as seal: Seal? = nil) {
        self.storage = storage
        self.steps = steps
        self.seal = seal ?? storage.seal
    }

    var asksUser: Bool { seal == .securityKey }
    var isImmediate: Bool { storage.isImmediate }
    var mismatch: StoreError { storage.mismatch }

    func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret {
        try await storage.key(store: store, credential: credential)
    }

    func newKey(store: String) async throws(StoreError) -> NewKey {
        steps.step()
        let key = try await storage.newKey(store: store)
        steps.step()
        return key
    }

    func forget(store: String) async throws(StoreError) {
        steps.step()
        try await storage.forget(store: store)
        steps.step()
    }
}
