/// Text attributes, apart from colour.
public struct Attributes: OptionSet, Hashable, Sendable {
    /// The bits of the set attributes.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bold text.
    public static let bold = Attributes(rawValue: 1)
    /// Dim text.
    public static let dim = Attributes(rawValue: 2)
    /// Italic text.
    public static let italic = Attributes(rawValue: 4)
    /// Underlined text.
    public static let underline = Attributes(rawValue: 8)
    /// Exchanges foreground and background.
    public static let reverse = Attributes(rawValue: 16)

    /// Every attribute with its name in a theme file.
    public static let named: [(name: String, attribute: Attributes)] = [
        ("bold", .bold), ("dim", .dim), ("italic", .italic), ("underline", .underline), ("reverse", .reverse),
    ]

    /// The names of the set attributes, in a fixed order.
    public var names: [String] { Attributes.named.filter { contains($0.attribute) }.map(\.name) }
}
