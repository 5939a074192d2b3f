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

    /// Returns the text with a mark before each special scalar. Text for another program is escaped this way, because a `Character` is a
    /// quote together with the accents after it, and that program sees a quote.
    package func escaped(with mark: Unicode.Scalar = "\\", where isSpecial: (Unicode.Scalar) -> Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isSpecial(scalar) { result.append(mark) }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns the text as it is written between single quotes for a POSIX shell.
    package var escapedForSingleQuotes: String {
        let parts = utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "'\\''")
    }

    /// Returns the text with the letters A to Z in lower case, and everything else unchanged. Names from outside that have no case are
    /// compared this way, because `lowercased()` makes other characters ASCII letters too, such as k of the Kelvin sign.
    package func asciiLowercased() -> String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// Classes of ASCII characters. The properties of `Character` include those of other scripts.
extension UInt8 {
    /// Whether the byte is one of 0 to 9.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is one of A to Z and a to z.
    package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether the byte is a letter or a digit.
    package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// The value of a hexadecimal digit in upper or lower case; `nil` for other bytes.
    package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - 0x30 }
        return (0x61...0x66).contains(self | 0x20) ? (self | 0x20) - 0x61 + 10 : nil
    }
}

extension StringProtocol {
    /// Whether the text is a UUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    package var isUUID: Bool {
        let groups = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy { $0.hexadecimalValue != nil } }
    }
}

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
    package var hexadecimal: String { String(decoding: hexadecimalDigits, as: UTF8.self) }

    /// ``hexadecimal`` as ASCII bytes, which can be erased.
    package var hexadecimalDigits: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}

extension Array<UInt8> {
    /// Returns unguessable bytes from the system's generator.
    package static func random(count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

/// A text as a key of a dictionary or an element of a set, compared by its bytes.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Quotes text as one shell word, so that a command in a hint can be pasted into bash, zsh, fish or a POSIX shell.
///
/// Plain words stay unchanged. Other words are put in single quotes, where no shell expands anything. Quotes and backslashes are placed
/// outside them, because fish interprets them inside. Control characters become `$'\x0a'`, because only bash and zsh can write them on one
/// line.
public struct ShellWord: Sendable, CustomStringConvertible {
    /// The quoted word, on one line.
    public let text: String

    /// Quotes the description of a value.
    public init(_ value: some CustomStringConvertible) {
        let value = value.description
        let isPlain = value.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+,:@%=".utf8.contains($0) }
        // zsh expands a word that starts with =, and older versions of fish expand one that starts with %.
        if isPlain, let first = value.first, first != "=", first != "%" {
            text = value
            return
        }
        var word = ""
        var isQuoted = false
        func quote(_ wanted: Bool) {
            if isQuoted != wanted { word += "'" }
            isQuoted = wanted
        }
        for scalar in value.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                quote(false)
                word += "$'" + String(scalar).utf8.map { "\\x" + [$0].hexadecimal }.joined() + "'"
            default:
                quote(scalar != "'" && scalar != "\\")
                if !isQuoted { word += "\\" }
                word.unicodeScalars.append(scalar)
            }
        }
        quote(false)
        text = word.isEmpty ? "''" : word
    }

    /// The quoted word, on one line.
    public var description: String { text }
}

extension Collection<String> {
    /// Returns the element that is most similar to `text`, for hints.
    ///
    /// - Parameter limit: how many letters may differ; `nil` for a third of them.
    public func nearest(to text: String, within limit: Int? = nil) -> String? {
        let ranked = map { ($0, edits(from: $0, to: text)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (word, count) = ranked, count <= limit ?? Swift.max(1, text.count / 3) else { return nil }
        return word
    }
}

/// Returns the number of letters to add, remove or replace (Levenshtein distance).
private func edits(from left: String, to right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let above = row[column + 1]
            row[column + 1] = Swift.min(above + 1, row[column] + 1, diagonal + (letter == right[column] ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}
