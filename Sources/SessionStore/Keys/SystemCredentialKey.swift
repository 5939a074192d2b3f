public import AuthModel
import Crypto
import FoundationEssentials
import Glibc
import OperatingSystem

/// A random 256-bit key that systemd seals to this machine and user, with the TPM where there is one.
///
/// The store's header keeps the sealed key, so a copied store has it and still does not open elsewhere. It does not protect from root on
/// this machine, nor from other programs of the user, whom systemd answers too. Asking systemd asks the user nothing.
public struct SystemCredentialKey: KeyStorage {
    /// The places where systemd can be reached.
    public struct Location: Sendable {
        /// The socket of `io.systemd.Credentials` (systemd 256 and later).
        public var socket: String
        /// `systemd-creds`, for root on an older systemd; `nil` if it must not be used.
        public var program: String?

        package init(socket: String, program: String? = nil) {
            self.socket = socket
            self.program = program
        }

        /// This machine's systemd.
        public static var system: Location {
            Location(socket: "/run/systemd/io.systemd.Credentials", program: geteuid() == 0 ? "/usr/bin/systemd-creds" : nil)
        }
    }

    private let location: Location
    private let limit: Duration

    /// The largest sealed key that is accepted, in bytes. Those of systemd are smaller than 2 KiB.
    static let limit = 16 << 10

    /// Creates a key storage. `limit` is the time limit of one request: a TPM takes up to some seconds.
    public init(location: Location, limit: Duration = .seconds(30)) {
        self.location = location
        self.limit = limit
    }

    /// ``Seal/system``.
    public var seal: Seal { .system }
    /// ``SystemCredentialFailure/otherMachine``.
    public var mismatch: StoreError { StoreError(.systemKey(.otherMachine)) }
    /// False: a TPM takes longer than all other steps of opening a store.
    public var isImmediate: Bool { false }

    /// Returns why a new store cannot be sealed by systemd's service now; `nil` if it can. A program for root alone does not count.
    public func trouble() async -> SystemCredentialFailure? {
        let service = SystemCredentialKey(location: Location(socket: location.socket), limit: limit)
        do throws(StoreError) {
            _ = try await service.newKey(store: "probe")
            return nil
        } catch {
            guard case .systemKey(let failure) = error.kind else { return .unreadable }
            return failure
        }
    }

    /// Has systemd open the sealed key.
    public func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret {
        guard Self.kind(of: credential) != .null else { throw StoreError(.systemKey(.nullKey)) }
        let name = Self.name(of: store)
        // A credential of systemd-creds has no user, and the service opens it for an administrator only.
        let opened = Self.isScoped(credential) ? await decrypted(credential, name) : await decryptedByProgram(credential, name)
        var bytes: [UInt8]
        do throws(SystemCredentialFailure) { bytes = try opened.get() } catch { throw StoreError(.systemKey(error)) }
        defer { bytes.zeroize() }
        guard bytes.count == 32 else { throw StoreError(.systemKey(.unreadable)) }
        return Secret(bytes: bytes)
    }

    /// Has systemd seal a new key, and open it again, so that no store depends on one that does not open.
    public func newKey(store: String) async throws(StoreError) -> NewKey {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
        let name = Self.name(of: store)
        var sealed = await encrypted(key, name)
        if case .failure(.noService) = sealed, let program = location.program, access(program, X_OK) == 0 {
            sealed = await encryptedByProgram(key, name)
        }
        let credential: [UInt8]
        do throws(SystemCredentialFailure) { credential = try sealed.get() } catch { throw StoreError(.systemKey(error)) }
        guard (16...Self.limit).contains(credential.count), try await self.key(store: store, credential: credential) == key else {
            throw StoreError(.systemKey(.unreadable))
        }
        return NewKey(key, credential: credential)
    }

    /// Does nothing: the sealed key is in the store.
    public func forget(store: String) {}

    private static func name(of store: String) -> String { "yett-\(store)" }
}

/// The statements of a sealed key about itself.
extension SystemCredentialKey {
    /// Returns what seals a key. Its first 16 bytes are one of the identifiers of systemd's credential format.
    static func kind(of credential: [UInt8]) -> SystemKey { kinds[identifier(of: credential)]?.kind ?? .unknown }

