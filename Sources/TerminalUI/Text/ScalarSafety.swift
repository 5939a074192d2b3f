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
