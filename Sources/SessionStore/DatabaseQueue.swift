import Dispatch
import Synchronization

/// A database with a queue of its own: closures run one after the other, and waiting for another process's lock blocks no task.
final class DatabaseQueue: Sendable {
    private let queue = DispatchQueue(label: "database")
    private let database: Mutex<Database>

    /// Opens a database; without a path, in memory. May wait for another connection.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for another connection's lock, in milliseconds.
    ///   - setUp: settings of the connection.
    init(path: String?, timeout: Int32 = 10_000, setUp: (Database) throws(SQLiteError) -> Void = { _ in }) throws(SQLiteError) {
        let database = try Database(path: path, timeout: timeout)
        try setUp(database)
        self.database = Mutex(database)
    }

    /// Runs `body` on the queue, after what was added before.
    func async(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async { self.database.withLock { body($0) } }
    }

    /// Runs `body` on the queue, and returns its result. Blocks the calling thread.
    func sync<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws -> Value {
        try queue.sync { try database.withLock { try body($0) } }
    }

    /// Closes the connection. Later uses of the database throw.
    func close() throws { try sync { try $0.close() } }
}
