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
/// - tabs, line ends and every kind of space: a plain space (``block(_:limit:)`` keeps line feeds);
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

    /// Returns `text` as safe text of several lines: line feeds are kept. `limit` counts the glyphs of all lines.
    public static func block(_ text: some StringProtocol, limit: Int = defaultLimit) -> String {
        lines(text, limit: limit).map(\.text).joined(separator: "\n")
    }

    /// Returns the lines of `text`, each as glyphs.
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
