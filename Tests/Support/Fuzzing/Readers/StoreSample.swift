public import AuthModel
public import SessionStore

/// The stores in the corpus, and their content.
public enum StoreSample {
    /// The key of these stores, which only this fuzzer uses.
    public static let source = KeySource.storage(FixedKey())

    /// A clock that always shows the same time; its sleeps return immediately.
    public static let time: any TimeSource = StillTime()

    static let names = ["work/a", "work/b"].compactMap(SessionName.init)

    /// Fills an empty store with the content of the corpus.
    public static func fill(_ store: SessionStore) async throws {
        for name in names { _ = try await store.store(record(name), label: .chosen) }
        if let name = names.first { try await store.markUsed(name, at: FuzzFixture.now, by: .verbatim("git")) }
        _ = try await store.enqueue(revocation)
        try await store.setSealedValue(Secret("value-secret"), for: "registration")
    }

    /// The readable content of a store, without the record of the last use, because nothing authenticates that record.
    struct Content: Equatable {
        var summaries: [SessionSummary]
        var records: [SessionRecord?]
        var revocations: [QueuedRevocation]
        var value: Secret?

        init(of store: SessionStore) async throws(StoreError) {
            summaries = try await store.summaries().map(Self.withoutUse)
            records = []
            for name in names {
                var record = try await store.record(name)
                if let summary = record?.summary { record?.summary = Self.withoutUse(summary) }
                records.append(record)
            }
            revocations = try await store.pendingRevocations().map(\.revocation)
            value = try await store.sealedValue(for: "registration")
        }

        private static func withoutUse(_ summary: SessionSummary) -> SessionSummary {
            var summary = summary
            summary.lastUsedAt = nil
            summary.lastUsedBy = nil
            return summary
        }
    }

    /// Returns a session with the given name and a value in every field.
    static func record(_ name: SessionName, accessToken: String = "access-secret") -> SessionRecord {
        let end = FuzzFixture.now + .seconds(300)
        return SessionRecord(
            summary: SessionSummary(
                name: name, issuer: FuzzFixture.issuerText, subject: name.description, recordedState: .signedIn, accessExpiresAt: end,
                refreshExpiresAt: nil, isRenewable: true, nextRenewalAt: nil, scopes: ["openid"], grantedAt: FuzzFixture.now,
                receivedAt: FuzzFixture.now, warnings: [.verbatim("a warning")]),
            tokens: TokenSet(
                accessToken: Secret(accessToken), tokenType: "Bearer", accessExpiresAt: end, refreshToken: Secret("refresh-secret"),
                refreshExpiresAt: nil, idToken: nil, scopes: ["openid"], receivedAt: FuzzFixture.now),
            identity: Identity(
                issuer: FuzzFixture.issuerText, subject: name.description, idTokenClaims: ["n": 1], userInfo: ["name": "Zoë"]),
            clientID: FuzzFixture.clientID, extras: ["key": "extra-secret"])
    }

    private static var revocation: QueuedRevocation {
        get throws(BrokenProperty) {
            guard let session = names.first, let endpoint = WebURL(FuzzFixture.issuerText + "/revoke") else {
                throw BrokenProperty("the sample cannot be made")
            }
            return QueuedRevocation(
                session: session, token: Secret("revoke-secret"), tokenTypeHint: "refresh_token", endpoint: endpoint,
                clientID: FuzzFixture.clientID, extras: [:])
        }
    }

    private struct FixedKey: KeyStorage {
        var seal: Seal { .keyFile }
        var mismatch: StoreError { StoreError(.keyMismatch) }
        func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret { Secret(bytes: [UInt8](repeating: 7, count: 32)) }
        func newKey(store: String) async throws(StoreError) -> NewKey { NewKey(try await key(store: store, credential: [])) }
        func forget(store: String) async throws(StoreError) {}
    }

    private struct StillTime: TimeSource {
        var now: Timestamp { FuzzFixture.now }
        var bootTime: Duration { .seconds(1000) }
        func sleep(until deadline: Duration) async throws { try Task.checkCancellation() }
    }
}
