/// Makes inputs out of kept ones: by small damage, by splicing, and by what readers commonly trip over.
package struct Mutator: Sendable {
    /// What is mutated and spliced.
    let corpus: [[UInt8]]
    /// Words of the grammar.
    let words: [[UInt8]]

    /// Longer inputs are cut.
    let maximumLength: Int

    /// What is enough for most: the readers' own limits are in the corpus, and short inputs find more in the same time.
    package static let usualLength = 8192

    /// - Parameters:
    ///   - corpus: what is spliced into inputs; may be empty.
    ///   - words: words of the grammar; without any, bytes that break readers are used.
    package init(corpus: [[UInt8]], words: [[UInt8]], maximumLength: Int = usualLength) {
        self.corpus = corpus
        self.words = words
        self.maximumLength = maximumLength
    }

    /// Bytes that break a reader more often than others: ends, escapes, controls, and pieces of UTF-8.
    private static let nasty: [[UInt8]] = [
        [0x00], [0x0A], [0x0D, 0x0A], [0x1B], [0x20], [0x22], [0x5C], [0x7F], [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0xA9],
        [0xED, 0xA0, 0x80],
        [0xEF, 0xBB, 0xBF], [0xF0, 0x9F, 0x98, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x80, 0xAE], [0x65, 0xCC, 0x81],
        Array("%00".utf8), Array("%".utf8), Array("%zz".utf8), Array("\\u0000".utf8), Array("\\uD800".utf8), Array("\\uD83D\\uDE00".utf8),
    ]

    /// Numbers at the edges of what numbers are kept in.
    private static let numbers: [[UInt8]] = [
        "0", "-0", "-1", "1e3", "1.5", "127", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967296", "8999999999999999",
        "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1e308", "1e309",
        "-1e309", "1e-400", "1E+99999999999999999999", "00", "0x10", "253402300800", "99999999999999999999999999999999999999",
    ].map { Array($0.utf8) }

    private static let brackets: [(UInt8, UInt8)] = [
        (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "\""), UInt8(ascii: "\"")),
        (UInt8(ascii: "("), UInt8(ascii: ")")),
    ]

    /// One of the corpus, changed up to eight times; unchanged at times.
    func input(using generator: inout SeededGenerator) -> [UInt8] {
        changed(corpus.isEmpty ? [] : generator.pick(corpus), using: &generator)
    }

    /// `bytes`, changed up to eight times.
    package func changed(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        // Mostly one change, so that what is nearly right is tried most.
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
        case 8: bytes.insert(contentsOf: generator.pick(Self.nasty), at: place)
        case 9: replaceNumber(in: &bytes, at: place, using: &generator)
        case 10: nest(&bytes, range, using: &generator)
        case 11: repeatPart(&bytes, range, using: &generator)
        case 12: splice(&bytes, at: place, using: &generator)
        default: swapParts(&bytes, using: &generator)
        }
    }

    private func word(using generator: inout SeededGenerator) -> [UInt8] {
        words.isEmpty ? generator.pick(Self.nasty) : generator.pick(words)
    }

    /// The digits at or behind a place become another number; without digits, one is put there.
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

    /// The beginning of this one and the end of another.
    private func splice(_ bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        guard !corpus.isEmpty else { return }
        let other = generator.pick(corpus)
        bytes.removeSubrange(place...)
        bytes += other[generator.below(other.count + 1)...]
    }

    /// Two parts change places: members, parameters and lines come in another order.
    private func swapParts(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let cuts = (0..<4).map { _ in generator.below(bytes.count + 1) }.sorted()
        bytes = Array(
            [bytes[..<cuts[0]], bytes[cuts[2]..<cuts[3]], bytes[cuts[1]..<cuts[2]], bytes[cuts[0]..<cuts[1]], bytes[cuts[3]...]].joined())
    }
}
