/// Tells whether the store is unlocked, and what unlocks it. Throws if this cannot be determined.
package struct ReadSeal: SessionOperation {
    package typealias Reply = SealReport
    package static let route = OperationRoute("seal", .get, "/v1/seal", [.worksWhileLocked, .isRepeatable, .isQuick, .isForwarded])

    package init() {}
    package init(wire: JSONValue) throws(WireError) {}
    package func wire(_ texts: MessageTexts) -> JSONValue { .object([]) }
}

/// Unlocks the store. Returns the state after it.
package struct UnlockStore: SessionOperation {
    package typealias Reply = SealState
    package static let route = OperationRoute("unlock", .post, "/v1/unlock", [.worksWhileLocked, .isRepeatable])

    /// Ignored if the key comes from another source.
    package var passphrase: Secret

    package init(_ passphrase: Secret) { self.passphrase = passphrase }
    package init(wire: JSONValue) throws(WireError) { passphrase = try WireReader(wire).secret("passphrase") }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("passphrase", .string(passphrase.reveal()))) }
}

/// Erases the keys from memory. Waits for pending provider requests first and seals their results. Returns the state after it.
package struct LockStore: SessionOperation {
    package typealias Reply = SealState
    package static let route = OperationRoute("lock", .post, "/v1/lock", [.worksWhileLocked, .isRepeatable])

    package init() {}
    package init(wire: JSONValue) throws(WireError) {}
    package func wire(_ texts: MessageTexts) -> JSONValue { .object([]) }
}

/// Whether the store is locked.
public enum SealState: Equatable, Sendable {
    case unlocked
    /// A passphrase is needed. `isNew` means that none exists yet, and the given one becomes the passphrase.
    case locked(isNew: Bool)
}

extension SealState: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .unlocked: .members(("locked", false))
        case .locked(let isNew): .members(("locked", true), ("new", .bool(isNew)))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "seal")
        self = try reader.flag("locked") ? .locked(isNew: try reader.optional("new", \.bool) ?? false) : .unlocked
    }
}

/// The seal's state, and whether a passphrase unlocks it.
package struct SealReport: WireValue, Equatable {
    package var state: SealState
    package var needsPassphrase: Bool

    package init(state: SealState, needsPassphrase: Bool) {
        self.state = state
        self.needsPassphrase = needsPassphrase
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .object((state.wire(texts).members ?? []) + [JSONValue.Member("takes_passphrase", .bool(needsPassphrase))])
    }

    package init(wire: JSONValue) throws(WireError) {
        state = try SealState(wire: wire)
        needsPassphrase = try WireReader(wire, "seal").optional("takes_passphrase", \.bool) ?? true
    }
}

extension SessionService {
    /// Returns whether the store is unlocked. Throws if this cannot be determined.
    package func seal() async throws(AuthFailure) -> SealState { try await perform(ReadSeal()).state }

    /// Returns whether a passphrase unlocks the store; true if that cannot be told.
    package func needsPassphrase() async -> Bool { (try? await perform(ReadSeal()).needsPassphrase) ?? true }

    /// Unlocks the store.
    package func unlock(passphrase: Secret) async throws(AuthFailure) { _ = try await perform(UnlockStore(passphrase)) }

    /// Erases the keys from memory. Waits for pending provider requests first and seals their results.
    package func lock() async throws(AuthFailure) { _ = try await perform(LockStore()) }
}
