extension StringProtocol {
    /// Returns whether both texts have the same bytes. Identifiers are compared this way (RFC 7519 section 2, RFC 3986 section 6.2.1),
    /// because Swift's `==` treats canonically equivalent texts as equal, such as the Kelvin sign and K.
    package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Returns the longest prefix of whole scalars with at most `limit` bytes. Limits on text from outside count bytes, because one
    /// `Character` may have any number of them.
    package func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return String(self) }
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// Returns the text with the letters A to Z in lower case, and everything else unchanged. Names from outside that have no case are
    /// compared this way, because `lowercased()` makes other characters ASCII letters too, such as k of the Kelvin sign.
    package func asciiLowercased() -> String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// A text as a key of a dictionary or an element of a set, compared by its bytes.
package struct ExactText: Hashable, Sendable {
    /// The text.
    package let text: String

    /// Creates a key.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
