internal import AuthModel

/// Changes single members of a JSON text and keeps everything else: order, layout and numbers as they were written.
struct JSONEditor {
    /// The current text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    private var bytes: [UInt8]

    /// Creates an editor of a valid JSON text whose root is an object.
    init(_ text: String) { bytes = Array(text.utf8) }

    /// A member of an object, by the positions of its parts.
    private struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Sets a string member of an object below the root. Appends the object, or the member, if there is none.
    mutating func set(_ name: String, to value: String, inObject object: String) {
        set(name, toJSON: .string(value), inObject: object)
    }

    /// Sets a member of an object below the root, in one line. Appends the object, or the member, if there is none.
    mutating func set(_ name: String, toJSON value: JSONValue, inObject object: String) {
        let string = value.text
        guard let start = member(object, of: rootStart)?.value.lowerBound else {
            let nested = Self.layout(of: members(of: rootStart), in: bytes)
            let inner = nested.gap.isEmpty ? "" : nested.gap + nested.unit
            return append(object, "{\(inner)\(JSONValue.string(name).text):\(nested.space)\(string)\(nested.gap)}", to: rootStart)
        }
        if let present = member(name, of: start) { return bytes.replaceSubrange(present.value, with: string.utf8) }
        append(name, string, to: start)
    }

    /// Removes a member of an object below the root, and the object if nothing else is in it.
    mutating func remove(_ name: String, inObject object: String) {
        guard let start = member(object, of: rootStart)?.value.lowerBound, member(name, of: start) != nil else { return }
        if members(of: start).count == 1 { removeMember(object, of: rootStart) } else { removeMember(name, of: start) }
    }

    private var rootStart: Int { bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0 }

    // MARK: Changing

    /// The white space before a member, one more level of it, and the white space after a colon.
    private static func layout(of members: [Member], in bytes: [UInt8]) -> (gap: String, unit: String, space: String) {
        // docker's own layout.
        guard let last = members.last else { return ("\n\t", "\t", " ") }
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
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
        if let last = members.last {
            let before = bytes[(members.count > 1 ? members[members.count - 2].value.upperBound : start + 1)..<last.name.lowerBound]
            let gap = String(decoding: before.drop { $0 != UInt8(ascii: ",") }.dropFirst(), as: UTF8.self)
            let separator = layout.gap.isEmpty ? gap : layout.gap
            bytes.insert(contentsOf: Array(",\(separator)\(text)".utf8), at: last.value.upperBound)
        } else {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")) ?? start + 1
            bytes.replaceSubrange(start + 1..<end, with: "\(layout.gap)\(text)\(layout.gap.isEmpty ? "" : "\n")".utf8)
        }
    }

    private mutating func removeMember(_ name: String, of start: Int) {
        let members = members(of: start)
        guard let index = members.firstIndex(where: { isNamed(name, $0) }) else { return }
        if index > 0 {
            bytes.removeSubrange(members[index - 1].value.upperBound..<members[index].value.upperBound)
        } else if members.count > 1 {
            bytes.removeSubrange(members[0].name.lowerBound..<members[1].name.lowerBound)
        } else {
            let end = bytes[members[0].value.upperBound...].firstIndex(of: UInt8(ascii: "}")) ?? members[0].value.upperBound
            bytes.removeSubrange(start + 1..<end)
        }
    }

    // MARK: Reading

    private func member(_ name: String, of start: Int) -> Member? { members(of: start).first { isNamed(name, $0) } }

    private func isNamed(_ name: String, _ member: Member) -> Bool { (try? JSONValue(strict: Array(bytes[member.name]))) == .string(name) }

    /// Returns the members of the object that begins at `start`.
    private func members(of start: Int) -> [Member] {
        var members: [Member] = []
        var index = skip(from: start + 1)
        while index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
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
        bytes[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":")].contains($0) } ?? bytes.count
    }

    /// Returns the position after a value of a valid text.
    private func end(ofValueAt start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
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
            let isClosed = [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(bytes[index - 1])
            if depth == 0, isClosed { return index }
        }
        return index
    }
}
