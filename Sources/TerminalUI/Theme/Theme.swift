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
    private let roles: [Role: Entry]
    private let surfaces: [Surface: Entry]

    /// Creates a theme. A missing role or surface looks plain; ``ThemeDefinition`` refuses files that lack one.
    public init(name: String, summary: String, roles: [Role: Entry], surfaces: [Surface: Entry]) {
        self.name = name
        self.summary = summary
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
        return Face(
            foreground: (surface.textColor ?? role.color)?.value(at: depth),
            background: surface.color?.value(at: depth),
            attributes: Self.combined(role.attributes.union(style.attributes), on: surface.attributes))
    }

    /// Returns the attributes of text on a surface.
    ///
    /// Many terminals paint reversed cells darker if they are dim, and lighter if they are bold, so all cells of a reversed surface have its
    /// own weight. Dim text on a bold surface looks like an error.
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
}
