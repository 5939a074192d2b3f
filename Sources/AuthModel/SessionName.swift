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
/// The account's label has no control characters, no `/` at either end and at most 256 bytes. A name without an account stands for the
/// only session at that provider, or for that of its active account.
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

    /// Whether `text` can label an account.
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

    /// `text` with everything taken out that ``isLabel(_:)`` forbids; `nil` when nothing is left.
    ///
    /// For labels that come from a provider's claims.
    public static func label(from text: String) -> String? {
        var label = ""
        for character in text where isLabel("x\(character)x") && label.utf8.count + character.utf8.count <= 256 { label.append(character) }
        while label.first == "/" || label.first == " " { label.removeFirst() }
        while label.last == "/" || label.last == " " { label.removeLast() }
        return isLabel(label) ? label : nil
    }

    public var description: String { account.map { "\(provider)/\($0)" } ?? provider.text }

    public static func < (left: SessionName, right: SessionName) -> Bool {
        (left.provider, left.account ?? "") < (right.provider, right.account ?? "")
    }
}
