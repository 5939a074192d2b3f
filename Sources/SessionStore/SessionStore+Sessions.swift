public import AuthModel
import GRDB

extension SessionStore {
    /// Every session, by name. Works while the store is locked.
    public func summaries() async throws(StoreError) -> [SessionSummary] {
        guard try await hasDatabase() else { return [] }
        return try await read { transaction in try transaction.summaries() }
    }

    /// One session; `nil` when there is none of that name.
    public func record(_ name: SessionName) async throws(StoreError) -> SessionRecord? {
        try await readUnlocked { transaction in try transaction.record(named: name) }
    }

    /// The sessions at one provider, by name.
    public func records(provider: ProviderName) async throws(StoreError) -> [SessionRecord] {
        try await readUnlocked { transaction in
            try transaction.sessions.entries.filter { $0.columns.name.provider == provider }
                .map { try transaction.record($0) }.sorted { $0.summary.name < $1.summary.name }
        }
    }

    /// Reads a session, lets `change` have its way with it, and stores what comes out, as one step that nobody can come between.
    ///
    /// `change` sees `nil` when there is no such session; leaving `nil` deletes it, another name renames it. What is left as it was
    /// is not written.
    ///
    /// - Parameter lock: one that the caller holds, which opens a store that was locked meanwhile.
    @discardableResult
    public func update<Result: Sendable>(
        _ name: SessionName, holding lock: SessionLock? = nil, _ change: @escaping @Sendable (inout SessionRecord?) -> Result
    ) async throws(StoreError) -> Result {
        try await write(holding: lock) { transaction in
            let before = try transaction.record(named: name)
            var after = before
            let result = change(&after)
            guard after != before else { return result }
            if let after {
                if let before { try transaction.replace(before.summary.name, with: after) } else { try transaction.insert(after) }
            } else {
                try transaction.delete(name)
            }
            return result
        }
    }

    /// Writes a session again as it is, or only what every change writes where there is none of that name: throws where nothing can be
    /// written now. For the moment before something is asked for that is given once.
    ///
    /// - Parameter lock: one that the caller holds; it also holds room on the disk until the next write under it.
    public func verifyWritable(_ name: SessionName? = nil, holding lock: SessionLock? = nil) async throws(StoreError) {
        try await write(holding: lock) { transaction in
            if let name, let record = try transaction.record(named: name) {
                try transaction.replace(name, with: record)
            } else {
                transaction.touch()
            }
        }
        if let lock, let directory { lock.hold(try ReservedSpace(in: directory)) }
    }

    /// How the name of a session that is stored came about.
    public enum LabelChoice: Equatable, Sendable {
        /// The person chose it: it is used, or ``StoreError/Kind/nameTaken(_:)`` is thrown.
        case chosen
        /// It comes from claims: an account that is known keeps the label it has, and one that is taken gets a number.
        case suggested
    }

    /// Stores the session of an account, in the place of the one that the same account (provider, issuer, subject) has. Where the provider
    /// names no subject, that is the session of the name that the person chose; a suggested name only stands for one that has ended.
    ///
    /// Returns the record as it was stored: its label may differ, see ``LabelChoice``.
    public func store(_ record: SessionRecord, label: LabelChoice = .suggested) async throws(StoreError) -> SessionRecord {
        let now = time.now
        return try await write { transaction in
            let known = transaction.sessions.entries.first { entry in
                guard entry.columns.isSameAccount(as: record.summary) else { return false }
                return label == .chosen || record.summary.subject != nil || entry.columns.summary.hasEnded(at: now)
            }
            var record = record
            if label == .suggested { record.summary.name = try transaction.freeName(like: record.summary.name, for: known) }
            if let known { try transaction.replace(known.columns.name, with: record) } else { try transaction.insert(record) }
            return record
        }
    }

    /// Stores new sessions in one step, all or none; each name must be free. A store of ten thousand is so made in the time of one writing,
    /// where one after the other would check all that is there before each.
    package func insert(_ records: [SessionRecord]) async throws(StoreError) {
        try await write { transaction in try transaction.insert(records) }
    }

    /// Deletes a session and queues what is to be revoked of it, in one step; returns the session, `nil` when there was none.
    ///
    /// - Parameter pause: how long the provider wants to be left alone before it is told of them.
    @discardableResult
    public func delete(
        _ name: SessionName, revoking revocations: [Revocation] = [], after pause: Duration = .zero
    ) async throws(StoreError) -> SessionRecord? {
        let now = time.now
        return try await write { transaction in
            guard let record = try transaction.record(named: name) else { return nil }
            try transaction.delete(name)
            for revocation in revocations { try transaction.enqueue(revocation, at: now, dueAt: now + pause) }
            return record
        }
    }

    /// Gives a session another label.
    public func rename(_ name: SessionName, to newName: SessionName) async throws(StoreError) {
        try await write { transaction in
            guard var record = try transaction.record(named: name) else { throw StoreError(.notFound(name)) }
            record.summary.name = newName
            try transaction.replace(name, with: record)
        }
    }

    /// Notes that a token of the session was handed out. Nothing is sealed anew, and a session that is gone is left alone.
    public func markUsed(_ name: SessionName, at moment: Timestamp, by caller: String?) async throws(StoreError) {
        try await write { transaction in
            guard let entry = transaction.entry(named: name) else { return }
            try LastUse(at: moment, by: caller).store(for: entry.id, in: transaction.database)
        }
    }
}
