/// The one way by which text from outside reaches a terminal.
///
/// A name from a provider, an error text, a line of a file: any of it may hold escape sequences, direction overrides that swap
/// what is read, or characters nobody can see. ``ScreenBuffer`` sends every text it is given through here, and the command line
/// program every line for standard error and output, so there is no other place to forget it.
///
/// What happens to a scalar:
/// - control characters (C0, DEL, C1), direction controls, line and paragraph separators, private use, unassigned and
///   noncharacters, fillers: each becomes U+FFFD, which is seen;
/// - zero-width spaces and joiners, soft hyphens, tag characters, selectors that select nothing: dropped;
/// - tabs, line ends and every kind of space: a plain space (in a ``block(_:limit:)`` line feeds remain);
/// - marks that combine: at most ``markLimit`` for one character, the rest dropped; one without a character gets a dotted circle;
/// - U+200D, U+FE0F and skin tones: kept inside of emoji sequences only.
public enum SafeText {
    /// How many combining marks one character may carry: as many as a cell of curses can hold.
    public static let markLimit = 4

    /// How many glyphs a text may have where the caller names no other limit.
    public static let defaultLimit = 8192

    /// What ends a text that was cut.
    public static let ellipsis = Glyph(text: "\u{2026}", width: 1)

    /// The glyphs of `text` as one line. A text of more than `limit` glyphs is cut and ends in an ellipsis.
    public static func glyphs(_ text: some StringProtocol, limit: Int = defaultLimit) -> [Glyph] {
        var scanner = GlyphScanner(limit: limit, keepsLineFeeds: false)
        scanner.read(text)
        return scanner.finish()[0]
    }

    /// `text` as one safe line.
    public static func line(_ text: some StringProtocol, limit: Int = defaultLimit) -> String {
        if text.utf8.count <= limit, isPlain(text) { return String(text) }
        return glyphs(text, limit: limit).text
    }

    /// `text` with its line feeds kept and all else made safe: for text of several lines. `limit` counts the glyphs of all lines.
    public static func block(_ text: some StringProtocol, limit: Int = defaultLimit) -> String {
        lines(text, limit: limit).map(\.text).joined(separator: "\n")
    }

    /// The lines of `text`, each as glyphs.
    public static func lines(_ text: some StringProtocol, limit: Int = defaultLimit) -> [[Glyph]] {
        var scanner = GlyphScanner(limit: limit, keepsLineFeeds: true)
        scanner.read(text)
        return scanner.finish()
    }

    /// The number of cells that `text` takes on one line.
    public static func width(of text: some StringProtocol) -> Int {
        isPlain(text) ? text.utf8.count : glyphs(text, limit: .max).width
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    /// Whether every byte is printable ASCII, which is safe as it is and one cell each.
    static func isPlain(_ text: some StringProtocol) -> Bool {
        // Of nearly all text that is shown, so it is worth going through the bytes as they lie.
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPlain) } ?? text.utf8.allSatisfy(isPlain)
    }
}
