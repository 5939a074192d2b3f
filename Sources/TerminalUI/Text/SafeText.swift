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
/// - tabs, line ends and every kind of space: a plain space (``lines(_:)`` begins a new line at line feeds);
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

    /// Returns the lines of `text`, each as glyphs: at most ``defaultLimit`` glyphs in all lines.
    public static func lines(_ text: some StringProtocol) -> [[Glyph]] {
        var scanner = GlyphScanner(limit: defaultLimit, keepsLineFeeds: true)
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

/// Splits text into safe glyphs, scalar by scalar, in one pass.
struct GlyphScanner {
    /// The maximum number of scalars in an emoji sequence: a family of four with skin tones fits.
    private static let sequenceLimit = 16

    private let limit: Int
    private let keepsLineFeeds: Bool
    private var lines: [[Glyph]] = [[]]
    private var count = 0
    private var isCut = false
    private var afterCarriageReturn = false

    /// The glyph under construction; empty if there is none.
    private var current = ""
    private var width = 0
    private var marks = 0
    private var sequence = 0
    /// Whether `current` is an emoji so far, so that selectors, skin tones and joiners may follow.
    private var isEmoji = false
    private var isModifierBase = false
    private var isRegionalIndicatorPending = false
    /// Whether the emoji at the end of `current` already has its selector.
    private var isSelected = false
    /// Whether a joiner was read whose second emoji has not followed yet.
    private var isJoinerPending = false

    init(limit: Int, keepsLineFeeds: Bool) {
        self.limit = max(0, limit)
        self.keepsLineFeeds = keepsLineFeeds
    }

    mutating func read(_ text: some StringProtocol) {
        for scalar in text.unicodeScalars {
            if isCut { return }
            read(scalar)
        }
    }

    /// Returns the lines; at least one.
    mutating func finish() -> [[Glyph]] {
        if afterCarriageReturn { add(.replacement) }
        flush()
        if isCut {
            // The ellipsis replaces the last glyph, so that the limit includes it.
            if count == limit, !lines[lines.count - 1].isEmpty { lines[lines.count - 1].removeLast() }
            if limit > 0 { lines[lines.count - 1].append(SafeText.ellipsis) }
        }
        return lines
    }

    private mutating func read(_ scalar: Unicode.Scalar) {
        let safety = ScalarSafety(scalar)
        if afterCarriageReturn {
            // Before a line feed, a carriage return is part of a line end. Alone it would let later text overwrite earlier text.
            afterCarriageReturn = false
            if case .lineFeed = safety {} else { add(.replacement) }
        }
        switch safety {
        case .spacing: begin(scalar)
        case .mark: attach(scalar)
        case .space: add(.space)
        case .refused: add(.replacement)
        case .dropped: break
        case .joiner: isJoinerPending = isEmoji
        case .carriageReturn:
            flush()
            afterCarriageReturn = true
        case .lineFeed: endLine()
        case .emojiSelector:
            // More than one selector would only make the glyph longer.
            guard isEmoji, !isJoinerPending, !isSelected, sequence < Self.sequenceLimit else { return }
            append(scalar)
            isSelected = true
            width = 2
        }
    }

    private mutating func begin(_ scalar: Unicode.Scalar) {
        if continuesSequence(scalar) { return }
        flush()
        current.unicodeScalars.append(scalar)
        width = GlyphWidth.of(scalar)
        marks = 0
        sequence = 1
        let properties = scalar.properties
        // ASCII digits and signs have the emoji property too, for keycaps. As text they are not emoji.
        isSelected = false
        isEmoji = scalar.value > 0xFF && properties.isEmoji && !isRegionalIndicator(scalar)
        isModifierBase = isEmoji && properties.isEmojiModifierBase
        isRegionalIndicatorPending = isRegionalIndicator(scalar)
    }

    private mutating func continuesSequence(_ scalar: Unicode.Scalar) -> Bool {
        guard sequence > 0, sequence < Self.sequenceLimit else { return false }
        let properties = scalar.properties
        if isJoinerPending, scalar.value > 0xFF, properties.isEmoji {
            isJoinerPending = false
            current.unicodeScalars.append("\u{200D}")
            append(scalar)
            isSelected = false
            isModifierBase = properties.isEmojiModifierBase
            width = 2
            return true
        }
        if isModifierBase, properties.isEmojiModifier {
            append(scalar)
            isModifierBase = false
            width = 2
            return true
        }
        if isRegionalIndicatorPending, isRegionalIndicator(scalar) {
            append(scalar)
            isRegionalIndicatorPending = false
            width = 2
            return true
        }
        return false
    }

    private mutating func attach(_ scalar: Unicode.Scalar) {
        isJoinerPending = false
        if current.isEmpty { reopenLast() }
        guard marks < SafeText.markLimit else { return }
        append(scalar)
        marks += 1
    }

    /// Reopens the last glyph for a combining mark. A mark at the start of a line gets a dotted circle as its base.
    private mutating func reopenLast() {
        let base: Glyph
        if let last = lines[lines.count - 1].popLast() {
            count -= 1
            base = last
        } else {
            base = Glyph(text: "\u{25CC}", width: 1)
        }
        current = base.text
        width = base.width
        marks = 0
        sequence = 1
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        current.unicodeScalars.append(scalar)
        sequence += 1
    }

    private mutating func add(_ glyph: Glyph) {
        flush()
        push(glyph)
    }

    private mutating func endLine() {
        flush()
        if keepsLineFeeds { lines.append([]) } else { push(.space) }
    }

    private mutating func flush() {
        if !current.isEmpty { push(Glyph(text: current, width: width)) }
        current = ""
        sequence = 0
        isEmoji = false
        isModifierBase = false
        isRegionalIndicatorPending = false
        isSelected = false
        isJoinerPending = false
    }

    private mutating func push(_ glyph: Glyph) {
        guard count < limit else {
            isCut = true
            return
        }
        lines[lines.count - 1].append(glyph)
        count += 1
    }

    private func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }
}
