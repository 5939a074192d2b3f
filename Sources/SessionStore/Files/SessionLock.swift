import Crypto
import GRDB
import Glibc
import Synchronization

/// A lock on one session, held by one task of one process. Released by ``release()``, by the last reference, or by the end of the process.
///
/// What was begun under it can be finished, though the store is locked meanwhile: ``SessionStore/update(_:holding:_:)``. The answer to a
/// renewal is worth a session, and comes when it comes.
public final class SessionLock: Sendable {
    private struct Held {
        var letGo: @Sendable () -> Void
        /// Those of the store, from before it was locked.
        var pass: StoreAccess?
        var room: ReservedSpace?
    }

    private let held: Mutex<Held?>

    init(pass: StoreAccess? = nil, release: @escaping @Sendable () -> Void) { held = Mutex(Held(letGo: release, pass: pass)) }

    /// What opens the store for its holder; `nil` where the store was locked when it was taken, and once it is released.
    var pass: StoreAccess? { held.withLock { $0?.pass } }

    /// Holds room on the disk until the next write under this lock.
    func hold(_ room: ReservedSpace) { held.withLock { $0?.room = room } }

    /// Gives back the room that is held, for the write that it was held for.
    func giveBackRoom() {
        // Closed outside of the lock.
        _ = held.withLock { held in
            defer { held?.room = nil }
            return held?.room
        }
    }

    deinit { release() }

    /// Lets the next one in. Does nothing the second time.
    public func release() {
        let last = held.withLock { held in
            defer { held = nil }
            return held
        }
        last?.letGo()
    }
}

/// Keys, and the database that they are for.
struct StoreAccess: Sendable {
    var keys: StoreKeys
    var database: DatabaseQueue
}

/// Where locks are kept.
///
/// In a file, a lock is a byte of it that is chosen by the name's hash, held by an open file description: it excludes other tasks as
/// well as other processes, leaves nothing behind, and the kernel drops it when its owner dies.
enum LockLocation: Sendable {
    case file(path: String)
    case process(InMemoryLocks)

    /// Takes the lock if it is free.
    func take(_ name: String) throws(StoreError) -> SessionLock? {
        switch self {
        case .process(let held):
            guard held.names.withLock({ $0.insert(name).inserted }) else { return nil }
            return SessionLock { held.names.withLock { _ = $0.remove(name) } }
        case .file(let path):
            let descriptor = try FileGuard.openOrCreate(path)
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = Self.offset(of: name)
            range.l_len = 1
            if fcntl(descriptor, Self.setOpenFileDescriptionLock, &range) == 0 { return SessionLock { close(descriptor) } }
            let code = errno
            close(descriptor)
            guard code == EAGAIN || code == EACCES else { throw StoreError.system("lock", code, path: path) }
            return nil
        }
    }

    /// `F_OFD_SETLK` of `<fcntl.h>`, the same number on every Linux; Swift's Glibc module hides it.
    private static let setOpenFileDescriptionLock: Int32 = 37

    /// A byte between 0 and 2^62.
    private static func offset(of name: String) -> Int {
        SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | Int($1) & 0xFF } & (1 << 62 - 1)
    }
}

/// The locks held on a store in memory.
final class InMemoryLocks: Sendable {
    let names = Mutex<Set<String>>([])
}
