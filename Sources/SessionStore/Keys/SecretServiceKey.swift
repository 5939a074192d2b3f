public import AuthModel
import CLibraries
import Crypto
import Glibc
import OperatingSystem
import Synchronization

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

    /// Reads the key.
    public func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret {
        guard let key = try await lookUp(store) else { throw StoreError(.keyring(.keyLost)) }
        return key
    }

    /// Reads the key; stores a new one first if there is none.
    public func newKey(store: String) async throws(StoreError) -> NewKey {
        if let key = try await lookUp(store) { return NewKey(key) }
        let digits = SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
            var digits = bytes.hexadecimalDigits
            defer { digits.zeroize() }
            return Secret(bytes: digits)
        }
        _ = try await run(.save(store: store, key: digits))
        // Read the key back, to be sure that later calls return the same one.
        return NewKey(try await key(store: store, credential: []))
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

/// One call to the keyring, on its own thread and with a time limit.
///
/// At the time limit libsecret is told to stop, and the caller continues without waiting for it.
final class KeyringCall: Sendable {
    enum Outcome: Sendable {
        case done(Secret?)
        case trouble(KeyringFailure)
        case absent
    }

    enum StoreTask: Sendable {
        case probe
        case lookUp(store: String)
        case save(store: String, key: Secret)
        case forget(store: String)
    }

    // Created by `init` and freed by `deinit`. In between it is used as the C target allows: one thread runs the call, any thread may stop
    // it.
    private nonisolated(unsafe) let call: OpaquePointer
    private let continuation = Mutex<CheckedContinuation<Outcome, Never>?>(nil)

    private init?() {
        guard let call = csecret_call_new() else { return nil }
        self.call = call
    }

    deinit { csecret_call_free(call) }

    /// Runs a task. Fails with ``KeyringFailure/noAnswer`` after `limit`.
    static func run(_ task: StoreTask, limit: Duration, time: any TimeSource) async -> Outcome {
        // Load libsecret on this thread, which takes a few milliseconds. Only later steps can hang.
        if let failure = csecret_load()?.pointee {
            return .trouble(.noLibrary(String(cString: failure.reason), isMissing: failure.is_missing))
        }
        guard let call = KeyringCall() else { return .trouble(.failed(UserMessage("phrase.no_memory"))) }
        let deadline = time.bootTime + limit
        let watch = Task {
            try await time.sleep(until: deadline)
            csecret_call_stop(call.call)
            call.finish(.trouble(.noAnswer))
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            call.continuation.withLock { $0 = continuation }
            let isStarted = DetachedThread.start { call.finish(call.outcome(of: task)) }
            if !isStarted { call.finish(.trouble(.failed(UserMessage("process.cannot_start_thread")))) }
        }
    }

    /// Completes the call. Only the first outcome counts.
    private func finish(_ outcome: Outcome) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: outcome)
    }

    private func outcome(of task: StoreTask) -> Outcome {
        switch task {
        case .probe: return outcome(csecret_probe(call))
        case .forget(let store): return outcome(csecret_forget(call, store))
        case .save(let store, let key):
            guard key.count == CSECRET_KEY_LENGTH else { return .trouble(.wrongKey) }
            let status = key.withBytes { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { $0.baseAddress.map { csecret_keep(call, store, $0) } ?? CSECRET_FAILED }
            }
            return outcome(status)
        case .lookUp(let store):
            var key = [UInt8](repeating: 0, count: CSECRET_KEY_LENGTH)
            defer { key.zeroize() }
            var count = 0
            let status = csecret_look_up(call, store, &key, &count)
            guard status == CSECRET_DONE else { return outcome(status) }
            return count == key.count ? .done(Secret(bytes: key)) : .trouble(.wrongKey)
        }
    }

    private func outcome(_ status: csecret_status) -> Outcome {
        switch status {
        case CSECRET_DONE: .done(nil)
        case CSECRET_ABSENT: .absent
        case CSECRET_LOCKED: .trouble(.locked)
        case CSECRET_NO_SERVICE: .trouble(.noService)
        case CSECRET_NO_COLLECTION: .trouble(.noCollection)
        case CSECRET_STOPPED: .trouble(.noAnswer)
        default: .trouble(.failed(csecret_call_message(call).map { .verbatim(String(cString: $0)) } ?? "phrase.no_reason_given"))
        }
    }
}

/// The reason why the user's keyring does not return or store the key of a store.
public enum KeyringFailure: Equatable, Sendable {
    /// libsecret, which accesses the keyring, cannot be used; the reason, and whether installing it helps.
    case noLibrary(String, isMissing: Bool)
    /// There is no session bus.
    case noBus
    /// No program on the session bus provides the Secret Service.
    case noService
    /// There is no default keyring for a new key.
    case noCollection
    /// The keyring is locked. Yett does not ask the user to unlock it.
    case locked
    /// The keyring did not answer within the time limit.
    case noAnswer
    /// The keyring is readable, but has no key for this store.
    case keyLost
    /// The keyring has a key for this store, but it does not open the store.
    case wrongKey
    /// Another failure, with the keyring program's message.
    case failed(UserMessage)

    /// Returns the failure for the user. `file` is the store's file.
    func failure(file: UserMessage) -> AuthFailure {
        func wrong(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure { AuthFailure(.configuration, message, hint: hint) }
        let restore = UserMessage("hint.restore_keyring_or_move_store", ["path": file])
        switch self {
        case .noLibrary(let reason, let isMissing):
            return wrong(
                UserMessage("keyring.cannot_connect", ["detail": reason]),
                isMissing ? "hint.install_libsecret" : "hint.free_memory_or_reinstall_libsecret")
        case .noBus: return wrong("keyring.no_session_bus", "hint.set_session_bus_address")
        case .noService: return wrong("keyring.no_secret_service", "hint.start_keyring_program")
        case .noCollection: return wrong("keyring.no_default_keyring", "hint.create_default_keyring")
        case .locked: return wrong("keyring.locked", "hint.unlock_keyring")
        case .noAnswer: return wrong("keyring.no_answer", "hint.check_keyring_prompt")
        case .keyLost: return wrong(UserMessage("keyring.key_lost", ["path": file]), restore)
        case .wrongKey: return wrong(UserMessage("keyring.wrong_key", ["path": file]), restore)
        case .failed(let reason): return wrong(UserMessage("keyring.failed", ["detail": reason]), "hint.run_doctor")
        }
    }
}
