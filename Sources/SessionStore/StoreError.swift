public import AuthModel
import System

/// A failure of the store. Data that was stored before is unchanged.
public struct StoreError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Kind: Equatable, Sendable {
        /// The store is locked: only the summaries can be read.
        case locked
        /// The passphrase does not open the store.
        case wrongPassphrase
        /// The key that opens the store is missing.
        case keyMissing
        /// The key belongs to another store.
        case keyMismatch
        /// A file or folder is not safe to use.
        case unsafe(Danger)
        /// The database is truncated or broken.
        case corrupt
        /// The content was not written by yett: its authentication fails.
        case altered
        /// The keyring does not return the key.
        case keyring(KeyringFailure)
        /// A newer yett wrote the store.
        case newerFormat
        /// The header asks for a key derivation that is too cheap or too expensive.
        case derivationOutOfBounds
        /// The store's seal differs from the configured one.
        case sealDiffers(stored: Seal, configured: Seal)
        /// The disk or quota is full.
        case full
        /// The disk or file cannot be written.
        case readOnly
        /// Another task or process holds the store or the session for too long.
        case busy
        /// A system call failed; `code` is its error number.
        case system(operation: String, code: Int32)
        /// SQLite failed; `reason` is its message.
        case database(operation: String, reason: String)
        /// Another account's session has that name.
        case nameTaken(SessionName)
        /// There is no such session.
        case notFound(SessionName)
        /// The value cannot be stored.
        case invalid(String)
        /// A store in memory cannot be locked, because its key is stored nowhere.
        case notLockable
        /// The task was cancelled while it waited.
        case cancelled
    }

    /// The reason why a file or folder is unsafe.
    public enum Danger: Equatable, Sendable {
        /// Other users may read or change it; `required` is the mode that it must have.
        case loose(required: UInt32)
        /// It belongs to another user.
        case foreignOwner
        /// It is a symbolic link.
        case symbolicLink
        /// It is not a regular file, or not a folder.
        case wrongType
    }

    /// The kind of failure.
    public var kind: Kind
    /// The file or folder concerned; `nil` if there is none.
    public var path: String?

    /// Creates an error.
    public init(_ kind: Kind, path: String? = nil) {
        self.kind = kind
        self.path = path
    }
}

extension StoreError {
    /// The failure for the user.
    public var failure: AuthFailure {
        func wrong(_ summary: String, _ hint: String) -> AuthFailure { AuthFailure(.configuration, summary, hint: hint) }
        let place = path.map { ShellWord($0).text } ?? "the store"
        switch kind {
        case .locked:
            return wrong("the store is locked", "unlock it with its passphrase, or set YETT_PASSPHRASE_FILE to a file that contains it")
        case .wrongPassphrase:
            return wrong("wrong passphrase for the store", "try again; nothing was changed")
        case .keyMissing:
            return wrong("the key of the store is missing: \(place)", "restore it from a backup; without it, the sessions cannot be read")
        case .keyMismatch:
            return wrong("\(place) is not the key of this store", "restore the right key file from a backup; nothing was changed")
        case .keyring(let trouble):
            return trouble.failure(place: place)
        case .unsafe(let danger):
            return danger.failure(place: place)
        case .corrupt:
            return wrong("the store is corrupt: \(place)", Self.restoreHint(place))
        case .altered:
            return wrong("another program changed the store: \(place)", Self.restoreHint(place))
        case .newerFormat:
            return wrong("the store is from a newer version of yett: \(place)", "use that version or a newer one")
        case .derivationOutOfBounds:
            return wrong("the store requires an unsafe key derivation: \(place)", Self.restoreHint(place))
        case .sealDiffers(let stored, let configured):
            return wrong(
                "the store's seal is \(stored.rawValue), but the configuration says \(configured.rawValue)",
                "set seal = \"\(stored.rawValue)\" or \"auto\" in [store]")
        case .full:
            return wrong("the disk is full: \(place)", "free some space and try again; nothing was changed")
        case .readOnly:
            return wrong("cannot write to the store: \(place)", "make it writable, or set XDG_DATA_HOME to a writable folder")
        case .busy:
            return AuthFailure(
                .unavailable(retryAfter: nil), "another yett process is using the store; timed out", hint: "try again in a moment")
        case .system(let operation, let code):
            return wrong("cannot \(operation) \(place): \(SystemError(number: code).text)", "run: yett doctor")
        case .database(let operation, let reason):
            return wrong("cannot \(operation) \(place): \(reason)", "run: yett doctor")
        case .nameTaken(let name):
            return AuthFailure(.alreadySignedIn, "another session is already named \(name)", hint: "choose another label with --account")
        case .notFound(let name):
            return AuthFailure(.notSignedIn, "no session is named \(name)", hint: "sign in with yett login \(name.provider)")
        case .invalid(let reason):
            return AuthFailure(.bug, reason)
        case .notLockable:
            return wrong("a store in memory cannot be locked", "to forget its sessions, sign out or quit yett")
        case .cancelled:
            return AuthFailure(.cancelled, "cancelled")
        }
    }

    private static func restoreHint(_ place: String) -> String {
        "nothing was overwritten: restore \(place) from a backup, or move it away and sign in again"
    }
}

extension StoreError.Danger {
    fileprivate func failure(place: String) -> AuthFailure {
        let (summary, hint) =
            switch self {
            case .loose(let required): ("\(place) is accessible to other users", "run: chmod \(String(required, radix: 8)) \(place)")
            case .foreignOwner: ("\(place) belongs to another user", "run yett as its owner, or move it away")
            case .symbolicLink:
                ("\(place) is a symbolic link", "replace it with the real file or folder, or set XDG_DATA_HOME to the real folder")
            case .wrongType: ("\(place) is not the expected kind of file", "move it away")
            }
        return AuthFailure(.configuration, summary, hint: hint)
    }
}
