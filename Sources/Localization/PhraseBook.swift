/// The engine's texts in another language.
///
/// The engine always writes English, because programs, logs and other versions of it read its texts. So the app recognises a text by its
/// template when it shows it: "cannot find example.org" is made from "cannot find {1}". A text
/// without a matching template stays unchanged.
package struct PhraseBook: Sendable {
    /// Texts without placeholders.
    private let whole: [String: String]
    /// Templates by their first byte; templates that start with a placeholder are at zero.
    private let templates: [UInt8: [Template]]

    /// The maximum length in bytes of a text to translate. Longer texts contain text from other sources.
    private static let maximumBytes = 1_000
    /// The maximum number of parts to examine in one text, because a text can be crafted to match many templates.
    private static let maximumParts = 200

    /// Indexes a catalogue.
    package init(_ catalog: Catalog) {
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

    /// Returns the translated text; parts without a translation stay unchanged.
    package func translation(of text: String) -> String {
        guard text.utf8.count <= Self.maximumBytes else { return text }
        var reader = Reader(book: self)
        return reader.reading(of: text)?.text ?? text
    }

    /// A translation of a text, or of a part of it.
    private struct Reading {
        let text: String
        /// The number of bytes without a translation: names, URLs, and text from other sources.
        let unknown: Int
    }

    /// Translates one text.
    private struct Reader {
        let book: PhraseBook
        private var parts = 0

        init(book: PhraseBook) { self.book = book }

        /// Returns the translation with the fewest unknown bytes; nil if no part is known.
        mutating func reading(of text: String) -> Reading? {
            if let translation = book.whole[text] { return Reading(text: translation, unknown: 0) }
            parts += 1
            guard parts <= PhraseBook.maximumParts, !text.isEmpty else { return nil }
            let bytes = Array(text.utf8)
            var best: Reading?
            func consider(_ reading: Reading) { if reading.unknown < best?.unknown ?? bytes.count { best = reading } }
            for template in (book.templates[bytes[0]] ?? []) + (book.templates[0] ?? []) {
                for gaps in template.gaps(in: bytes) {
                    let readings = gaps.map { readingOrUnchanged($0) }
                    let isSure = template.isReliable || zip(readings, gaps).contains { $0.unknown < $1.utf8.count }
                    guard isSure else { continue }
                    consider(Reading(text: template.filled(readings.map(\.text)), unknown: readings.reduce(0) { $0 + $1.unknown }))
                }
            }
            for (first, mark, second) in Self.halves(of: text) {
                let readings = [readingOrUnchanged(first), readingOrUnchanged(second)]
                consider(Reading(text: readings[0].text + mark + readings[1].text, unknown: readings.reduce(0) { $0 + $1.unknown }))
            }
            return best
        }

        private mutating func readingOrUnchanged(_ text: String) -> Reading {
            reading(of: text) ?? Reading(text: text, unknown: text.utf8.count)
        }

        /// Splits a text into two texts: a mark joins them, or belongs to one of them.
        private static func halves(of text: String) -> [(first: String, mark: String, second: String)] {
            [": ", "; "].flatMap { mark -> [(String, String, String)] in
                guard let place = text.firstRange(of: mark) else { return [] }
                let (first, second) = (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
                return [(first, mark, second), (first + mark, "", second), (first, "", mark + second)]
            }
        }
    }
}
