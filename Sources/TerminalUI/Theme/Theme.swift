/// Colours and attributes for every role and surface.
public struct Theme: Hashable, Sendable {
    /// The look of a role or a surface.
    public struct Entry: Hashable, Sendable {
        /// The colour; nil is the terminal's default.
        public var color: ThemeColor?
        /// For a surface: the text colour of every role on it. Nil keeps each role's colour.
        public var textColor: ThemeColor?
        /// Attributes for terminals with colours.
        public var attributes: Attributes
        /// Attributes for terminals without colours.
        public var mono: Attributes

        /// Creates an entry.
        public init(color: ThemeColor? = nil, textColor: ThemeColor? = nil, attributes: Attributes = [], mono: Attributes = []) {
            self.color = color
            self.textColor = textColor
            self.attributes = attributes
            self.mono = mono
        }
    }

    /// The name in the configuration: a file name without its extension.
    public let name: String
    /// One line for the list of themes.
    public let summary: String
    /// The name of the theme for a terminal whose colours are light instead of dark, or the other way round; nil if there is none.
    public let partner: String?
    private let roles: [Role: Entry]
    private let surfaces: [Surface: Entry]

    /// Creates a theme. A missing role or surface looks plain; ``ThemeDefinition`` refuses files that lack one.
    public init(name: String, summary: String, partner: String? = nil, roles: [Role: Entry], surfaces: [Surface: Entry]) {
        self.name = name
        self.summary = summary
        self.partner = partner
        self.roles = roles
        self.surfaces = surfaces
    }

    /// The look of a role; plain if the theme has none.
    public subscript(role: Role) -> Entry { roles[role] ?? Entry() }
    /// The look of a surface; plain if the theme has none.
    public subscript(surface: Surface) -> Entry { surfaces[surface] ?? Entry() }

    /// Resolves `style` to a face for a terminal of `depth`.
    public func face(for style: Style, depth: ColorDepth) -> Face {
        let role = self[style.role]
        let surface = self[style.surface]
        guard depth > .mono else {
            return Face(attributes: Self.combined(role.mono.union(style.attributes), on: surface.mono))
        }
        let isText = ![.border, .barEmpty].contains(style.role)
        let color = depth == .ansi16 && isText && style.surface == .selection ? role.color?.readable(on: surface.color) : role.color
        return Face(
            foreground: surface.textColor?.value(at: depth) ?? foreground(color, style.tone, on: surface.color, depth: depth),
            background: surface.color?.value(at: depth),
            attributes: Self.combined(role.attributes.union(style.attributes), on: surface.attributes))
    }

    /// Returns the colour of text in a tone.
    private func foreground(_ color: ThemeColor?, _ tone: Tone, on ground: ThemeColor?, depth: ColorDepth) -> Face.Value? {
        guard depth >= .indexed256, let color else { return color?.value(at: depth) }
        switch tone {
        case .plain: return color.value(at: depth)
        case .gauge(let level): return scale(.danger, .warning, .barFilled, level)?.value(at: depth) ?? color.value(at: depth)
        case .height(let level): return scale(.info, .success, .accent, level)?.value(at: depth) ?? color.value(at: depth)
        case .faded(let steps): return ground.flatMap { color.faded(by: steps, on: $0, depth: depth) } ?? color.value(at: depth)
        }
    }

    /// Returns the colour of a level of the scale from the colour of one role over that of another to that of a third.
    private func scale(_ low: Role, _ middle: Role, _ high: Role, _ level: UInt8) -> ThemeColor? {
        guard let low = self[low].color, let middle = self[middle].color, let high = self[high].color else { return nil }
        let half = Int(Tone.gaugeTop) / 2
        let place = min(Int(level), 2 * half)
        return place <= half ? low.blended(with: middle, place, of: half) : middle.blended(with: high, place - half, of: half)
    }

    /// Returns the attributes of text on a surface.
    ///
    /// Many terminals paint reversed cells darker if they are dim, and lighter if they are bold, so all cells of a reversed surface have
    /// its own weight. Dim text on a bold surface looks like an error.
    private static func combined(_ text: Attributes, on surface: Attributes) -> Attributes {
        let lost: Attributes = surface.contains(.reverse) ? [.bold, .dim] : surface.contains(.bold) ? .dim : []
        return text.subtracting(lost).union(surface)
    }

    /// A theme without colours, used if no theme is given; legible on every terminal.
    public static let uncoloured = Theme(
        name: "uncoloured", summary: "attributes only",
        roles: [
            .title: Entry(attributes: .bold, mono: .bold), .accent: Entry(attributes: .bold, mono: .bold),
            .link: Entry(attributes: .underline, mono: .underline), .key: Entry(attributes: .bold, mono: .bold),
            .danger: Entry(attributes: .bold, mono: .bold), .focus: Entry(attributes: .bold, mono: .bold),
        ],
        surfaces: [
            .selection: Entry(attributes: .reverse, mono: .reverse), .field: Entry(attributes: .underline, mono: .underline),
            .notice: Entry(attributes: .bold, mono: .bold),
        ])

    /// Whether the theme is dark on light. The terminal's default background counts as dark: most are.
    public var hasLightGround: Bool { self[Surface.screen].color?.trueColor.isLight ?? false }
}

/// The concrete look of a cell on a terminal.
public struct Face: Hashable, Sendable {
    /// A colour in the form that a terminal uses.
    public enum Value: Hashable, Sendable {
        /// A palette number: ANSI below 16, else xterm.
        case indexed(UInt8)
        /// A 24-bit colour.
        case direct(Color)
    }

    /// The text colour; nil is the terminal's default.
    public var foreground: Value?
    /// The background colour; nil is the terminal's default.
    public var background: Value?
    /// The text attributes.
    public var attributes: Attributes

    /// Creates a face.
    public init(foreground: Value? = nil, background: Value? = nil, attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The contrast between text and background, by WCAG 2.1 from 1 to 21; nil if either is the terminal's default.
    ///
    /// Palette numbers use xterm's colours. These are exact from 16 on; users may change the first sixteen.
    public var contrast: Double? {
        guard let foreground, let background else { return nil }
        return foreground.color.contrast(with: background.color)
    }

    /// The ECMA-48 SGR sequence, with ISO 8613-6 colours, for text that is written without curses; empty for a plain face.
    package var sequence: String {
        var parameters: [String] = []
        for (attribute, code) in [(Attributes.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7")]
        where attributes.contains(attribute) {
            parameters.append(code)
        }
        for (value, selector) in [(foreground, "38"), (background, "48")] {
            switch value {
            case .direct(let color): parameters.append("\(selector);2;\(color.red);\(color.green);\(color.blue)")
            case .indexed(let index): parameters.append("\(selector);5;\(index)")
            case nil: break
            }
        }
        return parameters.isEmpty ? "" : "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
}

extension Face.Value {
    fileprivate var color: Color {
        switch self {
        case .indexed(let index): IndexedPalette.color(index)
        case .direct(let color): color
        }
    }
}
