internal import AuthModel
internal import TOMLKit

/// A configuration text that is TOML: its values, and the line of each.
struct ConfigurationDocument {
    /// The values; dates and times, which no setting takes, are `null`.
    let root: JSONValue
    let outline: TOMLOutline
    /// How messages name the file.
    let name: String

    /// Reads a text; throws `.configuration` naming the line where it is not TOML.
    init(_ text: String, name: String) throws(AuthFailure) {
        self.name = name
        // Control characters but tab and line ends are not TOML, and a NUL would end the text early inside the reader.
        if let line = Self.lineOfControlCharacter(in: text) {
            throw AuthFailure(.configuration, "\(name):\(line): a control character does not belong here", hint: "remove it")
        }
        if let line = TOMLOutline.lineOfBrokenHeader(in: text) {
            throw AuthFailure(
                .configuration, "\(name):\(line): a table's name is missing behind its bracket", hint: "write it like [providers.work]")
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw AuthFailure(
                .configuration, "\(name):\(error.source.begin.line): \(Self.sentence(error.description))",
                hint: "see https://toml.io for how values are written")
        } catch {
            throw AuthFailure(.configuration, "\(name): this is not TOML")
        }
        root = Self.value(table)
        outline = TOMLOutline(text)
        // An escape can still write one.
        if Self.holdsControlCharacter(root) {
            throw AuthFailure(.configuration, "\(name): a value holds a control character", hint: "remove the escape that writes it")
        }
    }

    /// `config.toml:LINE`, for the line of `path`.
    func place(_ path: [String]) -> String {
        outline.line(of: path).map { "\(name):\($0)" } ?? name
    }

    private static func lineOfControlCharacter(in text: String) -> Int? {
        var line = 1
        for byte in text.utf8 {
            switch byte {
            case 0x0A: line += 1
            case 0x09, 0x0D: break
            case 0..<0x20, 0x7F: return line
            default: break
            }
        }
        return nil
    }

    private static func holdsControlCharacter(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        case .array(let elements): elements.contains(where: holdsControlCharacter)
        case .object(let members):
            members.contains { holdsControlCharacter(.string($0.name)) || holdsControlCharacter($0.value) }
        default: false
        }
    }

    /// The reader's message as one of ours: one line, lower case, no full stop.
    private static func sentence(_ message: String) -> String {
        var text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        while text.last == "." { text.removeLast() }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func value(_ table: TOMLTable) -> JSONValue {
        .object(table.keys.map { key in JSONValue.Member(key, table[key].map(value) ?? .null) })
    }

    private static func value(_ node: any TOMLValueConvertible) -> JSONValue {
        switch node.type {
        case .table: node.table.map(value) ?? .null
        case .array: .array(node.array.map { $0.map(value) } ?? [])
        case .string: node.string.map(JSONValue.string) ?? .null
        case .bool: node.bool.map(JSONValue.bool) ?? .null
        case .int: node.int.map { JSONValue.number($0) } ?? .null
        case .double: node.double.map { JSONValue.number(String($0)) } ?? .null
        case .date, .time, .dateTime: .null
        }
    }
}
