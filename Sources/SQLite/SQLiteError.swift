/// An error of SQLite.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as `SQLITE_IOERR_SHORT_READ`.
    package var code: Int32
    /// SQLite's message; `nil` if it has none.
    package var message: String?

    /// Creates an error.
    package init(_ code: Int32, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// The primary result code, such as `SQLITE_IOERR`.
    package var primaryCode: Int32 { code & 0xFF }
}
