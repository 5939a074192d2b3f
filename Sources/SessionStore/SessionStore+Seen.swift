import GRDB
import Synchronization

extension SessionStore {
    /// The store as its last transaction left it, kept so that the next one need not read and check a thousand rows for one.
    ///
    /// It stands for what lies on the disk as long as SQLite says that no other connection has written, and holds no secret.
    struct Seen: Sendable {
        var contents: StoreTransaction.Contents
        var mark: Mark

        /// Of what it was seen, and how well it was looked at.
        struct Mark: Sendable {
            /// `PRAGMA data_version`: another one after each commit of another connection, and after none of this one's.
            var version: Int64
            /// Which connection counts so.
            var connection: ObjectIdentifier
            /// Whether the keys authenticated it, and not only its own digest.
            var isAuthenticated: Bool
            /// Whether the database's own structure was checked.
            var isSound: Bool
        }
    }

    /// The checked store within a transaction: as it was seen, else read anew. What was seen is given away, so that it is changed in its
    /// place.
    ///
    /// A page whose parts overlap can still be read as it was meant; writing into it would destroy what lies beneath. So the database's own
    /// structure is checked before something that others wrote is written to, and not only its content.
    func openLedger(in db: Database, keys: StoreKeys?, forWriting: Bool) throws -> (transaction: StoreTransaction, mark: Seen.Mark) {
        guard let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) else { throw StoreError(.corrupt) }
        let connection = ObjectIdentifier(db)
        let seen = state.withLock { state -> Seen? in
            defer { state.seen = nil }
            guard let mark = state.seen?.mark, mark.version == version, mark.connection == connection else { return nil }
            return keys == nil || mark.isAuthenticated ? state.seen : nil
        }
        var mark = seen?.mark ?? Seen.Mark(version: version, connection: connection, isAuthenticated: keys != nil, isSound: false)
        if forWriting, !mark.isSound {
            guard try String.fetchOne(db.cachedStatement(sql: "PRAGMA quick_check(1)")) == "ok" else { throw StoreError(.corrupt) }
            mark.isSound = true
        }
        return (try seen.map { StoreTransaction($0.contents, in: db, keys: keys) } ?? StoreTransaction(in: db, keys: keys), mark)
    }
}
