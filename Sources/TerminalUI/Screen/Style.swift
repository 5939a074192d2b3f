/// The semantic style of a cell: a role on a surface. ``Theme/face(for:depth:)`` resolves it to colours.
public struct Style: Hashable, Sendable {
    /// The meaning of the text.
    public var role: Role
    /// The background of the text.
    public var surface: Surface
    /// Attributes in addition to the theme's.
    public var attributes: Attributes

    /// Creates a style.
    public init(_ role: Role = .text, on surface: Surface = .screen, attributes: Attributes = []) {
        self.role = role
        self.surface = surface
        self.attributes = attributes
    }

    /// Ordinary text on the screen.
    public static let plain = Style()

    /// Returns the same style on another surface.
    public func on(_ surface: Surface) -> Style { Style(role, on: surface, attributes: attributes) }

    /// Returns the same style with another role.
    public func with(_ role: Role) -> Style { Style(role, on: surface, attributes: attributes) }

    /// Returns the same style with more attributes.
    public func adding(_ more: Attributes) -> Style { Style(role, on: surface, attributes: attributes.union(more)) }
}

extension Style: CustomStringConvertible {
    /// For tests: `title@panel+bold`.
    public var description: String {
        ([role.rawValue + "@" + surface.rawValue] + attributes.names).joined(separator: "+")
    }
}

/// The meaning of a piece of text. A theme defines its look; no screen names a colour.
public enum Role: String, CaseIterable, Hashable, Sendable {
    /// Ordinary text.
    case text
    /// Less important text.
    case muted
    /// Headings and names of screens.
    case title
    /// The most important part of the screen now.
    case accent
    /// A URL that can be opened or copied.
    case link
    /// A key that can be pressed.
    case key
    /// Success; valid.
    case success
    /// A warning: attention is needed soon.
    case warning
    /// A failure, or an action that cannot be undone.
    case danger
    /// Neutral information.
    case info
    /// Lines around panels.
    case border
    /// Lines around the panel that has the keyboard focus.
    case focus
    /// The filled part of a bar.
    case barFilled = "bar_filled"
    /// The empty part of a bar.
    case barEmpty = "bar_empty"
}

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
