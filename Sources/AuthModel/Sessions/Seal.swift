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

/// The protection of a store's key in detail. The front ends have the texts of what each protects from, and what it does not.
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

/// The keys with which systemd seals the key of a store, for ``Seal/system``.
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
public enum StoreState: Equatable, Sendable {
    case unlocked
    /// A passphrase or a security key is needed. `isNew` means that there is no store yet; the given one will open the new store.
    case locked(isNew: Bool)
}

extension StoreState: WireValue {
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
    package var state: StoreState
    /// Whether a passphrase unlocks the store, or the PIN and the touch of a security key.
    package var needsPassphrase: Bool
    /// The seal of the store, or of the store that will be created; `nil` if an older agent does not tell.
    package var seal: Seal?
    /// For ``Seal/system``.
    package var systemKey: SystemKey?
    /// For ``Seal/securityKey``: the number of keys that open the store; `nil` if there is none yet.
    package var securityKeys: Int?

    package init(
        state: StoreState, needsPassphrase: Bool, seal: Seal? = nil, systemKey: SystemKey? = nil, securityKeys: Int? = nil
    ) {
        self.state = state
        self.needsPassphrase = needsPassphrase
        self.seal = seal
        self.systemKey = systemKey
        self.securityKeys = securityKeys
    }

    /// The protection of the key; `nil` if the seal is not known.
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
        state = try StoreState(wire: wire)
        let reader = try WireReader(wire, "seal")
        needsPassphrase = try reader.optional("takes_passphrase", \.bool) ?? true
        seal = try reader.optional("seal", \.string).flatMap(Seal.init)
        systemKey = try reader.optional("system_key", \.string).map { SystemKey(rawValue: $0) ?? .unknown }
        securityKeys = try reader.optional("security_keys", \.integer).map(Int.init(clamping:))
    }
}
