/// The number of colours to use. The caller decides it, also for `NO_COLOR`: this module reads no environment variable.
public enum ColorDepth: Int, CaseIterable, Hashable, Comparable, Sendable {
    /// No colours: attributes alone carry the meaning.
    case mono
    /// The sixteen ANSI colours, whose shades the user configures.
    case ansi16
    /// The xterm palette.
    case indexed256
    /// 24-bit colours.
    case trueColor

    /// Compares by the number of colours.
    public static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}
