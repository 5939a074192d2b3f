import AuthModel

extension FuzzedReader {
    /// An accepted value is the same after writing and reading it again, and no object in it has a member twice.
    static let json = FuzzedReader(
        "json",
        words: [
            "{", "}", "[", "]", ",", ":", "\"", "true", "false", "null", "\"a\":", "\"a\":1,\"a\":2", "\\u", "\\\"", "\\/", "\\u0061",
            "\\ud834\\udd1e",
            "-", ".", "e", "E+", "//", "/*", "NaN", "Infinity", "'", "\u{FEFF}",
        ]
    ) { (input) throws(BrokenProperty) in
        guard let value = try? JSONValue(strict: input) else { return false }
        try BrokenProperty.unless(String(validating: input, as: UTF8.self) != nil, "takes what is not UTF-8")
        try checkParts(of: value, level: 0)
        for text in [value.text, value.indentedText] {
            try BrokenProperty.unless(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }, "writes more than ASCII")
            guard let again = try? JSONValue(strict: text) else { throw BrokenProperty("does not take what it wrote") }
            // Swift strings with different bytes can be equal (Unicode composition), so the written text is compared as well.
            try BrokenProperty.unless(again == value && again.text == value.text, "reads something else than it wrote")
        }
        return true
    }

    private static func checkParts(of value: JSONValue, level: Int) throws(BrokenProperty) {
        try BrokenProperty.unless(level <= JSONValue.Limits.standard.depth, "takes what is nested too deeply")
        switch value {
        case .object(let members):
            try BrokenProperty.unless(
                Set(members.map { Array($0.name.utf8) }).count == members.count, "takes an object with a member twice")
            for member in members { try checkParts(of: member.value, level: level + 1) }
        case .array(let elements):
            for element in elements { try checkParts(of: element, level: level + 1) }
        case .number(let text):
            try BrokenProperty.unless(text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }, "takes a number that is none")
            if let whole = value.integer, let double = value.double {
                try BrokenProperty.unless(abs(Double(whole) - double) <= abs(double) * 1e-15, "makes another number of \(text)")
            }
        case .null, .bool, .string: break
        }
    }
}
