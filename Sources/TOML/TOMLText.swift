/// Writes keys and values in TOML syntax.
public enum TOMLText {
    /// Returns a key, quoted only if necessary.
    public static func key(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(isBare) ? text : quoted(text)
    }

    /// Returns a quoted string.
    public static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// Returns an array of strings.
    public static func list(_ texts: [String]) -> String {
        "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }

    /// Returns a value on one line: a table becomes an inline table.
    public static func value(_ value: TOMLValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        case .float(let number): number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .moment(let text): text
        case .array(let elements): "[" + elements.map(Self.value).joined(separator: ", ") + "]"
        case .table(let members) where members.isEmpty: "{}"
        case .table(let members):
            "{ " + members.map { "\(key($0.name)) = \(Self.value($0.value))" }.joined(separator: ", ") + " }"
        }
    }

    /// Returns whether a byte may occur in an unquoted key.
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The source text of an array of strings.
struct TOMLStringArray {
    let bytes: [UInt8]
    /// The ranges of the elements in ``bytes``.
    let elements: [Range<Int>]

    /// Finds the array; `nil` if there is no such key, or if it has another type.
    init?(_ key: String, in table: [String], of text: String) throws(TOMLError) {
        let document = try TOMLDocument(text)
        guard let entry = document.entries.first(where: { $0.place != .header && $0.path.isPath(table + [key]) }),
            case .array(let values)? = document.root[path: entry.path], values.allSatisfy({ if case .string = $0 { true } else { false } })
        else { return nil }
        bytes = Array(Array(text.utf8)[entry.value])
        elements = Self.strings(in: bytes)
    }

    /// Returns the text with one more element after the last one, separated like the last one from the one before it.
    func appending(_ element: String) -> String {
        guard let last = elements.last else {
            let end = bytes.count - 1
            return text(bytes[..<end]) + element + text(bytes[end...])
        }
        let start = elements.count > 1 ? elements[elements.count - 2].upperBound : 1
        let gap = text(bytes[start..<last.lowerBound].drop { $0 == UInt8(ascii: ",") })
        let isPlain = gap.allSatisfy(\.isWhitespace)
        let separator = isPlain && !(elements.count == 1 && gap.isEmpty) ? gap : " "
        return text(bytes[..<last.upperBound]) + "," + separator + element + text(bytes[last.upperBound...])
    }

    /// Returns the text without an element. Comments of other elements stay.
    func removing(_ index: Int) -> String {
        let element = elements[index]
        guard elements.count > 1 else { return text(bytes[..<element.lowerBound]) + text(bytes[element.upperBound...]) }
        let rest: Range<Int> =
            index > 0 ? elements[index - 1].upperBound..<element.upperBound : element.lowerBound..<elements[1].lowerBound
        guard bytes[rest].contains(UInt8(ascii: "#")) else { return text(bytes[..<rest.lowerBound]) + text(bytes[rest.upperBound...]) }
        // Removes the element with the comma that follows it, so that the comma before it may stay.
        var end = element.upperBound
        let next = bytes[end...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if let next, bytes[next] == UInt8(ascii: ",") { end = next + 1 }
        return text(bytes[..<element.lowerBound]) + text(bytes[end...])
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the ranges of the strings in a valid array.
    private static func strings(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "#"): index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let end = end(ofStringAt: index, in: bytes)
                ranges.append(index..<end)
                index = end
            default: index += 1
            }
        }
        return ranges
    }

    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        let quote = bytes[start]
        let isLong = bytes[start...].starts(with: [quote, quote, quote])
        let length = isLong ? 3 : 1
        var index = start + length
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 2
            } else if bytes[index...].starts(with: repeatElement(quote, count: length)) {
                index += length
                // Up to two quotes may stand directly before the end of a long string.
                while isLong, index < bytes.count, bytes[index] == quote { index += 1 }
                return index
            } else {
                index += 1
            }
        }
        return bytes.count
    }
}
