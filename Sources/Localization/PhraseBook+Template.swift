extension PhraseBook {
    /// A text with placeholders, `{1}` to `{9}` in ascending order, and its translation, which may have them in another order.
    struct Template: Sendable {
        let text: String
        /// The literal parts before, between and after the placeholders.
        let pieces: [[UInt8]]
        private let translation: String
        /// The number of letters outside placeholders: the more, the more reliable a match.
        let weight: Int

        /// Whether a match is reliable by itself: the template has enough letters, or starts with a space, as a text after another one
        /// does. For other templates, the text in one of the placeholders must be known too.
        var isReliable: Bool { weight > 6 || pieces[0].first == UInt8(ascii: " ") }

        /// Creates a template; nil for a text without placeholders, and for one of placeholders only, which would match every text.
        init?(_ text: String, translation: String) {
            let pieces = text.split(separator: /\{[1-9]\}/, omittingEmptySubsequences: false)
            let weight = pieces.reduce(0) { $0 + $1.count { $0.isLetter } }
            guard pieces.count > 1, weight > 0 else { return nil }
            self.text = text
            self.pieces = pieces.map { Array($0.utf8) }
            self.translation = translation
            self.weight = weight
        }

        /// Returns the possible contents of the placeholders if the text matches; otherwise an empty list. If two placeholders are
        /// adjacent, the second one is empty or starts with a space.
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
                let choices = touches ? Self.splits(of: gap) : [[gap]]
                found = found.flatMap { gaps in choices.map { gaps + $0 } }
                touches = false
                from = place + piece.count
            }
            return found
        }

        private static func place(of piece: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
            text.indices.first { text[$0] == piece[0] && text[$0...].starts(with: piece) }
        }

        private static func splits(of text: String) -> [[String]] {
            (text.indices.filter { text[$0] == " " } + [text.endIndex]).map { [String(text[..<$0]), String(text[$0...])] }
        }

        /// Returns the translation with the placeholders replaced.
        func filled(_ gaps: [String]) -> String { fill(translation, gaps) }
    }
}
