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
