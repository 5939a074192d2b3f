/// Tells whether the store is unlocked, and what unlocks it. Throws if this cannot be determined.
package struct ReadSeal: PlainOperation {
    package typealias Reply = SealReport
    package static let route = OperationRoute("seal", .get, "/v1/seal", [.worksWhileLocked, .isRepeatable, .isQuick, .isForwarded])

    package init() {}
}

/// Unlocks the store. Returns the state after it.
package struct UnlockStore: SessionOperation {
    package typealias Reply = StoreState
    package static let route = OperationRoute("unlock", .post, "/v1/unlock", [.worksWhileLocked, .isRepeatable])

    /// The passphrase, or the PIN of a security key, empty if that has none. Ignored for other seals.
    package var passphrase: Secret
    /// Whether the text is a PIN. A security key gets no other text, because some wrong ones block it.
    package var isPIN: Bool

    package init(_ passphrase: Secret, isPIN: Bool = false) {
        self.passphrase = passphrase
        self.isPIN = isPIN
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        passphrase = try reader.secret("passphrase")
        isPIN = try reader.optional("pin", \.bool) ?? false
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("passphrase", .string(passphrase.reveal())), ("pin", .bool(isPIN)))
    }
}

/// Erases the keys from memory. Waits for pending provider requests first and seals their results. Returns the state after it.
package struct LockStore: PlainOperation {
    package typealias Reply = StoreState
    package static let route = OperationRoute("lock", .post, "/v1/lock", [.worksWhileLocked, .isRepeatable])

    package init() {}
}

/// Changes how the store's key is kept. Nothing but the wrapping of the data key changes. Returns the report after it.
///
/// A store with a passphrase or a security key needs it even while it is unlocked: otherwise any program of the user could have the key
/// written to a file.
package struct ChangeSeal: SessionOperation {
    package typealias Reply = SealReport
    package static let route = OperationRoute("sealChange", .post, "/v1/seal", [.countsAsUse])

    package var seal: Seal
    /// The passphrase of a store that has one, or the PIN of its security key.
    package var passphrase: Secret?
    /// For ``Seal/passphrase``; for ``Seal/securityKey``, the PIN of the new key.
    package var newPassphrase: Secret?
    /// Whether `passphrase` is a PIN. A security key gets no other text, because some wrong ones block it.
    package var isPIN = false
    /// Whether to keep the security keys of the store, and add one.
    package var addsKey: Bool
    /// The program that wants the change, for the activity log. The agent sets it; a request has none.
    package var requester: RequestingProcess?

    package init(_ seal: Seal, passphrase: Secret? = nil, newPassphrase: Secret? = nil, addsKey: Bool = false) {
        self.seal = seal
        self.passphrase = passphrase
        self.newPassphrase = newPassphrase
        self.addsKey = addsKey
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        seal = try reader.word("seal")
        passphrase = try reader.optional("passphrase", \.string).map { Secret($0) }
        newPassphrase = try reader.optional("new_passphrase", \.string).map { Secret($0) }
        isPIN = try reader.optional("pin", \.bool) ?? false
        addsKey = try reader.optional("add_key", \.bool) ?? false
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("seal", .string(seal.rawValue)), ("passphrase", JSONValue(passphrase?.reveal())),
            ("new_passphrase", JSONValue(newPassphrase?.reveal())), ("pin", .bool(isPIN)), ("add_key", .bool(addsKey)))
    }
}

extension SessionService {
    /// Returns whether the store is unlocked. Throws if this cannot be determined.
    package func storeState() async throws(AuthFailure) -> StoreState { try await perform(ReadSeal()).state }

    /// Returns whether a security key unlocks the store, so that a PIN takes the place of the passphrase.
    package func needsSecurityKey() async -> Bool { (try? await perform(ReadSeal()).seal) == .securityKey }

    /// Unlocks the store.
    package func unlock(passphrase: Secret, isPIN: Bool = false) async throws(AuthFailure) {
        _ = try await perform(UnlockStore(passphrase, isPIN: isPIN))
    }

    /// Erases the keys from memory. Waits for pending provider requests first and seals their results.
    package func lock() async throws(AuthFailure) { _ = try await perform(LockStore()) }
}
