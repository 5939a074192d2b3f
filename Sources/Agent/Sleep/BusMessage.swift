/// A D-Bus message (specification, "Message Protocol"), limited to what the agent sends and receives: method calls with strings, replies,
/// and signals.
struct BusMessage: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case call = 1
        case reply, failure, signal
    }

    /// A header field, with its code.
    enum Field: UInt8, Sendable {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature, descriptorCount

        fileprivate var type: UInt8 {
            switch self {
            case .path: UInt8(ascii: "o")
            case .interface, .member, .errorName, .destination, .sender: UInt8(ascii: "s")
            case .signature: UInt8(ascii: "g")
            case .replySerial, .descriptorCount: UInt8(ascii: "u")
            }
        }
    }

    var kind: Kind
    /// The sender's serial number.
    var serial: UInt32
    /// The text fields.
    var texts: [Field: String] = [:]
    /// The serial number of our message that this one answers.
    var replySerial: UInt32?
    /// The number of attached descriptors.
    var descriptorCount: UInt32 = 0
    /// The encoded values, in the order of the signature.
    var body: [UInt8] = []

    /// Maximum message size in bytes.
    static let limit = 1 << 16

    /// Creates a method call with string arguments.
    static func call(
        _ member: String, of interface: String, at path: String, to destination: String, serial: UInt32, _ arguments: [String] = []
    ) -> BusMessage {
        var body = BusBytes()
        for argument in arguments { body.append(argument) }
        var texts: [Field: String] = [.path: path, .interface: interface, .member: member, .destination: destination]
        if !arguments.isEmpty { texts[.signature] = String(repeating: "s", count: arguments.count) }
        return BusMessage(kind: .call, serial: serial, texts: texts, body: body.bytes)
    }

    /// The strings at the start of the body.
    var strings: [String] {
        var reader = BusReader(body)
        return (texts[.signature] ?? "").prefix { $0 == "s" }.compactMap { _ in try? reader.string() }
    }

    /// Whether the first value is `true`; `nil` if it is not a Boolean.
    var flag: Bool? {
        var reader = BusReader(body)
        guard texts[.signature]?.hasPrefix("b") == true, let value = try? reader.number(), value < 2 else { return nil }
        return value == 1
    }
}

// MARK: Encoding

extension BusMessage {
    /// This machine's byte order as the protocol writes it. All programs on the same bus have the same.
    private static let order = UInt8(ascii: UInt32(1).littleEndian == 1 ? "l" : "B")
    private static let version: UInt8 = 1

    /// The encoded message.
    var bytes: [UInt8] {
        var fields = BusBytes()
        func begin(_ field: Field) {
            fields.align(to: 8)
            fields.bytes += [field.rawValue, 1, field.type, 0]
        }
        for (field, text) in texts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            begin(field)
            if field == .signature { fields.appendSignature(text) } else { fields.append(text) }
        }
        for (field, number) in [(Field.replySerial, replySerial ?? 0), (.descriptorCount, descriptorCount)] where number > 0 {
            begin(field)
            fields.append(number)
        }
        var message = BusBytes()
        message.bytes = [Self.order, kind.rawValue, 0, Self.version]
        message.append(UInt32(body.count))
        message.append(serial)
        message.append(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body
    }

    /// Returns the total length of the message that starts with these bytes; `nil` if more bytes are needed. Throws if the message is not
    /// acceptable.
    static func length(of bytes: ArraySlice<UInt8>) throws(BusReader.Malformed) -> Int? {
        guard bytes.count >= 16 else { return nil }
        var reader = BusReader(Array(bytes.prefix(16)))
        guard try reader.byte() == order else { throw BusReader.Malformed() }
        try reader.skip(to: 4)
        let body = Int(try reader.number())
        try reader.skip(to: 12)
        let fields = Int(try reader.number())
        let length = (16 + fields + 7) & ~7 + body
        guard length <= limit else { throw BusReader.Malformed() }
        return length
    }

    /// Decodes a complete message; `nil` for an unknown message type, which is ignored.
    static func read(_ bytes: ArraySlice<UInt8>) throws(BusReader.Malformed) -> BusMessage? {
        var reader = BusReader(Array(bytes))
        try reader.skip(to: 1)
        let kind = Kind(rawValue: try reader.byte())
        try reader.skip(to: 4)
        let bodyLength = Int(try reader.number())
        let serial = try reader.number()
        let end = 16 + Int(try reader.number())
        guard let kind else { return nil }
        var message = BusMessage(kind: kind, serial: serial)
        while reader.offset < end {
            try reader.align(to: 8)
            let field = Field(rawValue: try reader.byte())
            // The length of the field's signature: always one letter.
            guard try reader.byte() == 1 else { throw BusReader.Malformed() }
            let type = try reader.byte()
            guard try reader.byte() == 0, field == nil || field?.type == type else { throw BusReader.Malformed() }
            switch type {
            case UInt8(ascii: "u"):
                let number = try reader.number()
                if field == .replySerial { message.replySerial = number }
                if field == .descriptorCount { message.descriptorCount = number }
            case UInt8(ascii: "g"):
                let text = try reader.signature()
                if let field { message.texts[field] = text }
            case UInt8(ascii: "o"), UInt8(ascii: "s"):
                let text = try reader.string()
                if let field { message.texts[field] = text }
            default: throw BusReader.Malformed()
            }
        }
        try reader.align(to: 8)
        message.body = try reader.rest(bodyLength)
        return message
    }
}

/// Encodes values, each aligned to its size.
struct BusBytes {
    var bytes: [UInt8] = []

    mutating func align(to size: Int) { while bytes.count % size != 0 { bytes.append(0) } }

    mutating func append(_ number: UInt32) {
        align(to: 4)
        withUnsafeBytes(of: number) { bytes += $0 }
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes += Array(text.utf8) + [0]
    }

    mutating func appendSignature(_ text: String) { bytes += [UInt8(clamping: text.utf8.count)] + Array(text.utf8) + [0] }
}

/// Decodes values, and reads no byte beyond the end.
struct BusReader {
    struct Malformed: Error, Equatable {}

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(to offset: Int) throws(Malformed) {
        guard offset >= self.offset, offset <= bytes.count else { throw Malformed() }
        self.offset = offset
    }

    mutating func align(to size: Int) throws(Malformed) { try skip(to: (offset + size - 1) / size * size) }

    mutating func byte() throws(Malformed) -> UInt8 { try rest(1)[0] }

    mutating func number() throws(Malformed) -> UInt32 {
        try align(to: 4)
        return try rest(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }

    mutating func string() throws(Malformed) -> String { try text(Int(try number())) }

    mutating func signature() throws(Malformed) -> String { try text(Int(try byte())) }

    private mutating func text(_ count: Int) throws(Malformed) -> String {
        guard let text = String(validating: try rest(count), as: UTF8.self), try byte() == 0 else { throw Malformed() }
        return text
    }

    mutating func rest(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, count <= bytes.count - offset else { throw Malformed() }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}
