/// One unit of the screen: a character with its combining marks, one or two cells wide.
///
/// A glyph is the unit by which a terminal's cursor advances, which is not always a Unicode grapheme cluster: a spacing vowel sign has its
/// own cell here. Only ``SafeText`` makes glyphs, so the text of every glyph is safe to write to a terminal.
public struct Glyph: Hashable, Sendable {
    /// The scalars: one with a width, then at most ``SafeText/markLimit`` combining marks, or an emoji sequence.
    public let text: String
    /// The number of cells: 1 or 2.
    public let width: Int

    /// A space, one cell wide.
    public static let space = Glyph(text: " ", width: 1)
    /// The replacement for a refused character.
    public static let replacement = Glyph(text: "\u{FFFD}", width: 1)
}

extension [Glyph] {
    /// Returns the first glyphs, as many as fit into a number of columns.
    func prefix(columns: Int) -> [Glyph] {
        var width = 0
        return Array(
            prefix { glyph in
                width += glyph.width
                return width <= columns
            })
    }
}

extension Sequence<Glyph> {
    /// The total width in cells.
    public var width: Int { reduce(0) { $0 + $1.width } }

    /// The glyphs' text, joined.
    public var text: String { reduce(into: "") { $0 += $1.text } }
}

/// The number of cells that a terminal gives to a Unicode scalar.
///
/// The table is built in, because the result must not depend on the locale of the process. It follows East Asian Width (UAX #11) with
/// ambiguous as narrow and emoji presentation as wide, and agrees with the C library wherever that knows the scalar.
public enum GlyphWidth {
    /// Returns 0 for marks and invisible format characters, else 1 or 2. Control characters count as 1, the width of their replacement.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        if isWide(value) { return 2 }
        return takesNoSpace(scalar) ? 0 : 1
    }

    private static func takesNoSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        // Some format characters, such as Arabic number signs, are visible.
        case .format: return !isDrawnFormat(scalar.value)
        case .otherLetter: return isJoiningJamo(scalar.value)
        default: return false
        }
    }

    /// Returns whether the scalar is a vowel or final consonant of old-style Hangul, which is drawn into the cells of the first consonant.
    private static func isJoiningJamo(_ value: UInt32) -> Bool {
        (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
    }

    private static func isDrawnFormat(_ value: UInt32) -> Bool {
        switch value {
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: return true
        default: return false
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        var low = 0
        var high = wideRanges.count
        while low < high {
            let middle = (low + high) / 2
            if wideRanges[middle].1 < value { low = middle + 1 } else { high = middle }
        }
        return low < wideRanges.count && wideRanges[low].0 <= value
    }

    /// East Asian Width W and F, sorted. Unassigned scalars inside a wide block count as wide, for later additions to Unicode.
    private static let wideRanges: [(UInt32, UInt32)] = [
        (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC), (0x23F0, 0x23F0), (0x23F3, 0x23F3), (0x25FD, 0x25FE),
        (0x2614, 0x2615), (0x2648, 0x2653), (0x267F, 0x267F), (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE),
        (0x26C4, 0x26C5), (0x26CE, 0x26CE), (0x26D4, 0x26D4), (0x26EA, 0x26EA), (0x26F2, 0x26F3), (0x26F5, 0x26F5), (0x26FA, 0x26FA),
        (0x26FD, 0x26FD), (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755),
        (0x2757, 0x2757), (0x2795, 0x2797), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55),
        (0x2E80, 0x3029), (0x302E, 0x303E), (0x3041, 0x3096), (0x309B, 0xA4C6), (0xA960, 0xA97C), (0xAC00, 0xD7A3), (0xF900, 0xFAD9),
        (0xFE10, 0xFE19), (0xFE30, 0xFE6B), (0xFF01, 0xFF60), (0xFFE0, 0xFFE6), (0x16FE0, 0x16FE3), (0x16FF0, 0x18D08),
        (0x1AFF0, 0x1B2FB), (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF), (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F200, 0x1F320),
        (0x1F32D, 0x1F335), (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA), (0x1F3CF, 0x1F3D3), (0x1F3E0, 0x1F3F0),
        (0x1F3F4, 0x1F3F4), (0x1F3F8, 0x1F43E), (0x1F440, 0x1F440), (0x1F442, 0x1F4FC), (0x1F4FF, 0x1F53D), (0x1F54B, 0x1F54E),
        (0x1F550, 0x1F567), (0x1F57A, 0x1F57A), (0x1F595, 0x1F596), (0x1F5A4, 0x1F5A4), (0x1F5FB, 0x1F64F), (0x1F680, 0x1F6C5),
        (0x1F6CC, 0x1F6CC), (0x1F6D0, 0x1F6D2), (0x1F6D5, 0x1F6DF), (0x1F6EB, 0x1F6EC), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7F0),
        (0x1F90C, 0x1F93A), (0x1F93C, 0x1F945), (0x1F947, 0x1F9FF), (0x1FA70, 0x1FAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD),
    ]
}

