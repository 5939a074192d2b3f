import AuthModel
import SQLite

extension StoreTransaction {
    @discardableResult
    mutating func enqueue(_ revocation: Revocation, at now: Timestamp, dueAt: Timestamp? = nil) throws -> Int64 {
        try put(
            RevocationColumns(provider: revocation.session.provider.text, queuedAt: now, attempts: 0, nextAttemptAt: dueAt ?? now),
            payload: revocation.encoded(), id: nil)
    }

    func pendingRevocations() throws -> [PendingRevocation] {
        try revocations.entries.map { entry in
            PendingRevocation(
                id: entry.id, revocation: try Revocation(unsealing: try payload(of: entry, on: \.revocations)),
                queuedAt: entry.columns.queuedAt, attempts: Int(clamping: entry.columns.attempts),
                nextAttemptAt: entry.columns.nextAttemptAt)
        }
    }

    mutating func postponeRevocation(_ id: Int64, until moment: Timestamp) throws {
        guard let entry = revocations.entries.first(where: { $0.id == id }) else { return }
        let payload = try payload(of: entry, on: \.revocations)
        var columns = entry.columns
        columns.attempts += 1
        columns.nextAttemptAt = moment
        _ = try put(columns, payload: payload, id: id)
    }

    func value(for name: String) throws -> Secret? { try valueEntry(name).map { try payload(of: $0, on: \.values) } }

    mutating func setValue(_ value: Secret?, for name: String) throws {
        let entry = valueEntry(name)
        if let value {
            try put(ValueColumns(name: name), payload: value, id: entry?.id)
        } else if let entry {
            try removeValue(id: entry.id)
        }
    }

    private func valueEntry(_ name: String) -> Entry<ValueColumns>? {
        values.entries.first { $0.columns.name.hasSameBytes(as: name) }
    }
}

extension Revocation {
    func encoded() throws(StoreError) -> Secret {
        var writer = PayloadWriter(version: 1)
        writer.text(session.description)
        writer.secret(token)
        writer.optionalText(tokenTypeHint)
        writer.text(endpoint.text)
        writer.text(clientID)
        try writer.json(extras)
        return writer.finish()
    }

    init(unsealing secret: Secret) throws(StoreError) {
        var reader = try PayloadReader(secret, version: 1...1)
        guard let session = SessionName(try reader.text()) else { throw StoreError(.altered) }
        let token = try reader.secret()
        let hint = try reader.optionalText()
        guard let endpoint = WebURL(try reader.text()) else { throw StoreError(.altered) }
        self.init(
            session: session, token: token, tokenTypeHint: hint, endpoint: endpoint, clientID: try reader.text(),
            extras: try reader.json())
        try reader.end()
    }
}
