/// A filter by words: a text matches if it contains every word, ignoring case.
package struct Filter: Hashable, Sendable {
    private let words: [[UInt8]]

    /// The maximum number of characters in a filter.
    package static let limit = 100

    /// Creates a filter of the words of a text.
    package init(_ text: String) {
        words = text.split(separator: " ").map { Array($0.lowercased().utf8) }
    }

    private init(words: [[UInt8]]) { self.words = words }

    /// Whether the filter matches every text.
    package var isEmpty: Bool { words.isEmpty }

    /// Returns a filter of the words that `text` does not contain.
    package func missing(from text: String) -> Filter { Filter(words: words.filter { !Self.occurs($0, in: text) }) }

    /// Returns whether each word occurs in at least one of the texts.
    package func fits(_ texts: String..., more: [String] = []) -> Bool {
        words.isEmpty
            || words.allSatisfy { word in texts.contains { Self.occurs(word, in: $0) } || more.contains { Self.occurs(word, in: $0) } }
    }

    /// Returns whether `word` occurs in `text`. ASCII text is compared in place, because a filtered list may have ten thousand rows.
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
