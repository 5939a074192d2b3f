/// A JSON text that is checked once, and whose parts are read where they are needed: the rest takes no memory but its own bytes.
///
/// Of members that are read by name, each may occur once; those that are not read may occur as often as they like.
package struct JSONText: Sendable {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let depth: Int

    /// Checks the syntax of a text (RFC 8259). Throws also for invalid UTF-8, and for nesting beyond `depth`. Accepts escapes of lone
    /// surrogates, which programs write that cut a text between the halves of a character.
    package init(strict bytes: [UInt8], depth: Int) throws(JSONError) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw JSONError(kind: .notUTF8, offset: 0) }
        self.init(bytes, 0..<bytes.count, depth)
        var reader = reader()
        try reader.document { (reader) throws(JSONError) in try reader.skipValue(level: 0) }
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>, _ depth: Int) {
        (self.bytes, self.range, self.depth) = (bytes, range, depth)
    }

    private func reader() -> JSONReader {
        JSONReader(bytes, in: range, limits: JSONValue.Limits(depth: depth), replacesHalves: true)
    }

    private var first: UInt8? {
        var reader = reader()
        reader.skipWhitespace()
        return reader.current
    }

    package var isObject: Bool { first == UInt8(ascii: "{") }
    package var isArray: Bool { first == UInt8(ascii: "[") }

    /// The value; `nil` if it is larger than ``JSONValue/Limits/standard`` or has a member twice.
    package var value: JSONValue? {
        guard range.count <= JSONValue.Limits.standard.bytes else { return nil }
        var reader = reader()
        return try? reader.document { (reader) throws(JSONError) in try reader.value(level: 0) }
    }

    /// The value of a string; `nil` for other types.
    package var string: String? { first == UInt8(ascii: "\"") ? value?.string : nil }

    /// Returns the value of a member; `nil` if there is none or more than one.
    package subscript(_ name: String) -> JSONText? { (try? members([name]))?.first ?? nil }

    /// Returns the values of members in the order of their names; `nil` for a member that is absent. Throws if one of them occurs twice.
    package func members(_ names: [String]) throws(JSONError) -> [JSONText?] {
        var found = [JSONText?](repeating: nil, count: names.count)
        var reader = reader()
        guard isObject else { return found }
        try reader.skipList { (reader, name) throws(JSONError) in
            let start = reader.index
            try reader.skipValue(level: 0)
            guard let name, let position = names.firstIndex(where: { name.names($0, in: bytes) }) else { return }
            guard found[position] == nil else { throw JSONError(kind: .duplicateMember(names[position]), offset: start) }
            found[position] = JSONText(bytes, start..<reader.index, depth)
        }
        return found
    }

    /// The elements of an array; `nil` for other types, and if there are more than `limit`.
    package func elements(limit: Int) -> [JSONText]? {
        guard isArray else { return nil }
        var found: [JSONText] = []
        var reader = reader()
        let result: Void? = try? reader.skipList { (reader, _) throws(JSONError) in
            guard found.count < limit else { throw reader.error(.tooLarge) }
            let start = reader.index
            try reader.skipValue(level: 0)
            found.append(JSONText(bytes, start..<reader.index, depth))
        }
        return result == nil ? nil : found
    }

    package var text: [UInt8] { Array(bytes[range]) }

    /// Returns the bytes of the text without some elements of an array in it; all others stay as they are. Changes nothing if the array has
    /// more than `limit` elements.
    ///
    /// - Parameter list: an array that was read from this text.
    package func keeping(elementsOf list: JSONText, limit: Int, where isKept: (JSONText) -> Bool) -> [UInt8] {
        guard let elements = list.elements(limit: limit) else { return text }
        let kept = elements.filter(isKept).map(\.text).joined(separator: [UInt8(ascii: ",")])
        let (before, after) = (bytes[range.lowerBound..<list.range.lowerBound], bytes[list.range.upperBound..<range.upperBound])
        return before + [UInt8(ascii: "[")] + kept + [UInt8(ascii: "]")] + after
    }

    /// Returns the bytes of the text with other values of members of an object in it, or without these members; the others keep their bytes
    /// and their order.
    ///
    /// - Parameters:
    ///   - object: an object that was read from this text.
    ///   - values: the new values by name; `nil` for a member to remove. A member that the object does not have is added at its end.
    package func setting(_ values: [(name: String, value: [UInt8]?)], in object: JSONText) -> [UInt8] {
        var parts: [[UInt8]] = []
        var reader = object.reader()
        // The syntax was checked when the text was read.
        try? reader.skipList { (reader, name) throws(JSONError) in
            let start = reader.index
            try reader.skipValue(level: 0)
            guard let name, !values.contains(where: { name.names($0.name, in: bytes) }) else { return }
            parts.append(bytes[name] + [UInt8(ascii: ":")] + bytes[start..<reader.index])
        }
        parts += values.compactMap { name, value in value.map { Array("\(JSONValue.string(name).text):".utf8) + $0 } }
        let (before, after) = (bytes[range.lowerBound..<object.range.lowerBound], bytes[object.range.upperBound..<range.upperBound])
        return before + [UInt8(ascii: "{")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")] + after
    }
}

