import AuthModel
import SQLite

extension StoreTransaction {
    /// Returns every session's summary, with its last use.
    func summaries() throws -> [SessionSummary] {
        let lastUses = try LastUse.all(in: database)
        let names = sessions.entries.map(\.columns.name)
        return names.indices.sorted { names[$0] < names[$1] }.map { index in
            let entry = sessions.entries[index]
            return entry.summary(with: lastUses[entry.id])
        }
    }

    func entry(named name: SessionName) -> Entry<SessionColumns>? { sessions.entries.first { $0.columns.name == name } }

    func record(named name: SessionName) throws -> SessionRecord? { try entry(named: name).map { try record($0) } }

    /// Opens a session's payload and returns its record.
    func record(_ entry: Entry<SessionColumns>) throws -> SessionRecord {
        let payload = try payload(of: entry, on: \.sessions)
        return try SessionPayload(payload).record(entry.summary(with: try LastUse.last(of: entry.id, in: database)))
    }

    /// Adds a session. Throws ``StoreError/Kind/nameTaken(_:)`` if its name is in use.
    mutating func insert(_ record: SessionRecord) throws {
        guard entry(named: record.summary.name) == nil else { throw StoreError(.nameTaken(record.summary.name)) }
        try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: nil)
    }

    /// Adds sessions. Throws ``StoreError/Kind/nameTaken(_:)`` if a name is in use.
    mutating func insert(_ records: [SessionRecord]) throws {
        var names = Set(sessions.entries.map(\.columns.name))
        for record in records {
            guard names.insert(record.summary.name).inserted else { throw StoreError(.nameTaken(record.summary.name)) }
            try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: nil)
        }
    }

    /// Replaces the session of that name with a record.
    mutating func replace(_ name: SessionName, with record: SessionRecord) throws {
        guard let old = entry(named: name) else { throw StoreError(.notFound(name)) }
        if let other = entry(named: record.summary.name), other.id != old.id { throw StoreError(.nameTaken(record.summary.name)) }
        try put(SessionColumns(record.summary), payload: SessionPayload(record).encoded(), id: old.id)
    }

    mutating func delete(_ name: SessionName) throws {
        guard let entry = entry(named: name) else { return }
        try removeSession(id: entry.id)
        try LastUse.remove(for: entry.id, in: database)
    }

    /// Returns the name for an account with a suggested label: its existing name, else `name`, else `name` with the first free number.
    func unusedName(like name: SessionName, for known: Entry<SessionColumns>?) throws(StoreError) -> SessionName {
        if let known { return known.columns.name }
        guard let label = name.account else { throw StoreError(.invalid(UserMessage("store.session_without_account_label"))) }
        var candidate = name
        var number = 1
        while entry(named: candidate) != nil {
            number += 1
            let suffix = "-\(number)"
            var stem = label
            while stem.utf8.count + suffix.utf8.count > 256 { stem.removeLast() }
            guard let next = SessionName(provider: name.provider, account: stem + suffix) else {
                throw StoreError(.nameTaken(name))
            }
            candidate = next
        }
        return candidate
    }
}

extension Entry where Columns == SessionColumns {
    func summary(with lastUse: LastUse?) -> SessionSummary {
        var summary = columns.summary
        summary.lastUsedAt = lastUse?.at
        summary.lastUsedBy = lastUse?.by.map(UserMessage.init(line:))
        return summary
    }
}
