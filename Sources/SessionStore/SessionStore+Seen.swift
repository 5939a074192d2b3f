import SQLite
import Synchronization

extension SessionStore {
    /// The store as the last transaction left it, kept so that the next transaction need not read and check all rows.
    ///
    /// It is valid as long as SQLite reports that no other connection has written. It contains no secret.
    struct Seen: Sendable {
        var contents: StoreTransaction.Contents
        var mark: Mark

        /// Identifies the state of the database, and records which checks it passed.
        struct Mark: Sendable {
            /// `PRAGMA data_version`: it changes after each commit of another connection, and after none of this one's.
            var version: Int64
            /// The connection that this version belongs to.
            var connection: ObjectIdentifier
            /// Whether the keys authenticated the contents, and not only their own digest.
            var isAuthenticated: Bool
            /// Whether the database's structure was checked.
            var isSound: Bool
        }
    }

    /// Returns the checked store within a transaction: the remembered one, or else newly read. Clears the remembered one, so that it is
    /// changed without a copy.
    ///
    /// A page with overlapping parts may still be readable, but writing to it would destroy the data beneath. So before writing to data
    /// that another connection wrote, the database's structure is checked in addition to its content.
    func openTransaction(in db: Database, keys: StoreKeys?, forWriting: Bool) throws -> (transaction: StoreTransaction, mark: Seen.Mark) {
        guard let version = try db.firstValue(of: "PRAGMA data_version")?.integer else { throw StoreError(.corrupt) }
        let connection = ObjectIdentifier(db)
        let seen = state.withLock { state -> Seen? in
            defer { state.seen = nil }
            guard let mark = state.seen?.mark, mark.version == version, mark.connection == connection else { return nil }
            return keys == nil || mark.isAuthenticated ? state.seen : nil
        }
        guard try seen != nil || hasWholePages(db) else { throw StoreError(.corrupt) }
        var mark = seen?.mark ?? Seen.Mark(version: version, connection: connection, isAuthenticated: keys != nil, isSound: false)
        if forWriting, !mark.isSound {
            guard try db.firstValue(of: "PRAGMA quick_check(1)")?.text == "ok" else { throw StoreError(.corrupt) }
            mark.isSound = true
        }
        return (try seen.map { StoreTransaction($0.contents, in: db, keys: keys) } ?? StoreTransaction(in: db, keys: keys), mark)
    }

    /// Returns whether the file ends with a complete page. SQLite reads the missing end of a page as zeros, which changes nothing if the page
    /// was not full.
    private func hasWholePages(_ db: Database) throws -> Bool {
        guard let path = databasePath, let size = try FileGuard.check(file: path) else { return true }
        guard let page = try db.firstValue(of: "PRAGMA page_size")?.integer, page > 0 else { return false }
        return Int64(size) % page == 0
    }
}
