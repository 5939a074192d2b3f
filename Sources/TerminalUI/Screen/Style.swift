/// The semantic style of a cell: a role on a surface. ``Theme/face(for:depth:)`` resolves it to colours.
public struct Style: Hashable, Sendable {
    /// The meaning of the text.
    public var role: Role
    /// The background of the text.
    public var surface: Surface
    /// Attributes in addition to the theme's.
    public var attributes: Attributes
    /// A variation of the role's colour on terminals with at least 256 colours.
    public var tone: Tone

    /// Creates a style.
    public init(_ role: Role = .text, on surface: Surface = .screen, attributes: Attributes = [], tone: Tone = .plain) {
        self.role = role
        self.surface = surface
        self.attributes = attributes
        self.tone = tone
    }

    /// Ordinary text on the screen.
    public static let plain = Style()

    /// Returns the same style on another surface.
    public func on(_ surface: Surface) -> Style { Style(role, on: surface, attributes: attributes, tone: tone) }

    /// Returns the same style in the colour of a height from 0 to `top`.
    func atHeight(_ height: Int, of top: Int) -> Style {
        let level = min(Int(Tone.gaugeTop), max(0, height) * Int(Tone.gaugeTop) / max(1, top))
        return Style(role, on: surface, attributes: attributes, tone: .height(UInt8(level)))
    }

    /// Returns the same style with another role, in that role's own colour.
    public func with(_ role: Role) -> Style { Style(role, on: surface, attributes: attributes) }
}

extension Style: CustomStringConvertible {
    /// For tests: `title@panel+bold`.
    public var description: String {
        ([role.rawValue + "@" + surface.rawValue] + attributes.names + [tone.name].filter { !$0.isEmpty }).joined(separator: "+")
    }
}

/// A variation of a role's colour. Terminals with sixteen colours or none show the role's own look.
public enum Tone: Hashable, Sendable {
    /// The role's own colour.
    case plain
    /// A colour of the scale from ``Role/danger`` (0) over ``Role/warning`` to ``Role/barFilled`` (``gaugeTop``).
    case gauge(UInt8)
    /// A colour of the scale from ``Role/info`` (0) over ``Role/success`` to ``Role/accent`` (``gaugeTop``), for heights that are neither
    /// good nor bad.
    case height(UInt8)
    /// The role's colour, moved towards the ground in a number of steps. Text keeps a contrast of 7:1, or what it has if that is less.
    case faded(UInt8)

    /// The highest level of the scale.
    public static let gaugeTop: UInt8 = 16

    /// Returns the tone of a share of the scale, from 0 to 1.
    public static func ofShare(_ share: Double) -> Tone { .gauge(UInt8((min(1, max(0, share)) * Double(gaugeTop)).rounded())) }

    fileprivate var name: String {
        switch self {
        case .plain: ""
        case .gauge(let level): "gauge\(level)"
        case .height(let level): "height\(level)"
        case .faded(let steps): "faded\(steps)"
        }
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
