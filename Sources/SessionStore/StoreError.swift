public import AuthModel
import CSQLite
import OperatingSystem

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
        /// systemd does not return the key, or cannot seal one.
        case systemKey(SystemCredentialFailure)
        /// No security key opens the store, or none can be enrolled.
        case securityKey(SecurityKeyFailure)
        /// The seal was changed, and the old key could not be deleted.
        case oldKeyRemains(reason: UserMessage)
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
        case system(operation: UserMessage, code: Int32)
        /// SQLite failed; `reason` is its message.
        case database(operation: UserMessage, reason: UserMessage)
        /// Another account's session has that name.
        case nameTaken(SessionName)
        /// There is no such session.
        case notFound(SessionName)
        /// The value cannot be stored.
        case invalid(UserMessage)
        /// A store in memory cannot be locked, because its key is stored nowhere.
        case notLockable
        /// The task was cancelled while it waited.
        case cancelled
        /// The store was locked before its key was there.
        case lockedMeanwhile
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

    package init(_ kind: Kind, path: String? = nil) {
        self.kind = kind
        self.path = path
    }

    /// The message of ``Kind/oldKeyRemains(reason:)``: the change was made.
    public static let oldKeyRemains = "store.old_key_remains"

    /// The failure for the user.
    public var failure: AuthFailure {
        func wrong(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure { AuthFailure(.configuration, message, hint: hint) }
        let file: UserMessage = path.map(UserMessage.verbatim) ?? "phrase.the_store"
        switch kind {
        case .locked:
            return wrong(UserMessage("store.locked"), UserMessage("hint.unlock_store"))
        case .wrongPassphrase:
            return wrong(UserMessage("store.wrong_passphrase"), UserMessage("hint.try_again_nothing_changed"))
        case .keyMissing:
            return wrong(UserMessage("store.key_missing", ["path": file]), UserMessage("hint.restore_store_key"))
        case .keyMismatch:
            return wrong(UserMessage("store.key_mismatch", ["path": file]), UserMessage("hint.restore_right_key_file"))
        case .keyring(let trouble):
            return trouble.failure(file: file)
        case .systemKey(let trouble):
            return trouble.failure(store: path)
        case .securityKey(let trouble):
            return trouble.failure(store: path)
        case .oldKeyRemains(let reason):
            return wrong(UserMessage("store.old_key_remains", ["detail": reason]), "hint.old_key_opens_old_copies")
        case .unsafe(let danger):
            return danger.failure(file: file)
        case .corrupt:
            return wrong(UserMessage("store.corrupt", ["path": file]), Self.restoreHint(file))
        case .altered:
            return wrong(UserMessage("store.altered", ["path": file]), Self.restoreHint(file))
        case .newerFormat:
            return wrong(UserMessage("store.newer_format", ["path": file]), UserMessage("hint.use_newer_version"))
        case .derivationOutOfBounds:
            return wrong(UserMessage("store.unsafe_key_derivation", ["path": file]), Self.restoreHint(file))
        case .sealDiffers(let stored, let configured):
            return wrong(
                UserMessage("store.seal_differs", ["seal": stored.rawValue, "setting": configured.rawValue]),
                UserMessage("hint.set_seal", ["seal": stored.rawValue]))
        case .full:
            return wrong(UserMessage("store.disk_full", ["path": file]), UserMessage("hint.free_disk_space"))
        case .readOnly:
            return wrong(UserMessage("store.not_writable", ["path": file]), UserMessage("hint.make_store_writable"))
        case .busy:
            return AuthFailure(
                .unavailable(retryAfter: nil), "store.busy", hint: "hint.try_again_in_a_moment")
        case .system(let operation, let code):
            return wrong(
                UserMessage("file.operation_failed", ["operation": operation, "path": file, "detail": SystemError(number: code).text]),
                UserMessage("hint.run_doctor"))
        case .database(let operation, let reason):
            return wrong(
                UserMessage("file.operation_failed", ["operation": operation, "path": file, "detail": reason]),
                UserMessage("hint.run_doctor"))
        case .nameTaken(let name):
            return AuthFailure(
                .alreadySignedIn, UserMessage("session.name_taken", ["session": name]), hint: "hint.choose_other_account_label")
        case .notFound(let name):
            return AuthFailure(
                .notSignedIn, UserMessage("session.not_found", ["session": name]),
                hint: UserMessage("hint.sign_in_with_login", ["provider": name.provider]))
        case .invalid(let reason):
            return AuthFailure(.bug, reason)
        case .notLockable:
            return wrong(UserMessage("store.memory_not_lockable"), UserMessage("hint.forget_memory_sessions"))
        case .cancelled:
            return AuthFailure(.cancelled, "process.cancelled")
        case .lockedMeanwhile:
            return AuthFailure(.cancelled, "store.locked_meanwhile", hint: "hint.unlock_again")
        }
    }

    private static func restoreHint(_ file: UserMessage) -> UserMessage {
        UserMessage("hint.restore_store_or_move_it", ["path": file])
    }
}

extension StoreError.Danger {
    fileprivate func failure(file: UserMessage) -> AuthFailure {
        let (message, hint): (UserMessage, UserMessage) =
            switch self {
            case .loose(let required):
                (
                    UserMessage("file.accessible_to_others", ["path": file]),
                    UserMessage("hint.run_chmod", ["mode": String(required, radix: 8), "path": file])
                )
            case .foreignOwner: (UserMessage("file.belongs_to_other_user", ["path": file]), UserMessage("hint.run_as_owner_or_move_away"))
            case .symbolicLink:
                (UserMessage("file.is_symbolic_link", ["path": file]), UserMessage("hint.replace_link_with_real_file"))
            case .wrongType: (UserMessage("file.unexpected_kind", ["path": file]), UserMessage("hint.move_it_away"))
            }
        return AuthFailure(.configuration, message, hint: hint)
    }
}

extension StoreError {
    /// Converts an error of SQLite or of the cryptography.
    init(_ error: any Error, path: String?) {
        switch error {
        case let error as StoreError:
            self = error
            if self.path == nil { self.path = path }
        case let error as SQLiteError:
            self.init(Self.kind(of: error), path: path)
        default:
            self.init(.database(operation: UserMessage("phrase.use"), reason: "phrase.store_encryption_failed"), path: path)
        }
    }

    private static func kind(of error: SQLiteError) -> Kind {
        switch error.primaryCode {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        // The schema is ours: if a table or column is missing or different, yett did not write this file.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_TOOBIG:
            return .corrupt
        // SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS, which are macros that Swift cannot import.
        case SQLITE_IOERR where error.code == SQLITE_IOERR | 2 << 8 || error.code == SQLITE_IOERR | 33 << 8: return .corrupt
        case SQLITE_CANTOPEN: return .database(operation: UserMessage("phrase.open"), reason: sentence(of: error))
        default: return .database(operation: UserMessage("phrase.use"), reason: sentence(of: error))
        }
    }

    /// Returns SQLite's message without its number.
    private static func sentence(of error: SQLiteError) -> UserMessage {
        error.message.map(UserMessage.verbatim) ?? "phrase.sqlite_no_reason"
    }
}
