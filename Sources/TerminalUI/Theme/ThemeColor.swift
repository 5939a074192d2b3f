/// A colour of a theme with what stands for it where there are fewer colours.
public struct ThemeColor: Hashable, Sendable {
    public let trueColor: Color
    /// The number in xterm's palette of 256.
    public let indexed: UInt8
    public let ansi: AnsiColor

    /// Where no fallback is given, the nearest colour is taken.
    public init(_ trueColor: Color, indexed: UInt8? = nil, ansi: AnsiColor? = nil) {
        self.trueColor = trueColor
        self.indexed = indexed ?? IndexedPalette.nearest(to: trueColor)
        self.ansi = ansi ?? IndexedPalette.nearestAnsi(to: trueColor)
    }

    /// What a terminal of `depth` is told; nil means its own default.
    public func value(at depth: ColorDepth) -> Face.Value? {
        switch depth {
        case .mono: nil
        case .ansi16: .indexed(ansi.rawValue)
        case .indexed256: .indexed(indexed)
        case .trueColor: .direct(trueColor)
        }
    }
}
