/// A TOML value.
public enum TOMLValue: Equatable, Sendable {
    /// A key of a table and its value.
    public struct Member: Equatable, Sendable {
        /// The name of the key.
        public var name: String
        /// The value of the key.
        public var value: TOMLValue

        /// Creates a member.
        public init(_ name: String, _ value: TOMLValue) {
            self.name = name
            self.value = value
        }

        /// Returns whether both members have the same name and value. Names are compared by their bytes.
        public static func == (left: Member, right: Member) -> Bool {
            TOMLName(left.name) == TOMLName(right.name) && left.value == right.value
        }
    }

    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time or both, as written. The calendar date and the time of day are valid.
    case moment(String)
    case array([TOMLValue])
    /// The members in the order of their first occurrence. Names are unique.
    case table([Member])
}

extension TOMLValue {
    /// Returns the value of a table member.
    public subscript(_ name: String) -> TOMLValue? { members?.first { TOMLName($0.name) == TOMLName(name) }?.value }

    /// Returns the value at a path; `nil` if there is none.
    public subscript(path path: [String]) -> TOMLValue? { path.reduce(self as TOMLValue?) { $0?[$1] } }

    /// The value of a string; `nil` for other types.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer; `nil` for other types.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The value of a boolean; `nil` for other types.
    public var boolean: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }

    /// The elements of an array; `nil` for other types.
    public var array: [TOMLValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of a table; `nil` for other types.
    public var members: [Member]? {
        if case .table(let members) = self { members } else { nil }
    }

    /// The elements of an array of strings; `nil` if any element has another type.
    public var strings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}
