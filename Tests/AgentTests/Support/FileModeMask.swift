import Glibc
import Synchronization

/// The process's mask for the modes of new files, for one test at a time: the mask that one test puts back must not be that of another.
enum FileModeMask {
    private static let turn = Mutex(())

    /// Runs `body` with a mask, and restores the former one.
    static func with<Value: Sendable, Failure: Error>(_ mask: mode_t, _ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try turn.withLock { _ throws(Failure) in
            let former = umask(mask)
            defer { umask(former) }
            return try body()
        }
    }
}
