extension JSONValue {
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
