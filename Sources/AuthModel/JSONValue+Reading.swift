/// The reason why a text was refused as JSON.
public struct JSONError: Error, Equatable, Sendable {
    /// The class of the error.
    public enum Kind: Equatable, Sendable {
        case tooLarge
        case tooDeep
        case notUTF8
        case duplicateMember(String)
        case malformed
    }

    /// The class of the error.
    public var kind: Kind
    /// The byte offset, from 0, at which reading stopped.
    public var offset: Int
}

extension JSONValue {
    /// The limits on a JSON document.
    public struct Limits: Equatable, Sendable {
        /// The maximum size of the text, in bytes.
        public var bytes: Int
        /// The maximum nesting of arrays and objects.
        public var depth: Int

        /// Creates limits. Default: 1 MiB and 32 levels.
        public init(bytes: Int = 1 << 20, depth: Int = 32) {
            self.bytes = bytes
            self.depth = depth
        }

        /// The default limits.
        public static let standard = Limits()
    }

    /// Parses one document strictly (RFC 8259).
    ///
    /// Refuses duplicate member names, invalid UTF-8, lone surrogates, a byte order mark, anything after the document, and nesting or size
    /// beyond `limits`.
    public init(strict bytes: some Collection<UInt8>, limits: Limits = .standard) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError(kind: .tooLarge, offset: limits.bytes) }
        var reader = JSONReader(bytes: Array(bytes), depth: limits.depth)
        self = try reader.document()
    }

    /// Parses one document from text, strictly.
    public init(strict text: String, limits: Limits = .standard) throws(JSONError) {
        try self.init(strict: Array(text.utf8), limits: limits)
    }
}

/// A recursive-descent parser. Its depth is limited, so its stack use is too.
private struct JSONReader {
    let bytes: [UInt8]
    let depth: Int
    var index = 0

    init(bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(level: 0)
        skipWhitespace()
        guard index == bytes.count else { throw error(.malformed) }
        return value
    }

    private func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: index) }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ wanted: UInt8) -> Bool {
        guard current == wanted else { return false }
        index += 1
        return true
    }

    private mutating func value(level: Int) throws(JSONError) -> JSONValue {
        guard level <= depth else { throw error(.tooDeep) }
        skipWhitespace()
        switch current {
        case UInt8(ascii: "{"): return try object(level: level)
        case UInt8(ascii: "["): return try array(level: level)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = index + text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { end <= bytes.count && bytes[index..<end].elementsEqual($0) }
        guard matches else { throw error(.malformed) }
        index = end
        return value
    }

    private mutating func object(level: Int) throws(JSONError) -> JSONValue {
        index += 1
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipWhitespace()
            guard current == UInt8(ascii: "\"") else { throw error(.malformed) }
            let name = try string()
            guard names.insert(name).inserted else { throw error(.duplicateMember(name)) }
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw error(.malformed) }
            members.append(JSONValue.Member(name, try value(level: level + 1)))
            skipWhitespace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw error(.malformed) }
        }
    }

    private mutating func array(level: Int) throws(JSONError) -> JSONValue {
        index += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            elements.append(try value(level: level + 1))
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw error(.malformed) }
        }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        _ = take(UInt8(ascii: "-"))
        guard isDigit(current) else { throw error(.malformed) }
        if !take(UInt8(ascii: "0")) { while isDigit(current) { index += 1 } }
        if take(UInt8(ascii: ".")) {
            guard isDigit(current) else { throw error(.malformed) }
            while isDigit(current) { index += 1 }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            guard isDigit(current) else { throw error(.malformed) }
            while isDigit(current) { index += 1 }
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        var units: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                guard let text = String(validating: units, as: UTF8.self) else { throw error(.notUTF8) }
                return text
            case UInt8(ascii: "\\"):
                index += 1
                units += Array(String(try escape()).utf8)
            case 0..<0x20: throw error(.malformed)
            default:
                units.append(byte)
                index += 1
            }
        }
        throw error(.malformed)
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = current else { throw error(.malformed) }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let high = try hexUnit()
            if let scalar = Unicode.Scalar(high) { return scalar }
            guard (0xD800..<0xDC00).contains(high), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error(.malformed) }
            let low = try hexUnit()
            guard (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(high - 0xD800) << 10) + UInt32(low - 0xDC00))
            else { throw error(.malformed) }
            return scalar
        default: throw error(.malformed)
        }
    }

    private mutating func hexUnit() throws(JSONError) -> UInt16 {
        guard index + 4 <= bytes.count else { throw error(.malformed) }
        var value: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { throw error(.malformed) }
            value = value << 4 | UInt16(digit)
        }
        index += 4
        return value
    }
}
