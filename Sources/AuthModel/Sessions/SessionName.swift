/// The name of a provider in the configuration: `[providers.NAME]`.
///
/// Contains letters, digits, `.`, `_` and `-`, does not start with `-` or `.`, and has at most 64 characters.
public struct ProviderName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let text: String

    /// Parses a name; returns `nil` if it is invalid.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.first != "-", text.first != ".",
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "._-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The name as text.
    public var description: String { text }
    /// Compares names as text.
    public static func < (left: ProviderName, right: ProviderName) -> Bool { left.text < right.text }
}

/// The name of a session: `PROVIDER` or `PROVIDER/ACCOUNT`.
///
/// An account label has no control characters, no `/` at either end, and at most 256 bytes. A new label has only letters, digits and `. _ -
/// @ +`. A name without an account means the only session at the provider, or the session of its default account.
public struct SessionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The provider.
    public let provider: ProviderName
    /// The account label; `nil` for the only account or the default account.
    public let account: String?

    /// Creates a name; returns `nil` if the label is invalid.
    public init?(provider: ProviderName, account: String?) {
        if let account, !Self.isLabel(account) { return nil }
        self.provider = provider
        self.account = account
    }

    /// Parses `PROVIDER` or `PROVIDER/ACCOUNT`; returns `nil` if it is invalid.
    public init?(_ text: String) {
        let slash = text.firstIndex(of: "/")
        guard let provider = ProviderName(String(text[..<(slash ?? text.endIndex)])) else { return nil }
        self.init(provider: provider, account: slash.map { String(text[text.index(after: $0)...]) })
    }

    /// Returns whether `text` is a valid label of a stored account. Older versions accepted more labels than ``isPlainLabel(_:)`` does.
    public static func isLabel(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.first != "/" && text.last != "/"
            && text.unicodeScalars.allSatisfy { scalar in
                // Skips the Unicode table lookup for ASCII.
                guard !scalar.isASCII else { return scalar.value >= 0x20 && scalar.value != 0x7F }
                return switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
                default: true
                }
            }
    }

    /// Returns whether `text` is a valid label for a new account: letters, digits and `. _ - @ +`, not starting with `-` or `.`, at most
    /// 256 bytes.
    ///
    /// Letters and digits of all scripts are accepted, because no shell treats them specially: general categories Lu, Ll, Lt, Lo and Nd,
    /// with up to three marks per letter and without invisible characters. Stored sessions may have other labels; see ``isLabel(_:)``.
    public static func isPlainLabel(_ text: String) -> Bool {
        var marks = 0
        return (1...256).contains(text.utf8.count) && text.first != "-" && text.first != "."
            && text.unicodeScalars.allSatisfy { isPlain($0, after: &marks) }
    }

    /// Converts a claim to an account label. Each run of characters that ``isPlainLabel(_:)`` forbids becomes one `-`, or nothing at either
    /// end. The label is cut to 256 bytes. Returns `nil` if nothing remains.
    public static func label(from text: String) -> String? {
        var label = ""
        var isGap = false
        var marks = 0
        for scalar in text.unicodeScalars {
            guard isPlain(scalar, after: &marks) else {
                isGap = !label.isEmpty
                continue
            }
            guard !label.isEmpty || (scalar != "-" && scalar != ".") else { continue }
            let piece = (isGap ? "-" : "") + String(scalar)
            guard label.utf8.count + piece.utf8.count <= 256 else { break }
            label += piece
            isGap = false
        }
        return isPlainLabel(label) ? label : nil
    }

    /// Returns whether a scalar may follow in a label. `marks` is the number of further marks that the preceding letter may have.
    private static func isPlain(_ scalar: Unicode.Scalar, after marks: inout Int) -> Bool {
        let room = marks
        marks = 0
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z": marks = 3
            case "0"..."9", ".", "_", "-", "@", "+": break
            default: return false
            }
            return true
        }
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber: marks = 3
        case .nonspacingMark where room > 0, .spacingMark where room > 0: marks = room - 1
        default: return false
        }
        return true
    }

    /// The name quoted as one shell word, for a command in a hint.
    public var shellWord: String { ShellWord(self).text }

    /// The name as text.
    public var description: String { account.map { "\(provider)/\($0)" } ?? provider.text }

    /// Compares by provider, then by account.
    public static func < (left: SessionName, right: SessionName) -> Bool {
        (left.provider, left.account ?? "") < (right.provider, right.account ?? "")
    }
}

/// Sessions as the configuration names them: `PROVIDER` for the session of the default account, `PROVIDER/ACCOUNT` for one session, and
/// `PROVIDER/*` for all sessions at a provider.
public struct SessionPattern: Hashable, Sendable, CustomStringConvertible {
    /// The accounts at the provider.
    public enum Accounts: Hashable, Sendable {
        case all
        /// The default account, or the only one.
        case standard
        case named(String)
    }

    /// The provider.
    public let provider: ProviderName
    /// The accounts at the provider.
    public let accounts: Accounts

    /// Parses a pattern; returns `nil` if it is invalid.
    public init?(_ text: String) {
        if text.hasSuffix("/*"), let provider = ProviderName(String(text.dropLast(2))) {
            (self.provider, accounts) = (provider, .all)
            return
        }
        guard let name = SessionName(text) else { return nil }
        (provider, accounts) = (name.provider, name.account.map(Accounts.named) ?? .standard)
    }

    /// The pattern as it is written.
    public var description: String {
        switch accounts {
        case .all: "\(provider)/*"
        case .standard: provider.text
        case .named(let account): "\(provider)/\(account)"
        }
    }

    /// Returns whether a session of this name would match if it were the only one at its provider.
    public func covers(_ name: SessionName) -> Bool {
        guard name.provider == provider, let account = name.account else { return name.provider == provider }
        return accounts == .all || accounts == .named(account)
    }

    /// Returns the sessions that match.
    ///
    /// - Parameter standardAccount: returns the default account of a provider; `nil` if it has none.
    public func sessions(
        among sessions: [SessionSummary], standardAccount: (ProviderName) -> String?
    ) -> [SessionSummary] {
        let own = sessions.filter { $0.name.provider == provider }
        switch accounts {
        case .all: return own
        case .named(let account): return own.filter { $0.name.account == account }
        case .standard:
            let chosen = standardAccount(provider)
            return own.count == 1 ? own : own.filter { $0.name.account == chosen && chosen != nil }
        }
    }
}

/// The end of a sign-in attempt that did not fail and made no session.
public struct NoSession: Equatable, Sendable {
    /// The reason why there is no session.
    public enum Reason: String, Sendable {
        /// No sign-in is needed.
        case notNeeded = "not_needed"
        /// A new account was requested, and the user must complete a step before signing in with it.
        case accountRequested = "account_requested"
    }

    /// The reason why there is no session.
    public var reason: Reason
    /// The summary.
    public var message: UserMessage
    /// The next step for the user; `nil` if the message says it.
    public var hint: UserMessage?

    /// Creates an end without a session.
    public init(_ reason: Reason, _ message: UserMessage, hint: UserMessage? = nil) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// The failure for a caller that cannot continue without a session.
    public var failure: AuthFailure { AuthFailure(.configuration, message, hint: hint) }
}

/// The identifier of a value at the session service; those of different types cannot be confused.
public struct Identifier<Owner>: Hashable, Sendable {
    /// The identifier as text.
    public let text: String

    /// Wraps the text of an identifier.
    public init(_ text: String) { self.text = text }
}
