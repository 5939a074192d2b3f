public import AuthModel
import GRDB

/// A token that is to be revoked at its provider (RFC 7009).
public struct Revocation: Equatable, Sendable {
    /// The session it came from.
    public var session: SessionName
    public var token: Secret
    /// `refresh_token` or `access_token` (RFC 7009 section 2.1).
    public var tokenTypeHint: String?
    public var endpoint: WebURL
    public var clientID: String
    /// What else the request needs, as an object. Sealed.
    public var extras: JSONValue

    public init(
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

/// A revocation that waits for its provider.
public struct PendingRevocation: Equatable, Sendable, Identifiable {
    public var id: Int64
    public var revocation: Revocation
    public var queuedAt: Timestamp
    /// How often it was tried in vain.
    public var attempts: Int
    /// When it is to be tried next.
    public var nextAttemptAt: Timestamp
}

extension SessionStore {
    /// Queues a revocation; due at once.
    @discardableResult
    public func enqueue(_ revocation: Revocation) async throws(StoreError) -> PendingRevocation.ID {
        let now = time.now
        return try await write { transaction in try transaction.enqueue(revocation, at: now) }
    }

    /// What waits to be revoked, in the order it was queued.
    public func pendingRevocations() async throws(StoreError) -> [PendingRevocation] {
        try await readUnlocked { transaction in try transaction.pendingRevocations() }
    }

    /// Counts an attempt in vain, and sets when the next is due. One that is gone is left alone.
    public func postponeRevocation(_ id: PendingRevocation.ID, until moment: Timestamp) async throws(StoreError) {
        try await write { transaction in try transaction.postponeRevocation(id, until: moment) }
    }

    /// Takes a revocation off the queue: done, or never to be done.
    public func removeRevocation(_ id: PendingRevocation.ID) async throws(StoreError) {
        try await write { transaction in try transaction.removeRevocation(id) }
    }

    /// How many revocations wait. Works while the store is locked.
    public func pendingRevocationCount() async throws(StoreError) -> Int {
        guard try await hasDatabase() else { return 0 }
        return try await read { transaction in transaction.revocations.entries.count }
    }
}