    /// Whether it is bound to a user, as the service does it. Kinds of later versions are the service's matter.
    private static func isScoped(_ credential: [UInt8]) -> Bool { kinds[identifier(of: credential)]?.isScoped ?? true }

    private static func identifier(of credential: [UInt8]) -> String { credential.prefix(16).hexadecimal }

    private static let kinds: [String: (kind: SystemKey, isScoped: Bool)] = [
        "5a1c6a86df9d4096b1d5a65e0862f19a": (.host, false), "55b9ed1d38594d43a8319d2ebb332ac6": (.host, true),
        "0c7cc07b117645919c4b0bea08bc20fe": (.tpm, false), "faf7eb9341e3412ca1a436f95a29362f": (.tpm, false),
        "93a894094874449090caf2fc93cab553": (.hostAndTPM, false), "ef4ac13679a9480ea7db68897f9f165d": (.hostAndTPM, true),
        "af4950a849134eb1a73846304ff30c05": (.hostAndTPM, false), "adbc4ca3efb64201ba881b6f2e4095ea": (.hostAndTPM, true),
        "058469daf6f54324800549da0f8ea2fb": (.null, false),
    ]
}

/// The requests to the service, which seals to the calling user.
extension SystemCredentialKey {
    private func encrypted(_ key: Secret, _ name: String) async -> Result<[UInt8], SystemCredentialFailure> {
        let data = key.withBytes { Data($0).base64EncodedString() }
        return await ask("Encrypt", ["name": .string(name), "data": .string(data), "scope": "user"], for: "blob")
    }

    private func decrypted(_ credential: [UInt8], _ name: String) async -> Result<[UInt8], SystemCredentialFailure> {
        let blob = Data(credential).base64EncodedString()
        return await ask("Decrypt", ["name": .string(name), "blob": .string(blob), "scope": "user"], for: "data").mapError { failure in
            guard case .refused(let id) = failure else { return failure }
            return SystemCredentialFailure(decryptionError: id)
        }
    }

    /// Returns the bytes of a member of the answer.
    private func ask(_ method: String, _ parameters: JSONValue, for member: String) async -> Result<[UInt8], SystemCredentialFailure> {
        let call = VarlinkCall(socket: location.socket, limit: limit)
        return await Self.onThread {
            Result { () throws(SystemCredentialFailure) in
                let answer = try call.run("io.systemd.Credentials.\(method)", parameters)
                guard let text = answer[member]?.string, let bytes = Data(base64Encoded: text) else { throw .unreadable }
                return Array(bytes)
            }
        }
    }

    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, SystemCredentialFailure>
    ) async -> Result<Value, SystemCredentialFailure> {
        await withCheckedContinuation { continuation in
            if !DetachedThread.start({ continuation.resume(returning: body()) }) {
                continuation.resume(returning: .failure(.failed("process.cannot_start_thread")))
            }
        }
    }
}

/// The requests of root to `systemd-creds`, which seals to the machine alone. The key goes through pipes only.
extension SystemCredentialKey {
    private func encryptedByProgram(_ key: Secret, _ name: String) async -> Result<[UInt8], SystemCredentialFailure> {
        let output = await output(of: ["encrypt", "--name=\(name)", "-", "-"], input: key.withBytes { Array($0) })
        return output.flatMap { text in
            let encoded = text.filter { $0 != UInt8(ascii: "\n") }
            return Data(base64Encoded: Data(encoded)).map { .success(Array($0)) } ?? .failure(.unreadable)
        }
    }

    private func decryptedByProgram(_ credential: [UInt8], _ name: String) async -> Result<[UInt8], SystemCredentialFailure> {
        let input = Array(Data(credential).base64EncodedString().utf8)
        guard input.count <= CommandExchange.inputLimit else { return .failure(.unreadable) }
        return await output(of: ["decrypt", "--name=\(name)", "--newline=no", "-", "-"], input: input)
    }

