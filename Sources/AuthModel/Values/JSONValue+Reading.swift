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
        /// The maximum number of values. A value of one byte, such as `1`, takes many times its size in memory.
        public var values: Int

        /// Creates limits. Default: 1 MiB, 32 levels and 100,000 values.
        public init(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 100_000) {
            self.bytes = bytes
            self.depth = depth
            self.values = values
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
        var reader = JSONReader(Array(bytes), limits: limits)
        self = try reader.document { (reader) throws(JSONError) in try reader.value(level: 0) }
    }

    /// Parses one document from text, strictly.
    public init(strict text: String, limits: Limits = .standard) throws(JSONError) {
        try self.init(strict: Array(text.utf8), limits: limits)
    }
}

/// A recursive-descent parser. Its depth is limited, so its stack use is too.
struct JSONReader {
    let bytes: [UInt8]
    let limits: JSONValue.Limits
    /// Whether half a character, an escape of a lone surrogate, is read as U+FFFD.
    let replacesHalves: Bool
    let end: Int
    var index: Int
    private var valueCount = 0

    /// Creates a reader of a part of a text; by default of all.
    init(_ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONValue.Limits, replacesHalves: Bool = false) {
        self.bytes = bytes
        self.limits = limits
        self.replacesHalves = replacesHalves
        (index, end) = (range?.lowerBound ?? 0, range?.upperBound ?? bytes.count)
    }

    /// Runs `body`, which must read up to the end of the text.
    mutating func document<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws(JSONError) -> Result {
        let result = try body(&self)
        skipWhitespace()
        guard index == end else { throw error(.malformed) }
        return result
    }

    func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: index) }

    var current: UInt8? { index < end ? bytes[index] : nil }

    mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    mutating func consume(_ wanted: UInt8) -> Bool {
        guard current == wanted else { return false }
        index += 1
        return true
    }

    mutating func value(level: Int) throws(JSONError) -> JSONValue {
        guard level <= limits.depth else { throw error(.tooDeep) }
        valueCount += 1
        guard valueCount <= limits.values else { throw error(.tooLarge) }
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

    mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let wordEnd = index + text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { wordEnd <= end && bytes[index..<wordEnd].elementsEqual($0) }
        guard matches else { throw error(.malformed) }
        index = wordEnd
        return value
    }

    private mutating func object(level: Int) throws(JSONError) -> JSONValue {
        index += 1
        var members: [JSONValue.Member] = []
        var names: Set<ExactText> = []
        skipWhitespace()
        if consume(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipWhitespace()
            guard current == UInt8(ascii: "\"") else { throw error(.malformed) }
            let name = try string()
            guard names.insert(ExactText(name)).inserted else { throw error(.duplicateMember(name)) }
            skipWhitespace()
            guard consume(UInt8(ascii: ":")) else { throw error(.malformed) }
            members.append(JSONValue.Member(name, try value(level: level + 1)))
            skipWhitespace()
            if consume(UInt8(ascii: "}")) { return .object(members) }
            guard consume(UInt8(ascii: ",")) else { throw error(.malformed) }
        }
    }

    private mutating func array(level: Int) throws(JSONError) -> JSONValue {
        index += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if consume(UInt8(ascii: "]")) { return .array([]) }
        while true {
            elements.append(try value(level: level + 1))
            skipWhitespace()
            if consume(UInt8(ascii: "]")) { return .array(elements) }
            guard consume(UInt8(ascii: ",")) else { throw error(.malformed) }
        }
    }

    mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        func isDigit(_ byte: UInt8?) -> Bool { byte?.isASCIIDigit == true }
        _ = consume(UInt8(ascii: "-"))
        guard isDigit(current) else { throw error(.malformed) }
        if !consume(UInt8(ascii: "0")) { while isDigit(current) { index += 1 } }
        if consume(UInt8(ascii: ".")) {
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

    mutating func string() throws(JSONError) -> String {
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
            let next = index
            if (0xD800..<0xDC00).contains(high), consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) {
                let low = try hexUnit()
                if (0xDC00..<0xE000).contains(low),
                    let scalar = Unicode.Scalar(0x10000 + (UInt32(high - 0xD800) << 10) + UInt32(low - 0xDC00))
                {
                    return scalar
                }
            }
            guard replacesHalves else { throw error(.malformed) }
            index = next
            return "\u{FFFD}"
        default: throw error(.malformed)
        }
    }

    mutating func hexUnit() throws(JSONError) -> UInt16 {
        guard index + 4 <= end else { throw error(.malformed) }
        var value: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = byte.hexadecimalValue else { throw error(.malformed) }
            value = value << 4 | UInt16(digit)
        }
        index += 4
        return value
    }
}
