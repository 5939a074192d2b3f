/// The name of a provider in the configuration: `[providers.NAME]`.
///
/// Letters, digits, `.`, `_` and `-`, not beginning with `-` or `.`; at most 64.
public struct ProviderName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.first != "-", text.first != ".",
            text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    public var description: String { text }
    public static func < (left: ProviderName, right: ProviderName) -> Bool { left.text < right.text }
}

/// The name of a session as people write it: `PROVIDER` or `PROVIDER/ACCOUNT`.
///
/// The account's label has no control characters, no `/` at either end and at most 256 bytes; a new one has letters, digits and `. _ - @ +`
/// only. A name without an account stands for the only session at that provider, or for that of its default account.
public struct SessionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let provider: ProviderName
    /// The account's label; `nil` where the only one is meant, or the active one.
    public let account: String?

    public init?(provider: ProviderName, account: String?) {
        if let account, !Self.isLabel(account) { return nil }
        self.provider = provider
        self.account = account
    }

    public init?(_ text: String) {
        let slash = text.firstIndex(of: "/")
        guard let provider = ProviderName(String(text[..<(slash ?? text.endIndex)])) else { return nil }
        self.init(provider: provider, account: slash.map { String(text[text.index(after: $0)...]) })
    }

    /// Whether `text` can be the label of a stored account: older versions took more than ``isPlainLabel(_:)`` does.
    public static func isLabel(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.first != "/" && text.last != "/"
            && text.unicodeScalars.allSatisfy { scalar in
                // No table has to be asked about ASCII.
                guard !scalar.isASCII else { return scalar.value >= 0x20 && scalar.value != 0x7F }
                return switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
                default: true
                }
            }
    }

    /// Whether a new account may be labelled `text`: letters, digits and `. _ - @ +`, not beginning with `-` or `.`; at most 256 bytes.
    ///
    /// Letters and digits of every script count, for no shell gives them a meaning: general categories Lu, Ll, Lt, Lo and Nd, with up to
    /// three marks on a letter, and without those that are invisible. Stored sessions may have other labels, see ``isLabel(_:)``.
    public static func isPlainLabel(_ text: String) -> Bool {
        var marks = 0
        return (1...256).contains(text.utf8.count) && text.first != "-" && text.first != "."
            && text.unicodeScalars.allSatisfy { isPlain($0, after: &marks) }
    }

    /// A label made of a provider's claim: each run of characters that ``isPlainLabel(_:)`` forbids becomes one `-`, which is left out at
    /// both ends; cut to 256 bytes. `nil` when nothing is left.
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

    /// Whether a label may go on with a scalar. `marks` counts how many more marks the letter before it may have.
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

    /// The name as one word of a command line, for a command in a hint.
    public var shellWord: String { ShellWord(self).text }

    public var description: String { account.map { "\(provider)/\($0)" } ?? provider.text }

    public static func < (left: SessionName, right: SessionName) -> Bool {
        (left.provider, left.account ?? "") < (right.provider, right.account ?? "")
    }
}