    private func output(of arguments: [String], input: [UInt8]) async -> Result<[UInt8], SystemCredentialFailure> {
        guard let program = location.program, access(program, X_OK) == 0 else { return .failure(.noService(location.socket)) }
        let limit = limit
        return await Self.onThread {
            Result { () throws(SystemCredentialFailure) in
                let exchange: CommandExchange
                do throws(CapturedOutput.Failure) {
                    exchange = try .run(program, arguments, environment: [:], input: input, limit: Self.limit * 2, deadline: limit)
                } catch {
                    switch error {
                    case .timedOut: throw .noAnswer
                    case .tooLarge: throw .unreadable
                    case .system(let error): throw .failed(.verbatim(error.text))
                    }
                }
                guard exchange.status == 0 else {
                    let lines = String(decoding: exchange.errors, as: UTF8.self).split(separator: "\n")
                    throw .failed(.verbatim(String((lines.last ?? "").prefix(200))))
                }
                return exchange.output
            }
        }
    }
}

/// The reason why systemd does not return or seal the key of a store.
public enum SystemCredentialFailure: Error, Equatable, Sendable {
    /// Nothing listens at this socket: an older systemd, or none.
    case noService(String)
    /// The time limit passed.
    case noAnswer
    /// The answer is cut, too large, or says something impossible.
    case unreadable
    /// The key was sealed on another machine, for another user or for another store, or it is damaged.
    case otherMachine
    /// The TPM releases the key only to another state of the machine's firmware and kernel.
    case bootChanged
    /// The TPM refuses every request for a while, because of failed attempts.
    case tpmLockedOut
    /// The key would be sealed with a fixed key.
    case nullKey
    /// The service answered with an error of this name.
    case refused(String)
    /// The service could not be asked, or `systemd-creds` failed, with this message.
    case failed(UserMessage)

    /// Creates the meaning of the service's error at opening a key.
    init(decryptionError id: String) {
        switch id {
        case "io.systemd.Credentials.BadFormat", "io.systemd.Credentials.NameMismatch", "io.systemd.Credentials.BadScope",
            "io.systemd.Credentials.NoSuchUser", "io.systemd.Credentials.KeyBelongsToOtherTPM":
            self = .otherMachine
        case "io.systemd.Credentials.UnexpectedPCRState", "io.systemd.Credentials.CantFindPCRSignature": self = .bootChanged
        case "io.systemd.Credentials.TPMInDictionaryLockout": self = .tpmLockedOut
        case "io.systemd.Credentials.NullKeyNotAllowed": self = .nullKey
        default: self = .refused(id)
        }
    }

    /// Returns the failure for the user. `store` is the file of the store whose key it is; `nil` for a new key.
    func failure(store: String?) -> AuthFailure {
        let path: UserMessage = store.map(UserMessage.verbatim) ?? "phrase.the_store"
        // What may work again later is no reason to give the store up.
        let later: UserMessage = store == nil ? "hint.choose_other_seal" : "hint.check_credentials_service"
        func wrong(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure { AuthFailure(.configuration, message, hint: hint) }
        switch self {
        case .noService(let socket): return wrong(UserMessage("system_seal.no_service", ["path": socket]), later)
        case .noAnswer: return wrong("system_seal.no_answer", "hint.check_credentials_service")
        case .unreadable: return wrong("system_seal.unreadable_answer", "hint.check_credentials_service")
        case .otherMachine:
            let elsewhere = UserMessage("hint.move_store_and_sign_in_again", ["path": path])
            return wrong(
                UserMessage("system_seal.other_machine", ["path": path]), store == nil ? "hint.choose_other_seal" : elsewhere)
        case .bootChanged:
            return wrong(
                UserMessage("system_seal.boot_changed", ["path": path]), UserMessage("hint.start_as_before_or_sign_in", ["path": path]))
        case .tpmLockedOut: return wrong("system_seal.tpm_locked_out", "hint.wait_for_tpm")
        case .nullKey:
            // yett seals no store like that, so someone changed it.
            let restore = UserMessage("hint.restore_store_or_move_it", ["path": path])
            return wrong("system_seal.null_key", store == nil ? "hint.choose_other_seal" : restore)
        case .refused(let id): return wrong(UserMessage("system_seal.refused", ["detail": id]), later)
        case .failed(let reason): return wrong(UserMessage("system_seal.program_failed", ["detail": reason]), later)
        }
    }
}
