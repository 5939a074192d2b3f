/// Words that must all occur somewhere, whatever their case.
struct Filter: Hashable, Sendable {
    private let words: [[UInt8]]

    /// The most characters a filter may have.
    static let limit = 100

    init(_ text: String) {
        words = text.split(separator: " ").map { Array($0.lowercased().utf8) }
    }

    private init(words: [[UInt8]]) { self.words = words }

    /// Whether everything fits.
    var isEmpty: Bool { words.isEmpty }

    /// The words that do not occur in `text`.
    func missing(from text: String) -> Filter { Filter(words: words.filter { !Self.occurs($0, in: text) }) }

    /// Whether every word occurs in one of the texts, or in one of `more`.
    func fits(_ texts: String..., more: [String] = []) -> Bool {
        words.isEmpty
            || words.allSatisfy { word in texts.contains { Self.occurs(word, in: $0) } || more.contains { Self.occurs(word, in: $0) } }
    }

    /// Whether `word` occurs in `text`. Plain text is compared where it lies: the list that is filtered may have ten thousand rows.
    private static func occurs(_ word: [UInt8], in text: String) -> Bool {
        let plain = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.contains { $0 >= 0x80 } ? nil : occurs(word, in: bytes)
        }
        return plain.flatMap(\.self) ?? Array(text.lowercased().utf8).withUnsafeBufferPointer { occurs(word, in: $0) }
    }

    private static func occurs(_ word: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= word.count else { return false }
        return (0...(bytes.count - word.count)).contains { start in
            word.indices.allSatisfy { index in
                let byte = bytes[start + index]
                return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == word[index]
            }
        }
    }
}
