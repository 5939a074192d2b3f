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

    /// The PIN for ``Seal/securityKey``, empty for a key without one. Ignored if the key comes from another source.
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
package struct LockStore: SessionOperation {
    package typealias Reply = SealState
    package static let route = OperationRoute("lock", .post, "/v1/lock", [.worksWhileLocked, .isRepeatable])

    package init() {}
    package init(wire: JSONValue) throws(WireError) {}
    package func wire(_ texts: MessageTexts) -> JSONValue { .object([]) }
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

/// The protection of the store's data key: `seal` in the configuration.
public enum Seal: String, Sendable, CaseIterable {
    /// A passphrase that the user enters and that is stored nowhere.
    case passphrase
    /// A key in the login keyring.
    case secretService = "secret-service"
    /// A key that systemd seals to this machine and user. It does not protect from other programs of the user, or from root.
    case system
    /// A key that a FIDO2 security key opens, with its PIN and a touch. Nothing else opens the store.
    case securityKey = "security-key"
    /// A key in a file that only its owner may read. It does not protect from anyone who can read the owner's files: a backup, a stolen
    /// unencrypted disk, another program of the same user.
    case keyFile = "key-file"
    /// Nothing is stored: the sessions end with the process.
    case memory

    /// Whether only the user can unlock the store, with a passphrase or a security key.
    package var asksUser: Bool { self == .passphrase || self == .securityKey }
}

/// What protects the key of a store. The front ends have the texts of what each protects from, and what it does not.
package enum StoreProtection: Equatable, Sendable {
    case passphrase
    case keyring
    /// systemd seals it with this machine's TPM, and perhaps with the machine's own key too.
    case tpm(hasHostKey: Bool)
    /// systemd seals it with a key of this machine that root can read.
    case hostKey
    /// systemd seals it with something that this version does not know.
    case unknownMachineKey
    /// Any of several security keys opens it.
    case securityKeys(Int)
    case keyFile
    /// Nothing is stored.
    case memory
}

/// What systemd seals the key of a store with, for ``Seal/system``.
public enum SystemKey: String, Sendable, CaseIterable {
    /// A key in a file of this machine, which root can read.
    case host
    /// This machine's TPM.
    case tpm = "tpm2"
    /// The TPM and the key in the file together.
    case hostAndTPM = "host+tpm2"
    /// Nothing: a fixed key.
    case null
    /// A key that this version does not know.
    case unknown
}

/// Whether the store is locked.
public enum SealState: Equatable, Sendable {
    case unlocked
    /// A passphrase or a security key is needed. `isNew` means that there is no store yet; the given one will open the new store.
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

/// The seal's state, whether the user unlocks it, and how the key is kept.
package struct SealReport: WireValue, Equatable {
    package var state: SealState
    /// Whether a passphrase unlocks the store, or the PIN and the touch of a security key.
    package var needsPassphrase: Bool
    /// How the store's key is kept, or that of the store that will be created; `nil` if an older agent does not tell.
    package var seal: Seal?
    /// For ``Seal/system``.
    package var systemKey: SystemKey?
    /// For ``Seal/securityKey``: the number of keys that open the store; `nil` if there is none yet.
    package var securityKeys: Int?

    package init(
        state: SealState, needsPassphrase: Bool, seal: Seal? = nil, systemKey: SystemKey? = nil, securityKeys: Int? = nil
    ) {
        self.state = state
        self.needsPassphrase = needsPassphrase
        self.seal = seal
        self.systemKey = systemKey
        self.securityKeys = securityKeys
    }

    /// What protects the key; `nil` if the seal is not known.
    package var protection: StoreProtection? {
        switch seal {
        case nil: nil
        case .passphrase: .passphrase
        case .secretService: .keyring
        case .system:
            switch systemKey {
            case .tpm: .tpm(hasHostKey: false)
            case .hostAndTPM: .tpm(hasHostKey: true)
            case .host: .hostKey
            case .unknown, .null, nil: .unknownMachineKey
            }
        case .securityKey: .securityKeys(securityKeys ?? 1)
        case .keyFile: .keyFile
        case .memory: .memory
        }
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        var members = (state.wire(texts).members ?? []) + [JSONValue.Member("takes_passphrase", .bool(needsPassphrase))]
        if let seal { members.append(JSONValue.Member("seal", .string(seal.rawValue))) }
        if let systemKey { members.append(JSONValue.Member("system_key", .string(systemKey.rawValue))) }
        if let securityKeys { members.append(JSONValue.Member("security_keys", .number(securityKeys))) }
        return .object(members)
    }

    package init(wire: JSONValue) throws(WireError) {
        state = try SealState(wire: wire)
        let reader = try WireReader(wire, "seal")
        needsPassphrase = try reader.optional("takes_passphrase", \.bool) ?? true
        seal = try reader.optional("seal", \.string).flatMap(Seal.init)
        systemKey = try reader.optional("system_key", \.string).map { SystemKey(rawValue: $0) ?? .unknown }
        securityKeys = try reader.optional("security_keys", \.integer).map(Int.init(clamping:))
    }
}

extension SessionService {
    /// Returns whether the store is unlocked. Throws if this cannot be determined.
    package func seal() async throws(AuthFailure) -> SealState { try await perform(ReadSeal()).state }

    /// Returns whether a security key unlocks the store, so that a PIN takes the place of the passphrase.
    package func needsSecurityKey() async -> Bool { (try? await perform(ReadSeal()).seal) == .securityKey }

    /// Unlocks the store.
    package func unlock(passphrase: Secret, isPIN: Bool = false) async throws(AuthFailure) {
        _ = try await perform(UnlockStore(passphrase, isPIN: isPIN))
    }

    /// Erases the keys from memory. Waits for pending provider requests first and seals their results.
    package func lock() async throws(AuthFailure) { _ = try await perform(LockStore()) }
}
