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