extension Range<Int> {
    /// Whether the string with its quotes at this place is `name`.
    fileprivate func names(_ name: String, in bytes: [UInt8]) -> Bool {
        let content = bytes[(lowerBound + 1)..<(upperBound - 1)]
        guard content.contains(UInt8(ascii: "\\")) else { return content.elementsEqual(name.utf8) }
        // Each character of a name has an escape of at most six bytes for each of its bytes.
        guard content.count <= 6 * name.utf8.count else { return false }
        var reader = JSONReader(bytes, in: self, limits: .standard, replacesHalves: true)
        return (try? reader.string())?.hasSameBytes(as: name) ?? false
    }
}

// MARK: - Skipping

extension JSONReader {
    /// Reads past a value, and keeps nothing of it.
    mutating func skipValue(level: Int) throws(JSONError) {
        guard level <= limits.depth else { throw error(.tooDeep) }
        skipWhitespace()
        switch current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try skipList { (reader, _) throws(JSONError) in try reader.skipValue(level: level + 1) }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): _ = try word("true", .null)
        case UInt8(ascii: "f"): _ = try word("false", .null)
        case UInt8(ascii: "n"): _ = try word("null", .null)
        default: _ = try number()
        }
    }

    /// Reads past an object or an array.
    ///
    /// - Parameter each: reads past one value; gets the place of its name in an object.
    mutating func skipList(_ each: (inout JSONReader, _ name: Range<Int>?) throws(JSONError) -> Void) throws(JSONError) {
        skipWhitespace()
        let isObject = current == UInt8(ascii: "{")
        let close = UInt8(ascii: isObject ? "}" : "]")
        index += 1
        skipWhitespace()
        if consume(close) { return }
        while true {
            var name: Range<Int>?
            if isObject {
                skipWhitespace()
                let start = index
                guard current == UInt8(ascii: "\"") else { throw error(.malformed) }
                try skipString()
                name = start..<index
                skipWhitespace()
                guard consume(UInt8(ascii: ":")) else { throw error(.malformed) }
            }
            try each(&self, name)
            skipWhitespace()
            if consume(close) { return }
            guard consume(UInt8(ascii: ",")) else { throw error(.malformed) }
        }
    }

    private mutating func skipString() throws(JSONError) {
        index += 1
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"):
                guard let escaped = current, "\"\\/bfnrtu".utf8.contains(escaped) else { throw error(.malformed) }
                index += 1
                if escaped == UInt8(ascii: "u") { _ = try hexUnit() }
            case 0..<0x20: throw error(.malformed)
            default: break
            }
        }
        throw error(.malformed)
    }
}

/// The place of a value in a JSON document: names of members and indexes of elements, separated by dots, such as `data.0.id`.
public struct MemberPath: Hashable, Sendable {
    /// The path as it was written.
    public let text: String
    private let segments: [String]

    /// Parses a path of at most 16 segments; returns `nil` if a segment is empty or too long.
    public init?(_ text: String) {
        let segments = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...16).contains(segments.count), segments.allSatisfy({ (1...100).contains($0.utf8.count) }) else { return nil }
        self.text = text
        self.segments = segments
    }

    /// Returns the value at this path; `nil` if there is none, or if it is null.
    public func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for segment in segments {
            if let elements = value.array {
                guard let index = Int(segment), elements.indices.contains(index) else { return nil }
                value = elements[index]
            } else {
                guard let member = value[segment] else { return nil }
                value = member
            }
        }
        return value == .null ? nil : value
    }

    /// Returns the value at this path as text; a whole number is text, too. `nil` if the value is missing, empty or of another type.
    public func string(in document: JSONValue) -> String? {
        guard let value = value(in: document) else { return nil }
        let text = value.string ?? value.integer.map { String($0) }
        return text?.isEmpty == true ? nil : text
    }
}

extension MemberPath: CustomStringConvertible {
    /// The path as it was written.
    public var description: String { text }
}
