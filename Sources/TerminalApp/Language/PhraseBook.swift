/// What the engine says, in another language.
///
/// The engine speaks English to everybody: to programs, logs, other versions of itself. So its texts are recognised where they are shown,
/// by the templates that they were made from: "the answer of example.org cannot be inflated" is "the answer of {1} cannot be inflated".
/// What no template fits stays as it is.
struct PhraseBook: Sendable {
    /// Whole texts, without a gap.
    private let whole: [String: String]
    /// Templates that begin with the same byte. At zero those that begin with a gap.
    private let templates: [UInt8: [Template]]

    /// The most bytes of a text that is looked at. What is longer holds somebody else's words.
    private static let longest = 1_000
    /// How many parts of a text are looked at before it is left as it is: a text may be made to fit many templates.
    private static let mostParts = 200

    init(_ catalog: Catalog) {
        let (gapped, whole) = catalog.texts.reduce(into: ([Template](), [String: String]())) { parts, entry in
            if let template = Template(entry.key, translation: entry.value) {
                parts.0.append(template)
            } else {
                parts.1[entry.key] = entry.value
            }
        }
        self.whole = whole
        templates = Dictionary(grouping: gapped) { $0.pieces[0].first ?? 0 }
            .mapValues { $0.sorted { ($1.weight, $0.text) < ($0.weight, $1.text) } }
    }

    /// The text in the other language, as far as it is known there.
    func translation(of text: String) -> String {
        guard text.utf8.count <= Self.longest else { return text }
        var reader = Reader(book: self)
        return reader.reading(of: text)?.text ?? text
    }

    /// What a text, or a part of it, was taken for.
    private struct Reading {
        let text: String
        /// How many bytes of it nobody knows: names, addresses, and words of others.
        let unknown: Int
    }

    /// Reads one text.
    private struct Reader {
        let book: PhraseBook
        private var parts = 0

        init(book: PhraseBook) { self.book = book }

        /// The reading that leaves the least unknown; `nil` where nothing is known.
        mutating func reading(of text: String) -> Reading? {
            if let translation = book.whole[text] { return Reading(text: translation, unknown: 0) }
            parts += 1
            guard parts <= PhraseBook.mostParts, !text.isEmpty else { return nil }
            let bytes = Array(text.utf8)
            var best: Reading?
            func consider(_ reading: Reading) { if reading.unknown < best?.unknown ?? bytes.count { best = reading } }
            for template in (book.templates[bytes[0]] ?? []) + (book.templates[0] ?? []) {
                for gaps in template.gaps(in: bytes) {
                    let readings = gaps.map { surely($0) }
                    let isSure = template.isTelling || zip(readings, gaps).contains { $0.unknown < $1.utf8.count }
                    guard isSure else { continue }
                    consider(Reading(text: template.filled(readings.map(\.text)), unknown: readings.reduce(0) { $0 + $1.unknown }))
                }
            }
            for (first, mark, second) in Self.halves(of: text) {
                let readings = [surely(first), surely(second)]
                consider(Reading(text: readings[0].text + mark + readings[1].text, unknown: readings.reduce(0) { $0 + $1.unknown }))
            }
            return best
        }

        private mutating func surely(_ text: String) -> Reading { reading(of: text) ?? Reading(text: text, unknown: text.utf8.count) }

        /// Two texts that stand one after the other: a mark joins them, or belongs to one of them.
        private static func halves(of text: String) -> [(first: String, mark: String, second: String)] {
            [": ", "; "].flatMap { mark -> [(String, String, String)] in
                guard let place = text.firstRange(of: mark) else { return [] }
                let (first, second) = (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
                return [(first, mark, second), (first + mark, "", second), (first, "", mark + second)]
            }
        }
    }
}

extension PhraseBook {
    /// A text with gaps, `{1}` to `{9}` in their order, and its translation, which may have them in another one.
    struct Template: Sendable {
        let text: String
        /// What stands before, between and behind the gaps.
        let pieces: [[UInt8]]
        private let translation: String
        /// How many bytes of its own it has: the more, the more surely a text that fits was made from it.
        let weight: Int

        /// Whether a text that fits was made from it, as good as surely: it has enough letters, or begins with a blank, as what stands
        /// behind something else does. Of others, what fills one of the gaps must be known as well.
        var isTelling: Bool { weight > 6 || pieces[0].first == UInt8(ascii: " ") }

        /// `nil` for a text without gaps, and for one that is nothing but gaps and would fit everything.
        init?(_ text: String, translation: String) {
            let pieces = text.split(separator: /\{[1-9]\}/, omittingEmptySubsequences: false)
            let weight = pieces.reduce(0) { $0 + $1.count { $0.isLetter } }
            guard pieces.count > 1, weight > 0 else { return nil }
            self.text = text
            self.pieces = pieces.map { Array($0.utf8) }
            self.translation = translation
            self.weight = weight
        }

        /// What may fill the gaps of a text that was made from this; nothing for any other. Where two gaps touch, the second one is empty
        /// or begins with any blank.
        func gaps(in text: [UInt8]) -> [[String]] {
            guard text.starts(with: pieces[0]), let end = pieces.last else { return [] }
            var from = pieces[0].count
            let until = text.count - end.count
            guard from <= until, text[until...].elementsEqual(end) else { return [] }
            var found: [[String]] = [[]]
            var touches = false
            for (index, piece) in pieces.enumerated().dropFirst() {
                if piece.isEmpty, index < pieces.count - 1 {
                    touches = true
                    continue
                }
                guard let place = index == pieces.count - 1 ? until : Self.place(of: piece, in: text[from..<until]) else { return [] }
                let gap = String(decoding: text[from..<place], as: UTF8.self)
                let choices = touches ? Self.partings(of: gap) : [[gap]]
                found = found.flatMap { gaps in choices.map { gaps + $0 } }
                touches = false
                from = place + piece.count
            }
            return found
        }

        private static func place(of piece: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
            text.indices.first { text[$0] == piece[0] && text[$0...].starts(with: piece) }
        }

        private static func partings(of text: String) -> [[String]] {
            (text.indices.filter { text[$0] == " " } + [text.endIndex]).map { [String(text[..<$0]), String(text[$0...])] }
        }

        /// The translation with the gaps filled.
        func filled(_ gaps: [String]) -> String { fill(translation, gaps) }
    }
}

/// What the engine says, in the language being spoken.
func told(_ text: String) -> String { Language.current.phraseBook?.translation(of: text) ?? text }
