/// How many colours a terminal shows. The caller decides it, also for `NO_COLOR`: this module reads no environment.
public enum ColorDepth: Int, CaseIterable, Hashable, Comparable, Sendable {
    /// None: meaning is carried by attributes alone.
    case mono
    /// The sixteen of ANSI, whose shades are the person's own choice.
    case ansi16
    /// The palette of xterm.
    case indexed256
    /// 24 bits.
    case trueColor

    public static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}
