public import AuthModel

/// A request to revoke a token at its provider (RFC 7009).
public struct QueuedRevocation: Equatable, Sendable {
    /// The session that the token came from.
    public var session: SessionName
    /// The token to revoke.
    public var token: Secret
    /// `refresh_token` or `access_token` (RFC 7009 section 2.1).
    public var tokenTypeHint: String?
    /// The revocation endpoint.
    public var endpoint: WebURL
    /// The client that the token was issued to.
    public var clientID: String
    /// Other values that the request needs, as an object. Sealed.
    public var extras: JSONValue

    package init(
        session: SessionName, token: Secret, tokenTypeHint: String?, endpoint: WebURL, clientID: String, extras: JSONValue = .object([])
    ) {
        self.session = session
        self.token = token
        self.tokenTypeHint = tokenTypeHint
        self.endpoint = endpoint
        self.clientID = clientID
        self.extras = extras
    }
}

/// A queued revocation.
public struct PendingRevocation: Equatable, Sendable, Identifiable {
    /// The identity in the queue.
    public var id: Int64
    /// The request.
    public var revocation: QueuedRevocation
    /// When it was queued.
    public var queuedAt: Timestamp
    /// The number of failed attempts.
    public var attempts: Int
    /// When the next attempt is due.
    public var nextAttemptAt: Timestamp
}

extension SessionStore {
    /// Queues a revocation, due at once.
    @discardableResult
    public func enqueue(_ revocation: QueuedRevocation) async throws(StoreError) -> PendingRevocation.ID {
        let now = time.now
        return try await write { transaction in try transaction.enqueue(revocation, at: now) }
    }

    /// Returns the queued revocations, oldest first.
    public func pendingRevocations() async throws(StoreError) -> [PendingRevocation] {
        try await readUnlocked { transaction in try transaction.pendingRevocations() }
    }

    /// Counts a failed attempt and sets when the next one is due. Does nothing if the revocation is no longer queued.
    public func postponeRevocation(_ id: PendingRevocation.ID, until moment: Timestamp) async throws(StoreError) {
        try await write { transaction in try transaction.postponeRevocation(id, until: moment) }
    }

    /// Removes a revocation from the queue: it is done, or will never be done.
    public func removeRevocation(_ id: PendingRevocation.ID) async throws(StoreError) {
        try await write { transaction in try transaction.remove(id, from: \.revocations) }
    }
}

extension StoreTransaction {
    @discardableResult
    mutating func enqueue(_ revocation: QueuedRevocation, at now: Timestamp, dueAt: Timestamp? = nil) throws -> Int64 {
        try put(
            RevocationColumns(provider: revocation.session.provider.text, queuedAt: now, attempts: 0, nextAttemptAt: dueAt ?? now),
            payload: revocation.encoded(), id: nil, on: \.revocations)
    }

    func pendingRevocations() throws -> [PendingRevocation] {
        try revocations.entries.map { entry in
            PendingRevocation(
                id: entry.id, revocation: try QueuedRevocation(unsealing: try payload(of: entry, on: \.revocations)),
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
        try put(columns, payload: payload, id: id, on: \.revocations)
    }
}

extension QueuedRevocation {
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
        try reader.requireEnd()
    }
}
