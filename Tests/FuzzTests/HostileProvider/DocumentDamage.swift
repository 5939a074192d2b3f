import AuthModel
import Fuzzing

/// Damage to a JSON document.
enum DocumentDamage {
    /// Unexpected values for a member, as JSON text. Some are invalid JSON.
    private static let values: [String] =
        [
            "null", "true", "false", "0", "-1", "-0", "1", "1e400", "-1e400", "1e308", "9223372036854775807", "9223372036854775808",
            "18446744073709551616", "-9223372036854775808", "0.0000000000000001", "253402300800", "9007199254740993", "01", "NaN", "0x10",
            "1" + String(repeating: "0", count: 400), "\"\"", "\" \"", "\"\\u0000\"", "\"\\ud800\"", "\"\\u202e\\u200bevil\"",
            "\"\\u001b[31mred\"", "\"\u{1}\"", "'x'", "[]", "{}", "[1,\"a\",null]", "[\"yett\",\"other\"]", "[[\"yett\"]]",
            "\"http://127.0.0.1:1/x\"", "\"https://evil.example/\"", "\"https://user@evil.example/\"", "\"file:///etc/passwd\"",
            "\"javascript:alert(1)\"", "\"https://a.example/$(id)\"", "\"--flag\"", "\"//evil.example/x\"", "\"http://evil.example/\"",
            "\"none\"", "\"HS256\"", "\"RS256\"", "\"Bearer\"", "\" Bearer\"", "\"DPoP\"", "\"mac\"", "\"N_A\"",
            "\"bearer\\r\\nX: y\"", "\"é\"", "\"e\\u0301\"", "\"openid\"", "\"a\\\"b\"", "\"%00\"", "\"tomorrow\"", "\"300\"",
        ] + [
            String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000),
            String(repeating: "{\"a\":", count: 300) + "1" + String(repeating: "}", count: 300),
            "\"" + String(repeating: "A", count: 100_000) + "\"",
        ]

    /// Returns the document with one member changed, as text.
    static func member(of document: JSONValue, using generator: inout SeededGenerator) -> String {
        var paths: [[Int]] = []
        collect(document, [], &paths)
        guard !paths.isEmpty else { return raw(using: &generator).text }
        let path = generator.pick(paths)
        switch generator.below(12) {
        case 0, 1: return changed(document, path[...]) { _ in nil }.text
        case 2: return doubled(document, generator.below(document.members?.count ?? 1), with: raw(using: &generator)).text
        case 3:
            // The value of another member.
            let other = value(document, generator.pick(paths)[...])
            return changed(document, path[...]) { _ in other }.text
        case 4, 5: return changed(document, path[...]) { .string(($0.string ?? $0.text) + "1") }.text
        case 6:
            return changed(document, path[...]) { value in
                guard let text = value.string else { return .array([value]) }
                return .string(text.uppercased() == text ? text.lowercased() : text.uppercased())
            }.text
        case 7:
            // Wrong times.
            let offset = Double(generator.pick([-1_000_000_000, -86_400, -3600, -400, 400, 3600, 86_400, 1_000_000_000]))
            return changed(document, path[...]) { value in value.double.map { .number("\(Int64($0 + offset))") } ?? .array([value]) }.text
        default:
            let new = raw(using: &generator)
            return changed(document, path[...]) { _ in new }.text
        }
    }

    /// Returns a document's text with something that strict parsers reject, or another text in its place.
    static func text(_ body: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        func put(_ text: String, at place: Int) -> [UInt8] { Array(body[..<place]) + Array(text.utf8) + Array(body[place...]) }
        switch generator.below(12) {
        case 0: return Array("\u{FEFF}".utf8) + body
        case 1: return body + Array(generator.pick([",", "x", "\0", "{}", "]", "\u{1B}[2J"]).utf8)
        case 2: return Array(body.prefix(generator.below(body.count + 1)))
        case 3: return Array("[".utf8) + body + Array("]".utf8)
        case 4: return [UInt8](repeating: 0x20, count: generator.pick([10, 70_000, 1_000_000, 1_048_576, 2_000_000])) + body
        case 5: return put("/*c*/", at: generator.below(body.count + 1))
        case 6: return String(decoding: body, as: UTF8.self).uppercased().utf8.map { $0 }
        case 7: return [0xFF, 0xFE] + body.flatMap { [$0, 0] }
        case 8: return put(generator.pick(["\u{0}", "\n", "\u{1}", "\\", "\""]), at: generator.below(body.count + 1))
        case 9: return []
        case 10: return Array("while(1);".utf8) + body
        default: return Array(generator.pick(values).utf8)
        }
    }

    // A number is written with the text that it was read from, so any text can be a value this way.
    private static func raw(using generator: inout SeededGenerator) -> JSONValue { .number(generator.pick(values)) }

    private static func collect(_ value: JSONValue, _ path: [Int], _ paths: inout [[Int]]) {
        let inner = value.members.map { $0.map(\.value) } ?? value.array ?? []
        for (index, value) in inner.enumerated() {
            paths.append(path + [index])
            collect(value, path + [index], &paths)
        }
    }

    private static func value(_ value: JSONValue, _ path: ArraySlice<Int>) -> JSONValue {
        guard let index = path.first else { return value }
        return Self.value(value.members?[index].value ?? value.array?[index] ?? .null, path.dropFirst())
    }

    /// Replaces the value at a path; a `change` that returns `nil` removes it.
    private static func changed(_ value: JSONValue, _ path: ArraySlice<Int>, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
        guard let index = path.first else { return change(value) ?? .null }
        let isLast = path.count == 1
        if var members = value.members {
            if isLast {
                if let new = change(members[index].value) { members[index].value = new } else { members.remove(at: index) }
            } else {
                members[index].value = changed(members[index].value, path.dropFirst(), change)
            }
            return .object(members)
        }
        guard var elements = value.array else { return value }
        if isLast {
            if let new = change(elements[index]) { elements[index] = new } else { elements.remove(at: index) }
        } else {
            elements[index] = changed(elements[index], path.dropFirst(), change)
        }
        return .array(elements)
    }

    private static func doubled(_ document: JSONValue, _ index: Int, with value: JSONValue) -> JSONValue {
        guard let members = document.members, members.indices.contains(index) else { return document }
        return .object(members + [JSONValue.Member(members[index].name, value)])
    }
}
