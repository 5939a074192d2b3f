/// The part of CBOR (RFC 8949) that CTAP 2 uses. Maps keep their order, which is canonical if the writer writes it so.
enum CBOR: Equatable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Entry])
    case bool(Bool)

    struct Entry: Equatable {
        var key: CBOR
        var value: CBOR
    }

    static func object(_ entries: (CBOR, CBOR)...) -> CBOR { .map(entries.map { Entry(key: $0.0, value: $0.1) }) }

    subscript(_ key: Int) -> CBOR? { value(of: .integer(key)) }
    subscript(_ key: String) -> CBOR? { value(of: .text(key)) }

    private func value(of key: CBOR) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var array: [CBOR]? { if case .array(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension CBOR {
    var encoded: [UInt8] {
        switch self {
        case .integer(let value): value >= 0 ? Self.head(0, value) : Self.head(1, -1 - value)
        case .bytes(let value): Self.head(2, value.count) + value
        case .text(let value): Self.head(3, value.utf8.count) + Array(value.utf8)
        case .array(let values): Self.head(4, values.count) + values.flatMap(\.encoded)
        case .map(let entries): Self.head(5, entries.count) + entries.flatMap { $0.key.encoded + $0.value.encoded }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        }
    }

    private static func head(_ type: UInt8, _ value: Int) -> [UInt8] {
        switch value {
        case ..<24: [type << 5 | UInt8(value)]
        case ..<256: [type << 5 | 24, UInt8(value)]
        default: [type << 5 | 25, UInt8(value >> 8), UInt8(value & 0xFF)]
        }
    }

    /// Decodes one value and nothing after it.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let value = Self.take(&rest), rest.isEmpty else { return nil }
        self = value
    }

    private static func take(_ rest: inout ArraySlice<UInt8>) -> CBOR? {
        guard let first = rest.popFirst() else { return nil }
        if first == 0xF4 || first == 0xF5 { return .bool(first == 0xF5) }
        var count = Int(first & 31)
        guard count < 27 else { return nil }
        if count >= 24 {
            let size = 1 << (count - 24)
            guard rest.count >= size else { return nil }
            count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        switch first >> 5 {
        case 0: return .integer(count)
        case 1: return .integer(-1 - count)
        case 2, 3:
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            let content = Array(rest.prefix(count))
            return first >> 5 == 2 ? .bytes(content) : .text(String(decoding: content, as: UTF8.self))
        case 4:
            var values: [CBOR] = []
            for _ in 0..<count {
                guard let value = take(&rest) else { return nil }
                values.append(value)
            }
            return .array(values)
        case 5:
            var entries: [Entry] = []
            for _ in 0..<count {
                guard let key = take(&rest), let value = take(&rest) else { return nil }
                entries.append(Entry(key: key, value: value))
            }
            return .map(entries)
        default: return nil
        }
    }
}
