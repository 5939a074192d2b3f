/// A theme colour with its fallbacks for fewer colours.
public struct ThemeColor: Hashable, Sendable {
    /// The 24-bit colour.
    public let trueColor: Color
    /// The number in xterm's palette of 256 colours.
    public let indexed: UInt8
    /// The colour for terminals with sixteen colours.
    public let ansi: AnsiColor

    /// Creates a colour. A missing fallback defaults to the nearest colour.
    public init(_ trueColor: Color, indexed: UInt8? = nil, ansi: AnsiColor? = nil) {
        self.trueColor = trueColor
        self.indexed = indexed ?? IndexedPalette.nearest(to: trueColor)
        self.ansi = ansi ?? IndexedPalette.nearestAnsi(to: trueColor)
    }

    /// Returns the colour for a terminal of `depth`; nil is the terminal's default.
    public func value(at depth: ColorDepth) -> Face.Value? {
        switch depth {
        case .mono: nil
        case .ansi16: .indexed(ansi.rawValue)
        case .indexed256: .indexed(indexed)
        case .trueColor: .direct(trueColor)
        }
    }
}
