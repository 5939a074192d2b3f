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
