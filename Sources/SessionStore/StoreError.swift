public import AuthModel

/// Why the store did not do what was asked. Whatever the reason, what was stored before is still stored.
public struct StoreError: Error, Equatable, Sendable {
    /// What is wrong.
    public enum Kind: Equatable, Sendable {
        /// The passphrase has not been given: only the summaries can be read.
        case locked
        /// The passphrase does not open the store.
        case wrongPassphrase
        /// The key that opens the store is not where it should be.
        case keyMissing
        /// There is a key, and it is not this store's.
        case keyMismatch
        /// A file or folder is not safe to use.
        case unsafe(Danger)
        /// The database is cut short or broken.
        case corrupt
        /// The content is not what yett wrote: its seals do not hold.
        case altered
        /// A newer yett wrote the store.
        case newerFormat
        /// The header asks for a key derivation that is too cheap or too dear.
        case derivationOutOfBounds
        /// The store is sealed in another way than the configuration says.
        case sealDiffers(stored: Seal, configured: Seal)
        /// The disk or quota is full.
        case full
        /// The disk or file cannot be written.
        case readOnly
        /// Somebody else holds the store or the session for too long.
        case busy
        /// The system failed to read or write; its error number, or SQLite's extended result code.
        case system(operation: String, code: Int32)
        /// Another account's session has that name.
        case nameTaken(SessionName)
        /// There is no such session.
        case notFound(SessionName)
        /// What was given cannot be stored.
        case invalid(String)
        /// A store in memory has no key to come back with.
        case notLockable
        /// The task was cancelled while it waited.
        case cancelled
    }

    /// What makes a file or folder unsafe.
    public enum Danger: Equatable, Sendable {
        /// Others may read or change it; the mode it must have.
        case loose(required: UInt32)
        /// It belongs to somebody else.
        case foreignOwner
        /// It is a symbolic link.
        case symbolicLink
        /// It is not a file, or not a folder.
        case wrongType
    }

    public var kind: Kind
    /// The file or folder concerned, where there is one.
    public var path: String?

    public init(_ kind: Kind, path: String? = nil) {
        self.kind = kind
        self.path = path
    }
}

extension StoreError {
    /// The error as the program shows it.
    public var failure: AuthFailure {
        let place = path.map { ShellWord($0).text } ?? "the store"
        switch kind {
        case .locked:
            return AuthFailure(.configuration, "the store is locked", hint: "unlock it with its passphrase, or name a file with it in YETT_PASSPHRASE_FILE")
        case .wrongPassphrase:
            return AuthFailure(.configuration, "the passphrase does not open the store", hint: "try again; nothing was changed")
        case .keyMissing:
            return AuthFailure(.configuration, "the key of the store is missing: \(place)", hint: "put the key file back from a backup; without it the sessions cannot be read")
        case .keyMismatch:
            return AuthFailure(.configuration, "\(place) is not the key of this store", hint: "put the right key file back from a backup; nothing was changed")
        case .unsafe(let danger):
            return danger.failure(place: place)
        case .corrupt:
            return AuthFailure(.configuration, "the store is corrupt: \(place)", hint: Self.restoreHint(place))
        case .altered:
            return AuthFailure(.configuration, "the store was changed by something else than yett: \(place)", hint: Self.restoreHint(place))
        case .newerFormat:
            return AuthFailure(.configuration, "the store was written by a newer yett: \(place)", hint: "use that version of yett, or a newer one")
        case .derivationOutOfBounds:
            return AuthFailure(.configuration, "the store asks for an unsafe key derivation: \(place)", hint: Self.restoreHint(place))
        case .sealDiffers(let stored, let configured):
            return AuthFailure(
                .configuration, "the store is sealed by \(stored.rawValue), the configuration says \(configured.rawValue)",
                hint: "set seal = \"\(stored.rawValue)\" or \"auto\" in [store]")
        case .full:
            return AuthFailure(.configuration, "the disk is full: \(place)", hint: "make room and try again; nothing was changed")
        case .readOnly:
            return AuthFailure(.configuration, "the store cannot be written: \(place)", hint: "make it writable, or set XDG_DATA_HOME to a folder that is")
        case .busy:
            return AuthFailure(.unavailable(retryAfter: nil), "another yett is using the store for too long", hint: "try again in a moment")
        case .system(let operation, let code):
            return AuthFailure(.configuration, "cannot \(operation) \(place) (error \(code))", hint: "see yett doctor")
        case .nameTaken(let name):
            return AuthFailure(.alreadySignedIn, "there is another session named \(name)", hint: "choose another label with --account")
        case .notFound(let name):
            return AuthFailure(.notSignedIn, "there is no session \(name)", hint: "sign in with yett login \(name.provider)")
        case .invalid(let reason):
            return AuthFailure(.bug, reason)
        case .notLockable:
            return AuthFailure(.configuration, "a store in memory cannot be locked", hint: "sign out, or end yett, to forget its sessions")
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
        switch self {
        case .loose(let required):
            return AuthFailure(.configuration, "others may get at \(place)", hint: "run: chmod \(String(required, radix: 8)) \(place)")
        case .foreignOwner:
            return AuthFailure(.configuration, "\(place) belongs to another user", hint: "run yett as its owner, or move it away")
        case .symbolicLink:
            return AuthFailure(.configuration, "\(place) is a symbolic link", hint: "replace it by what it points to, or set XDG_DATA_HOME to the real folder")
        case .wrongType:
            return AuthFailure(.configuration, "\(place) is not what it should be", hint: "move it away")
        }
    }
}

/// A path as a word that can be pasted into a shell, on one line whatever is in it.
struct ShellWord {
    let text: String

    init(_ path: String) {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-+,:@%=".utf8.contains(byte)
            }
        }
        if plain, !path.isEmpty {
            text = path
            return
        }
        var word = ""
        var needsEscapes = false
        for scalar in path.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                needsEscapes = true
                for byte in String(scalar).utf8 { word += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            default:
                if scalar == "'" || scalar == "\\" {
                    needsEscapes = true
                    word += "\\"
                }
                word.unicodeScalars.append(scalar)
            }
        }
        text = (needsEscapes ? "$'" : "'") + word + "'"
    }
}
