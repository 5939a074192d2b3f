/// Creates inputs from stored ones: with small changes, by splicing, and with values that often break parsers.
package struct Mutator: Sendable {
    /// The inputs that are mutated and spliced.
    let corpus: [[UInt8]]
    /// Words of the grammar.
    let words: [[UInt8]]

    /// The maximum length in bytes; longer inputs are truncated.
    let maximumLength: Int

    /// The default maximum length in bytes. Inputs at the readers' own limits are in the corpus, and short inputs find more in the same
    /// time.
    package static let defaultMaximumLength = 8192

    /// Creates a mutator.
    ///
    /// - Parameters:
    /// - corpus: the inputs to splice; may be empty.
    /// - words: words of the grammar; if empty, bytes that often break parsers are used.
    package init(corpus: [[UInt8]], words: [[UInt8]], maximumLength: Int = defaultMaximumLength) {
        self.corpus = corpus
        self.words = words
        self.maximumLength = maximumLength
    }

    /// Bytes that break parsers more often than others: terminators, escapes, control characters, and fragments of UTF-8.
    private static let troublesomeBytes: [[UInt8]] = [
        [0x00], [0x0A], [0x0D, 0x0A], [0x1B], [0x20], [0x22], [0x5C], [0x7F], [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0xA9],
        [0xED, 0xA0, 0x80],
        [0xEF, 0xBB, 0xBF], [0xF0, 0x9F, 0x98, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x80, 0xAE], [0x65, 0xCC, 0x81],
        Array("%00".utf8), Array("%".utf8), Array("%zz".utf8), Array("\\u0000".utf8), Array("\\uD800".utf8), Array("\\uD83D\\uDE00".utf8),
    ]

    /// Numbers at the limits of the number types.
    private static let numbers: [[UInt8]] = [
        "0", "-0", "-1", "1e3", "1.5", "127", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967296", "8999999999999999",
        "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1e308", "1e309",
        "-1e309", "1e-400", "1E+99999999999999999999", "00", "0x10", "253402300800", "99999999999999999999999999999999999999",
    ].map { Array($0.utf8) }

    private static let brackets: [(UInt8, UInt8)] = [
        (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "\""), UInt8(ascii: "\"")),
        (UInt8(ascii: "("), UInt8(ascii: ")")),
    ]

    /// Returns an input of the corpus, changed several times, or sometimes unchanged.
    func input(using generator: inout SeededGenerator) -> [UInt8] {
        changed(corpus.isEmpty ? [] : generator.pick(corpus), using: &generator)
    }

    /// Returns `bytes`, changed several times, or sometimes unchanged.
    package func changed(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        // Mostly one change, so that most inputs are nearly valid.
        let count =
            generator.below(16) == 0 ? 0 : 1 + (0..<3).reduce(0) { sum, _ in sum + (generator.below(3) == 0 ? generator.below(4) : 0) }
        for _ in 0..<count { change(&bytes, using: &generator) }
        return Array(bytes.prefix(maximumLength))
    }

    private func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let place = generator.below(bytes.count + 1)
        let length = min(bytes.count - place, 1 + generator.below(generator.below(4) == 0 ? 64 : 4))
        let range = place..<place + length
        switch generator.below(14) {
        case 0 where !range.isEmpty: bytes[place] ^= 1 << UInt8(generator.below(8))
        case 1 where !range.isEmpty: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        case 2: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
        case 3: bytes.removeSubrange(range)
        case 4: bytes.insert(contentsOf: bytes[range], at: place)
        case 5: bytes.removeSubrange(place...)
        case 6, 7: bytes.replaceSubrange(generator.below(2) == 0 ? range : place..<place, with: word(using: &generator))
        case 8: bytes.insert(contentsOf: generator.pick(Self.troublesomeBytes), at: place)
        case 9: replaceNumber(in: &bytes, at: place, using: &generator)
        case 10: nest(&bytes, range, using: &generator)
        case 11: repeatPart(&bytes, range, using: &generator)
        case 12: splice(&bytes, at: place, using: &generator)
        default: swapParts(&bytes, using: &generator)
        }
    }

    private func word(using generator: inout SeededGenerator) -> [UInt8] {
        words.isEmpty ? generator.pick(Self.troublesomeBytes) : generator.pick(words)
    }

    /// Replaces the digits at or after a position with another number; without digits, inserts one.
    private func replaceNumber(in bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        let number = generator.pick(Self.numbers)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let start = bytes[place...].firstIndex(where: isDigit) else {
            bytes.insert(contentsOf: number, at: place)
            return
        }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: number)
    }

    private func nest(_ bytes: inout [UInt8], _ range: Range<Int>, using generator: inout SeededGenerator) {
        let (open, close) = generator.pick(Self.brackets)
        let depth = generator.below(8) == 0 ? 1 + generator.below(2000) : 1 + generator.below(40)
        let inner = Array(bytes[range])
        bytes.replaceSubrange(range, with: [UInt8](repeating: open, count: depth) + inner + [UInt8](repeating: close, count: depth))
    }

    private func repeatPart(_ bytes: inout [UInt8], _ range: Range<Int>, using generator: inout SeededGenerator) {
        let part = Array(bytes[range])
        guard !part.isEmpty else { return }
        let count = 2 + generator.below(generator.below(8) == 0 ? 1024 : 8)
        let room = max(0, maximumLength - bytes.count) / part.count
        bytes.insert(contentsOf: [[UInt8]](repeating: part, count: min(count, room)).joined(), at: range.lowerBound)
    }

    /// Joins the beginning of this input and the end of another.
    private func splice(_ bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        guard !corpus.isEmpty else { return }
        let other = generator.pick(corpus)
        bytes.removeSubrange(place...)
        bytes += other[generator.below(other.count + 1)...]
    }

    /// Swaps two parts, so that members, parameters and lines are in another order.
    private func swapParts(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let cuts = (0..<4).map { _ in generator.below(bytes.count + 1) }.sorted()
        bytes = Array(
            [bytes[..<cuts[0]], bytes[cuts[2]..<cuts[3]], bytes[cuts[1]..<cuts[2]], bytes[cuts[0]..<cuts[1]], bytes[cuts[3]...]].joined())
    }
}
