/// A value of a TOML document.
public enum TOMLValue: Equatable, Sendable {
    /// A key of a table with its value.
    public struct Member: Equatable, Sendable {
        public var name: String
        public var value: TOMLValue

        public init(_ name: String, _ value: TOMLValue) {
            self.name = name
            self.value = value
        }
    }

    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time or both, as it is written; it was checked against the calendar and the clock.
    case moment(String)
    case array([TOMLValue])
    /// The members in the order in which they were first named; no name is there twice.
    case table([Member])
}

extension TOMLValue {
    /// The value of a member of a table.
    public subscript(_ name: String) -> TOMLValue? { members?.first { $0.name == name }?.value }

    /// The value at a path from here; `nil` where there is none.
    public subscript(path path: [String]) -> TOMLValue? { path.reduce(self as TOMLValue?) { $0?[$1] } }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    public var boolean: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }

    public var array: [TOMLValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of a table.
    public var members: [Member]? {
        if case .table(let members) = self { members } else { nil }
    }

    /// An array whose elements are all strings.
    public var strings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}
