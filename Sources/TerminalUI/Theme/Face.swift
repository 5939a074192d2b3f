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
}

extension Face {
    /// The contrast between text and background, by WCAG 2.1 from 1 to 21; nil if either is the terminal's default.
    ///
    /// Palette numbers use xterm's colours. These are exact from 16 on; users may change the first sixteen.
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
