import CSQLite
import Dispatch
import Synchronization

/// A connection to a database. Used by one thread at a time; a ``DatabaseQueue`` sees to that.
final class Database {
    /// The lock that a transaction takes when it begins.
    enum TransactionKind: String, Sendable {
        /// The first statement takes the lock that it needs.
        case deferred = "BEGIN DEFERRED TRANSACTION"
        /// Takes the lock for writing at once.
        case immediate = "BEGIN IMMEDIATE TRANSACTION"
    }

    /// `nil` after ``close()``.
    private var handle: OpaquePointer?
    /// The prepared statements, by their texts. Every text occurs in the source, so there are few.
    private var statements: [String: OpaquePointer] = [:]

    /// The version of the SQLite library.
    static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    /// Opens a file, and creates it if it is missing; a read-only file is opened for reading. Without a path, the database is in memory.
    ///
    /// - Parameter timeout: how long to wait for another connection's lock, in milliseconds.
    init(path: String?, timeout: Int32) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path ?? ":memory:", &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) }
            let error = SQLiteError(handle.map(sqlite3_extended_errcode) ?? code, message: message)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, timeout)
        csqlite_refuse_double_quoted_strings(handle)
    }

    deinit { closeHandle() }

    /// Closes the connection. Later calls throw `SQLITE_MISUSE`.
    func close() throws(SQLiteError) {
        let code = closeHandle()
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }

    @discardableResult
    private func closeHandle() -> Int32 {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        defer { handle = nil }
        return sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs statements without parameters and without results.
    func execute(_ script: String) throws(SQLiteError) {
        guard let handle else { throw SQLiteError(SQLITE_MISUSE) }
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// Runs one statement. Its results, if any, are ignored.
    func run(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try bound(text, values)
        defer { Self.reset(statement) }
        while try step(statement) {}
    }

    /// Runs one statement, and passes the values of each row of its result to `body`.
    func forEachRow(of text: String, _ values: [SQLiteValue] = [], _ body: ([SQLiteValue]) throws -> Void) throws {
        let statement = try bound(text, values)
        defer { Self.reset(statement) }
        while try step(statement) { try body((0..<sqlite3_column_count(statement)).map { Self.value(of: statement, column: $0) }) }
    }

    /// Runs one statement, and returns the rows of its result.
    func rows(of statement: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try forEachRow(of: statement, values) { rows.append($0) }
        return rows
    }

    /// Runs one statement, and returns the first value of its result; `nil` if there is no row.
    func firstValue(of statement: String, _ values: [SQLiteValue] = []) throws -> SQLiteValue? {
        try rows(of: statement, values).first?.first
    }

    private func prepared(_ text: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        guard let handle else { throw SQLiteError(SQLITE_MISUSE) }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw SQLiteError(SQLITE_MISUSE, message: "an empty statement") }
        statements[text] = statement
        return statement
    }

    /// Returns the prepared statement with its parameters; ``reset(_:)`` makes it ready for the next use.
    private func bound(_ text: String, _ values: [SQLiteValue]) throws(SQLiteError) -> OpaquePointer {
        let statement = try prepared(text)
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, to: Int32(index + 1), of: statement)
            guard code == SQLITE_OK else {
                Self.reset(statement)
                throw error(code)
            }
        }
        return statement
    }

    private static func reset(_ statement: OpaquePointer) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    /// Returns whether there is another row.
    private func step(_ statement: OpaquePointer) throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw error(code) }
        return code == SQLITE_ROW
    }

    private static func bind(_ value: SQLiteValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { csqlite_bind_text(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
        }
    }

    private static func value(of statement: OpaquePointer, column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let text = sqlite3_column_text(statement, column)
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let blob = sqlite3_column_blob(statement, column)
            return .blob(Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(statement, column)))))
        default: return .null
        }
    }

    // MARK: Transactions

    /// Whether a transaction has begun and not ended.
    var isInsideTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    func begin(_ kind: TransactionKind) throws(SQLiteError) { try run(kind.rawValue) }

    /// Makes the changes of the transaction durable.
    func commit() throws(SQLiteError) { try run("COMMIT TRANSACTION") }

    /// Reverts the changes of the transaction.
    func rollback() throws(SQLiteError) { try run("ROLLBACK TRANSACTION") }

    // MARK: Errors

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code, message: handle.map { String(cString: sqlite3_errmsg($0)) })
    }
}

/// A value of a column or a parameter.
enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }

    init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }

    init(_ bytes: [UInt8]?) { self = bytes.map(SQLiteValue.blob) ?? .null }

    /// The integer; `nil` for a value of another type.
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The text; `nil` for a value of another type.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes; `nil` for a value of another type.
    var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// An error of SQLite.
struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as `SQLITE_IOERR_SHORT_READ`.
    var code: Int32
    /// SQLite's message; `nil` if it has none.
    var message: String?

    init(_ code: Int32, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// The primary result code, such as `SQLITE_IOERR`.
    var primaryCode: Int32 { code & 0xFF }
}

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
