import AuthModel
import Crypto
import Glibc
import OperatingSystem
import Synchronization

/// A lock on one session, held by one task of one process. It is released by ``release()``, by the last reference, or by the end of the
/// process.
///
/// Work that started under it can be finished even if the store is locked meanwhile: ``SessionStore/update(_:holding:_:)``. The response to
/// a renewal must not be lost, because the session depends on it.
public final class SessionLock: Sendable {
    private struct Held {
        var releaseLock: @Sendable () -> Void
        /// The store's keys and database, from before the store was locked.
        var pass: StoreAccess?
        var room: ReservedSpace?
    }

    private let held: Mutex<Held?>

    init(pass: StoreAccess? = nil, release: @escaping @Sendable () -> Void) { held = Mutex(Held(releaseLock: release, pass: pass)) }

    /// Gives the holder access to the store; `nil` if the store was locked when the lock was taken, and after the release.
    var pass: StoreAccess? { held.withLock { $0?.pass } }

    /// Keeps disk space reserved until the next write under this lock.
    func hold(_ room: ReservedSpace) { held.withLock { $0?.room = room } }

    /// Releases the reserved disk space, for the write that it was reserved for.
    func releaseReservedSpace() {
        // Deallocate it outside the mutex.
        _ = held.withLock { held in
            defer { held?.room = nil }
            return held?.room
        }
    }

    deinit { release() }

    /// Releases the lock. A second call does nothing.
    public func release() {
        let last = held.withLock { held in
            defer { held = nil }
            return held
        }
        last?.releaseLock()
    }
}

/// The keys, and the database that they open.
struct StoreAccess: Sendable {
    var keys: StoreKeys
    var database: DatabaseQueue
}

/// The place where locks are kept.
///
/// In a file, a lock is one byte, chosen by the name's hash, and held by an open file description. It excludes other tasks as well as other
/// processes, leaves nothing behind, and the kernel releases it when its owner dies.
enum LockLocation: Sendable {
    case file(path: String)
    case process(InMemoryLocks)

    /// Takes the lock; returns `nil` if it is not free.
    func acquire(_ name: String) throws(StoreError) -> SessionLock? {
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

    /// Returns the position of a name's byte, between 0 and 2^62.
    private static func offset(of name: String) -> Int {
        SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | Int($1) & 0xFF } & (1 << 62 - 1)
    }
}

/// The locks on a store in memory.
final class InMemoryLocks: Sendable {
    let names = Mutex<Set<String>>([])
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
            if isOver || events.contains(where: counts) { continuation.yield() }
            if isOver { continuation.finish() }
        }
        guard let events, events.watch(path, for: [.appeared, .left, .folderDeleted, .folderMoved]) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in events.stop() }
        return stream
    }

    private func counts(_ event: FolderEvents.Event) -> Bool {
        event.kinds.intersects(.overflowed) || (event.kinds.intersects(.left) ? disappearing : appearing).contains(event.name)
    }
}
