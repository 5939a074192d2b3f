/// How a cell looks on a certain terminal.
public struct Face: Hashable, Sendable {
    /// A colour as a terminal takes it.
    public enum Value: Hashable, Sendable {
        /// A number of the palette: below 16 ANSI's, else xterm's.
        case indexed(UInt8)
        case direct(Color)
    }

    /// Nil is the terminal's own.
    public var foreground: Value?
    /// Nil is the terminal's own.
    public var background: Value?
    public var attributes: Attributes

    public init(foreground: Value? = nil, background: Value? = nil, attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }
}

extension Face {
    /// How well the text is told from its ground, by WCAG 2.1 from 1 to 21; nil where one of the two is the terminal's own.
    ///
    /// For numbers of the palette it takes xterm's colours. That holds from 16 on; the first sixteen are what a person made of them.
    public var contrast: Double? {
        guard let foreground, let background else { return nil }
        return foreground.color.contrast(with: background.color)
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
