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
