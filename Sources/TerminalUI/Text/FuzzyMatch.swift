/// A text that contains the letters of a pattern in order, such as `sgout` in `sign out`, ignoring case.
package struct FuzzyMatch: Equatable, Sendable {
    /// The quality of the match: higher for letters in a row, and at the beginnings of words.
    package let score: Int
    /// The indices of the matched characters, in order.
    package let positions: [Int]

    /// Finds each word of a pattern in a text; `nil` if one is not in it.
    package init?(_ pattern: String, in text: String) {
        let characters = text.map { Character($0.lowercased().prefix(1).description) }
        var score = 0
        var positions: Set<Int> = []
        for word in pattern.lowercased().split(separator: " ") {
            let word = Array(word)
            guard let found = Self.inARow(word, in: characters) ?? Self.scattered(word, in: characters) else { return nil }
            score += Self.score(found, in: characters)
            positions.formUnion(found)
        }
        self.score = score
        self.positions = positions.sorted()
    }

    /// Returns whether the ASCII letters of a text contain those of a pattern in order. Fast, for long lists; ``init(_:in:)`` decides.
    package static func mayMatch(_ pattern: [UInt8], _ text: String) -> Bool {
        var rest = pattern[...]
        for byte in text.utf8 {
            guard let next = rest.first else { return true }
            if byte >= 0x80 || ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == next { rest = rest.dropFirst() }
        }
        return rest.isEmpty
    }

    /// Returns the word where it stands as a whole, at the beginning of a word if possible.
    private static func inARow(_ word: [Character], in text: [Character]) -> [Int]? {
        guard !word.isEmpty, text.count >= word.count else { return nil }
        let starts = (0...(text.count - word.count)).filter { text[$0..<$0 + word.count].elementsEqual(word) }
        return (starts.first { isBeginning($0, in: text) } ?? starts.first).map { Array($0..<$0 + word.count) }
    }

    /// Returns the letters of the word in order, in the shortest part of the text that ends where the first such part ends.
    private static func scattered(_ word: [Character], in text: [Character]) -> [Int]? {
        var left = word[...]
        guard
            let last = text.indices.first(where: { index in
                if left.first == text[index] { left = left.dropFirst() }
                return left.isEmpty
            })
        else { return nil }
        var found: [Int] = []
        var rest = word[...]
        for index in (0...last).reversed() where rest.last == text[index] {
            rest = rest.dropLast()
            found.append(index)
        }
        return found.reversed()
    }

    private static func score(_ found: [Int], in text: [Character]) -> Int {
        zip(found, [nil] + found.map(Optional.some)).reduce(0) { score, pair in
            let (index, former) = pair
            let isNext = former.map { index == $0 + 1 } ?? false
            return score + (isNext ? 8 : 0) + (isBeginning(index, in: text) ? 6 : 0)
                - (former.map { min(4, index - $0 - 1) } ?? min(4, index))
        }
    }

    private static func isBeginning(_ index: Int, in text: [Character]) -> Bool {
        index == 0 || !(text[index - 1].isLetter || text[index - 1].isNumber)
    }
}
