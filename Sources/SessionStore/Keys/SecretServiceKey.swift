public import AuthModel
import Crypto
import Glibc

/// A random 256-bit key in the person's default keyring, by the Secret Service of the desktop (gnome-keyring, KWallet, KeePassXC).
///
/// It is read without asking the person anything: a locked keyring is an error, told at once. No call takes longer than ``limit``.
public struct SecretServiceKey: KeyStorage {
    private let environment: [String: String]
    private let time: any TimeSource

    /// How long the keyring has for an answer.
    public static let limit = Duration.seconds(10)

    /// - Parameter environment: the process's own; it says whether there is a session bus.
    public init(environment: [String: String], time: any TimeSource) {
        self.environment = environment
        self.time = time
    }

    public var seal: Seal { .secretService }
    public var mismatch: StoreError { StoreError(.keyring(.wrongKey)) }
    /// Reaching it takes longer than all the rest of opening a store.
    public var isImmediate: Bool { false }

    /// Why a new store cannot be sealed by it now; `nil` where it can: there is a session bus with an unlocked default keyring.
    public func trouble() async -> KeyringFailure? {
        guard hasBus else { return .noBus }
        return switch await KeyringCall.run(.probe, limit: Self.limit, time: time) {
        case .trouble(let trouble): trouble
        case .absent: .noCollection
        case .done: nil
        }
    }

    public func key(store: String, creating: Bool) async throws(StoreError) -> Secret {
        if let key = try await lookUp(store) { return key }
        guard creating else { throw StoreError(.keyring(.keyLost)) }
        let digits = SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
            var digits = Hex.digits(bytes)
            defer { digits.zeroize() }
            return Secret(bytes: digits)
        }
        _ = try await run(.keep(store: store, key: digits))
        // What comes back is what will come back the next time.
        guard let key = try await lookUp(store) else { throw StoreError(.keyring(.keyLost)) }
        return key
    }

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

    /// GLib would look in further places, and start a bus of its own where there is a display: a keyring on that would be a new one.
    private var hasBus: Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return access(folder + "/bus", F_OK) == 0
    }
}