/// The glyphs for lines, bars and markers.
public enum GlyphSet: Hashable, Sendable {
    /// Box drawing and block characters.
    case unicode
    /// ASCII only, for terminals and fonts without other glyphs.
    case ascii

    /// A horizontal line.
    public var horizontal: String { self == .unicode ? "─" : "-" }
    /// A vertical line.
    public var vertical: String { self == .unicode ? "│" : "|" }
    /// Returns a vertical line with a tick to a number of a scale, at the left or at the right of it.
    public func tick(isLeft: Bool) -> String { self == .unicode ? (isLeft ? "┤" : "├") : "+" }
    /// The top left corner of a box.
    public var topLeft: String { self == .unicode ? "╭" : "+" }
    /// The top right corner of a box.
    public var topRight: String { self == .unicode ? "╮" : "+" }
    /// The bottom left corner of a box.
    public var bottomLeft: String { self == .unicode ? "╰" : "+" }
    /// The bottom right corner of a box.
    public var bottomRight: String { self == .unicode ? "╯" : "+" }
    /// The end of a shortened text.
    public var ellipsis: String { self == .unicode ? "…" : "~" }
    /// A filled cell of a bar.
    public var barFilled: String { self == .unicode ? "━" : "=" }
    /// A half-filled cell at the end of a bar; nil in ASCII.
    public var barHalf: String? { self == .unicode ? "╸" : nil }
    /// A mark on a bar.
    public var barMark: String { self == .unicode ? "╋" : "+" }
    /// An empty cell of a bar.
    public var barEmpty: String { self == .unicode ? "─" : "-" }
    /// The columns of a sparkline, from the one for zero to the highest: no whole block, which would touch the row above.
    public var sparks: [String] { self == .unicode ? ["·", "▁", "▂", "▃", "▄", "▅", "▆", "▇"] : [".", ":", "-", "=", "#"] }
    /// The glyph for each character of a masked field.
    public var mask: String { self == .unicode ? "•" : "*" }
    /// The marker of the selected row.
    public var pointer: String { self == .unicode ? "▸" : ">" }
    /// A check mark.
    public var check: String { self == .unicode ? "✓" : "+" }
    /// A cross.
    public var cross: String { self == .unicode ? "✗" : "x" }
    /// An empty circle.
    public var circle: String { self == .unicode ? "○" : "o" }
    /// A filled circle.
    public var disc: String { self == .unicode ? "●" : "@" }
    /// A star, for the default of several.
    public var star: String { self == .unicode ? "★" : "*" }
    /// The separator between breadcrumbs.
    public var crumb: String { self == .unicode ? "›" : ">" }
    /// The marks for more rows above and below.
    public var more: (up: String, down: String) { self == .unicode ? ("▴", "▾") : ("^", "v") }
    /// The track of a scroll bar.
    public var scrollTrack: String { self == .unicode ? "│" : "|" }
    /// The thumb of a scroll bar.
    public var scrollThumb: String { self == .unicode ? "┃" : "#" }
    /// The frames of the spinner, in order.
    public var spinner: [String] {
        self == .unicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    }
}
