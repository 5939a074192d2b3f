/// The sanitiser for text from outside, before it reaches a terminal.
///
/// A name from a provider, an error text or a line of a file may contain escape sequences, direction overrides that reorder the visible
/// text, or invisible characters. ``ScreenBuffer`` passes every text through this type, and the command-line program every line for
/// standard error and output, so no caller can forget it.
///
/// Each kind of scalar is handled like this:
/// - control characters (C0, DEL, C1), direction controls, line and paragraph separators, private use, unassigned and noncharacters,
///   fillers: each becomes a visible U+FFFD;
/// - zero-width spaces and joiners, soft hyphens, tag characters, selectors without effect: dropped;
/// - tabs, line ends and every kind of space: a plain space (``lines(_:limit:)`` begins a new line at line feeds);
/// - combining marks: at most ``markLimit`` for one character, the rest dropped; a mark without a character gets a dotted circle;
/// - U+200D, U+FE0F and skin tones: kept only inside emoji sequences.
public enum SafeText {
    /// The maximum number of combining marks on one character: what a curses cell can hold.
    public static let markLimit = 4

    /// The default maximum number of glyphs in a text.
    public static let defaultLimit = 8192

    /// The end of a text that was cut.
    public static let ellipsis = Glyph(text: "\u{2026}", width: 1)

    /// Returns the glyphs of `text` as one line. Text of more than `limit` glyphs is cut and ends in an ellipsis.
    public static func glyphs(_ text: some StringProtocol, limit: Int = defaultLimit) -> [Glyph] {
        var scanner = GlyphScanner(limit: limit, keepsLineFeeds: false)
        scanner.read(text)
        return scanner.finish()[0]
    }

    /// Returns `text` as one safe line.
    public static func line(_ text: some StringProtocol, limit: Int = defaultLimit) -> String {
        if text.utf8.count <= limit, isPlain(text) { return String(text) }
        return glyphs(text, limit: limit).text
    }

    /// Returns the lines of `text`, each as glyphs. `limit` counts the glyphs of all lines.
    public static func lines(_ text: some StringProtocol, limit: Int = defaultLimit) -> [[Glyph]] {
        var scanner = GlyphScanner(limit: limit, keepsLineFeeds: true)
        scanner.read(text)
        return scanner.finish()
    }

    /// Returns the width of `text` on one line, in cells.
    public static func width(of text: some StringProtocol) -> Int {
        isPlain(text) ? text.utf8.count : glyphs(text, limit: .max).width
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    /// Returns whether every byte is printable ASCII: safe, and one cell per byte.
    static func isPlain(_ text: some StringProtocol) -> Bool {
        // A fast path, because nearly all displayed text is ASCII.
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPlain) } ?? text.utf8.allSatisfy(isPlain)
    }
}

/// The class of a scalar for the sanitiser, without regard to its neighbours.
enum ScalarSafety {
    /// Kept; has a width.
    case spacing
    /// A combining mark, drawn over the preceding character.
    case mark
    /// Any kind of space.
    case space
    case lineFeed
    case carriageReturn
    /// U+200D; kept only where it joins emoji.
    case joiner
    /// U+FE0F; kept only where it selects emoji presentation.
    case emojiSelector
    /// Replaced by U+FFFD, which is visible.
    case refused
    /// Removed, because it is invisible.
    case dropped

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x20...0x7E: self = .spacing
        case 0x09: self = .space
        case 0x0A: self = .lineFeed
        case 0x0D: self = .carriageReturn
        case 0x200D: self = .joiner
        case 0xFE0F: self = .emojiSelector
        // Soft hyphen, grapheme joiner, Khmer inherent vowels, Mongolian and other variation selectors, zero-width space and
        // non-joiner, word joiner and invisible operators, byte order mark, tags.
        case 0xAD, 0x34F, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200C, 0x2060...0x2064, 0xFE00...0xFE0E, 0xFEFF,
            0xE0000...0xE0FFF:
            self = .dropped
        // Hangul fillers: invisible letters.
        case 0x115F...0x1160, 0x3164, 0xFFA0: self = .refused
        // The braille pattern without dots looks like a space.
        case 0x2800: self = .space
        default: self = ScalarSafety(category: scalar)
        }
    }

    private init(category scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            self = .refused
        case .spaceSeparator:
            self = GlyphWidth.of(scalar) == 2 ? .spacing : .space
        case .format:
            // Only visible format characters are kept. The others include the direction controls.
            self = GlyphWidth.of(scalar) == 0 ? .refused : .spacing
        default:
            self = GlyphWidth.of(scalar) == 0 ? .mark : .spacing
        }
    }
}
