internal import AuthModel

/// Changes single members of a JSON text and keeps everything else: order, layout, comments and numbers as they were written.
///
/// The text may have comments and trailing commas, as the files of many editors do (JSONC).
struct JSONEditor {
    /// The current text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    private var bytes: [UInt8] { didSet { code = Self.code(of: bytes) } }
    /// The bytes with a space in place of each byte of a comment.
    private var code: [UInt8]

    /// Creates an editor of a valid text whose root is an object.
    init(_ text: String) {
        bytes = Array(text.utf8)
        code = Self.code(of: bytes)
    }

    /// A member of an object, by the positions of its parts.
    private struct Member {
        let name: Range<Int>
        let value: Range<Int>
        /// The bytes from the name to the end of the value.
        var range: Range<Int> { name.lowerBound..<value.upperBound }
    }

    /// Returns the text without comments and trailing commas: JSON with every value at its position in the original text.
    static func plain(_ text: String) -> String {
        var code = code(of: Array(text.utf8))
        var comma: Int?
        for (index, byte) in code.enumerated() where !isSpace(byte) {
            if let comma, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { code[comma] = UInt8(ascii: " ") }
            comma = byte == UInt8(ascii: ",") ? index : nil
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// Sets a member of the object at a path, in one line. Appends the object, or the member, if there is none.
    mutating func set(_ name: String, to value: JSONValue, inObject path: [String]) {
        var start = rootStart
        for (depth, part) in path.enumerated() {
            if let next = member(part, of: start) {
                start = next.value.lowerBound
                continue
            }
            // The innermost of the missing objects is in the layout of the file, and others around it are in its line.
            let nested = Self.layout(of: members(of: start), in: bytes)
            let inner = nested.gap.isEmpty ? "" : nested.gap + nested.unit
            var text = "{\(inner)\(JSONValue.string(name).text):\(nested.space)\(value.text)\(nested.gap)}"
            for outer in path[(depth + 1)...].reversed() { text = "{\(JSONValue.string(outer).text):\(nested.space)\(text)}" }
            return append(part, text, to: start)
        }
        if let present = member(name, of: start) { return bytes.replaceSubrange(present.value, with: value.text.utf8) }
        append(name, value.text, to: start)
    }

    /// Removes a member of the object at a path, and the object if nothing else is in it.
    mutating func remove(_ name: String, inObject path: [String]) {
        guard let start = start(of: path), member(name, of: start) != nil else { return }
        guard members(of: start).count == 1, let last = path.last, let parent = self.start(of: path.dropLast()) else {
            return removeMember(name, of: start)
        }
        removeMember(last, of: parent)
    }

    /// Returns the members of the object at a path, each from its name to the end of its value; `nil` if there is no such object.
    func members(at path: [String]) -> [(name: String, range: Range<Int>)]? {
        start(of: path).map { start in members(of: start).map { (name: Self.name($0, in: bytes), range: $0.range) } }
    }

    /// Returns the position of the object at a path; `nil` if there is none.
    private func start(of path: some Sequence<String>) -> Int? {
        var start = rootStart
        for part in path {
            guard let next = member(part, of: start)?.value.lowerBound, code[next] == UInt8(ascii: "{") else { return nil }
            start = next
        }
        return start
    }

    private var rootStart: Int { code.firstIndex(of: UInt8(ascii: "{")) ?? 0 }

    // MARK: Changing

    /// The white space before a member, one more level of it, and the white space after a colon.
    private static func layout(of members: [Member], in bytes: [UInt8]) -> (gap: String, unit: String, space: String) {
        // docker's own layout.
        guard let last = members.last else { return ("\n\t", "\t", " ") }
        let gap = bytes[..<last.name.lowerBound].reversed().prefix(while: isSpace).reversed()
        let space = bytes[..<last.value.lowerBound].reversed().prefix(while: isSpace).reversed()
        let text = String(decoding: Array(gap), as: UTF8.self)
        let unit = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        return (text.contains(where: \.isNewline) ? text : "", unit, String(decoding: Array(space), as: UTF8.self))
    }

    private mutating func append(_ name: String, _ value: String, to start: Int) {
        let members = members(of: start)
        let layout = Self.layout(of: members, in: bytes)
        let text = "\(JSONValue.string(name).text):\(layout.space)\(value)"
        let first = members.last?.value.upperBound ?? start + 1
        let end = code[first...].firstIndex(of: UInt8(ascii: "}")) ?? first
        // The end of the last comment before the bracket.
        let tail = bytes[first..<end].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? first
        if let last = members.last {
            let before = code[(members.count > 1 ? members[members.count - 2].value.upperBound : start + 1)..<last.name.lowerBound]
            let gap = String(decoding: before.drop { $0 != UInt8(ascii: ",") }.dropFirst(), as: UTF8.self)
            let hasComma = code[first..<end].contains(UInt8(ascii: ","))
            // What follows a comment must not be in its line.
            let hasComment = bytes[first..<tail] != code[first..<tail]
            let separator = layout.gap.isEmpty ? (hasComment ? "\n" : gap) : layout.gap
            bytes.insert(contentsOf: Array("\(separator)\(text)\(hasComma ? "," : "")".utf8), at: tail)
            if !hasComma { bytes.insert(UInt8(ascii: ","), at: first) }
        } else if tail > first {
            bytes.insert(contentsOf: Array("\n\(text)".utf8), at: tail)
        } else {
            bytes.replaceSubrange(first..<end, with: "\(layout.gap)\(text)\(layout.gap.isEmpty ? "" : "\n")".utf8)
        }
    }

    private mutating func removeMember(_ name: String, of start: Int) {
        let members = members(of: start)
        guard let index = members.firstIndex(where: { isNamed(name, $0) }) else { return }
        let member = members[index]
        let next = code[member.value.upperBound...].firstIndex { !Self.isSpace($0) } ?? member.value.upperBound
        let before = bytes[..<member.name.lowerBound].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? member.name.lowerBound
        let hasComma = code[next] == UInt8(ascii: ",")
        if index == 0, members.count > 1 {
            let space = bytes[(next + 1)...].prefix(while: Self.isSpace).endIndex
            bytes.removeSubrange(member.name.lowerBound..<space)
        } else if hasComma {
            bytes.removeSubrange(before..<next + 1)
        } else if index > 0 {
            bytes.removeSubrange(before..<member.value.upperBound)
            guard let comma = code[members[index - 1].value.upperBound...].firstIndex(of: UInt8(ascii: ",")) else { return }
            // White space before a comma was the layout of the members.
            bytes.removeSubrange(comma..<comma + 1)
        } else {
            let end = bytes[member.value.upperBound...].firstIndex { !Self.isSpace($0) } ?? member.value.upperBound
            bytes.removeSubrange(before..<(before == start + 1 && bytes[end] == UInt8(ascii: "}") ? end : member.value.upperBound))
        }
    }

    // MARK: Reading

    private func member(_ name: String, of start: Int) -> Member? { members(of: start).first { isNamed(name, $0) } }

    private func isNamed(_ name: String, _ member: Member) -> Bool { Self.name(member, in: bytes) == name }

    private static func name(_ member: Member, in bytes: [UInt8]) -> String {
        (try? JSONValue(strict: Array(bytes[member.name])))?.string ?? ""
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Returns the bytes with a space in place of each byte of a comment.
    private static func code(of bytes: [UInt8]) -> [UInt8] {
        var code = bytes
        var index = 0
        while index + 1 < bytes.count {
            switch (bytes[index], bytes[index + 1]) {
            case (UInt8(ascii: "\""), _):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
                index += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                while index < bytes.count, bytes[index] != 0x0A {
                    if bytes[index] != 0x0D { code[index] = 0x20 }
                    index += 1
                }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                var isEnd = false
                let start = index
                while index < bytes.count, !isEnd {
                    isEnd = index > start + 2 && bytes[index - 1] == UInt8(ascii: "*") && bytes[index] == UInt8(ascii: "/")
                    if !isSpace(bytes[index]) { code[index] = 0x20 }
                    index += 1
                }
            default: index += 1
            }
        }
        return code
    }

    /// Returns the members of the object that begins at `start`.
    private func members(of start: Int) -> [Member] {
        var members: [Member] = []
        var index = skip(from: start + 1)
        while index < code.count, code[index] == UInt8(ascii: "\"") {
            let name = index..<end(ofValueAt: index)
            let first = skip(from: name.upperBound)
            let value = first..<end(ofValueAt: first)
            members.append(Member(name: name, value: value))
            index = skip(from: value.upperBound)
        }
        return members
    }

    /// Returns the first position that is no white space, comma or colon.
    private func skip(from start: Int) -> Int {
        code[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":")].contains($0) } ?? code.count
    }

    /// Returns the position after a value of a valid text.
    private func end(ofValueAt start: Int) -> Int {
        var depth = 0
        var index = start
        while index < code.count {
            switch code[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < code.count, code[index] != UInt8(ascii: "\"") { index += code[index] == UInt8(ascii: "\\") ? 2 : 1 }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object that contains a number or a word.
                if depth == 0 { return index }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return index }
            default: break
            }
            index += 1
            let isClosed = [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(code[index - 1])
            if depth == 0, isClosed { return index }
        }
        return index
    }
}
