public import AuthModel
import Crypto
import Glibc

/// A random 256-bit key in the user's default keyring, through the desktop's Secret Service (gnome-keyring, KWallet, KeePassXC).
///
/// Reading it asks the user nothing: a locked keyring is an immediate error. No call takes longer than ``limit``.
public struct SecretServiceKey: KeyStorage {
    private let environment: [String: String]
    private let time: any TimeSource

    /// Time limit for one call to the keyring.
    public static let limit = Duration.seconds(10)

    /// Creates a key storage.
    ///
    /// - Parameters:
    ///   - environment: the process's environment, which tells whether there is a session bus.
    ///   - time: measures ``limit``.
    public init(environment: [String: String], time: any TimeSource) {
        self.environment = environment
        self.time = time
    }

    /// ``Seal/secretService``.
    public var seal: Seal { .secretService }
    /// ``KeyringFailure/wrongKey``.
    public var mismatch: StoreError { StoreError(.keyring(.wrongKey)) }
    /// False: a keyring call takes longer than all other steps of opening a store.
    public var isImmediate: Bool { false }

    /// Returns why a new store cannot use the keyring now; `nil` if there is a session bus with an unlocked default keyring.
    public func trouble() async -> KeyringFailure? {
        guard hasBus else { return .noBus }
        return switch await KeyringCall.run(.probe, limit: Self.limit, time: time) {
        case .trouble(let trouble): trouble
        case .absent: .noCollection
        case .done: nil
        }
    }

    /// Reads the key; stores a new one first if `creating` is set and there is none.
    public func key(store: String, creating: Bool) async throws(StoreError) -> Secret {
        if let key = try await lookUp(store) { return key }
        guard creating else { throw StoreError(.keyring(.keyLost)) }
        let digits = SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
            var digits = Hex.digits(bytes)
            defer { digits.zeroize() }
            return Secret(bytes: digits)
        }
        _ = try await run(.keep(store: store, key: digits))
        // Read the key back, to be sure that later calls return the same one.
        guard let key = try await lookUp(store) else { throw StoreError(.keyring(.keyLost)) }
        return key
    }

    /// Deletes the key from the keyring.
    public func forget(store: String) async throws(StoreError) { _ = try await run(.forget(store: store)) }

    private func lookUp(_ store: String) async throws(StoreError) -> Secret? {
        guard case .done(let digits?) = try await run(.lookUp(store: store)) else { return nil }
        guard let key = digits.withBytes({ Hex.secret($0) }) else { throw StoreError(.keyring(.wrongKey)) }
        return key
    }

    private func run(_ task: KeyringCall.StoreTask) async throws(StoreError) -> KeyringCall.Outcome {
        guard hasBus else { throw StoreError(.keyring(.noBus)) }
        let outcome = await KeyringCall.run(task, limit: Self.limit, time: time)
        if case .trouble(let trouble) = outcome { throw StoreError(.keyring(trouble)) }
        return outcome
    }

    /// Whether there is a session bus. GLib would look in more places, and start its own bus if there is a display; a keyring on that bus
    /// would be a new one.
    private var hasBus: Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return access(folder + "/bus", F_OK) == 0
    }
}
