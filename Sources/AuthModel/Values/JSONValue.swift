/// A JSON document, with members in the order of the source.
///
/// Parsing is strict (see ``init(strict:limits:)``): text that two parsers could understand differently is refused. Names and strings are
/// compared by their bytes, so that é in one and in two characters are different, as in other parsers.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number as it was written, so that no precision is lost.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    public struct Member: Equatable, Sendable {
        /// The name of the member.
        public var name: String
        /// The value of the member.
        public var value: JSONValue

        /// Creates a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Returns whether both members have the same name and value.
        public static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    /// Returns whether both documents have the same values in the same order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Returns the value of a member; `nil` if it is absent or this is not an object.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The value of a string; `nil` for other types.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a boolean; `nil` for other types.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array; `nil` for other types.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; `nil` for other types.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The value of an integral number that fits in 64 bits. `1e3` and `1.0` are accepted, `1.5` is not.
    public var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        if let value = Int64(text) { return value }
        guard let value = Double(text), value.rounded() == value, abs(value) < 9e15 else { return nil }
        return Int64(value)
    }

    /// The value of a number as a finite floating-point value.
    public var double: Double? {
        guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The elements of an array of strings; `nil` if any element has another type.
    public var strings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }

    /// Creates a string, or null for `nil`.
    public init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// Creates an array of strings.
    public init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }

    /// Creates a number from an integer.
    public static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// Returns an object with these members in their order.
    public static func members(_ members: (String, JSONValue)...) -> JSONValue { .object(members.map { Member($0.0, $0.1) }) }

    /// Returns an object with these members in their order, without those that are `nil`.
    public static func present(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { member in member.1.map { Member(member.0, $0) } })
    }

    /// The document as compact text, with members in order.
    ///
    /// Everything but printable ASCII is escaped, so the text is safe to write to a terminal: it cannot contain control characters,
    /// bidirectional overrides or zero-width characters.
    public var text: String {
        var out = ""
        write(to: &out, indent: nil)
        return out
    }

    /// The document with one member per line, indented by two spaces per level.
    public var indentedText: String {
        var out = ""
        write(to: &out, indent: 0)
        return out
    }

    private func write(to out: inout String, indent: Int?) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .number(let text): out += text
        case .string(let text): Self.write(string: text, to: &out)
        case .array(let elements):
            Self.write(list: elements, open: "[", close: "]", indent: indent, to: &out) { element, inner, out in
                element.write(to: &out, indent: inner)
            }
        case .object(let members):
            Self.write(list: members, open: "{", close: "}", indent: indent, to: &out) { member, inner, out in
                Self.write(string: member.name, to: &out)
                out += inner == nil ? ":" : ": "
                member.value.write(to: &out, indent: inner)
            }
        }
    }

    private static func write<Element>(
        list: [Element], open: String, close: String, indent: Int?, to out: inout String,
        each: (Element, Int?, inout String) -> Void
    ) {
        out += open
        let inner = indent.map { $0 + 1 }
        for (index, element) in list.enumerated() {
            if index > 0 { out += "," }
            if let inner { out += "\n" + String(repeating: "  ", count: inner) }
            each(element, inner, &out)
        }
        if let indent, !list.isEmpty { out += "\n" + String(repeating: "  ", count: indent) }
        out += close
    }

    private static func write(string: String, to out: inout String) {
        out += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case " "..."~": out.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        out += "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
