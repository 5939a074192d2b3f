internal import AuthModel

/// A table of tables at the top of a YAML file, such as a client's servers, edited as text so that everything else stays as it is.
///
/// It reads the YAML that programs write: blocks, values in one line, JSON in one line, and block scalars. Of any other file, such as one
/// with anchors or several documents, nothing is read: what a line means there cannot be guessed.
struct YAMLTable {
    /// A table in the table.
    struct Entry {
        let name: String
        let value: JSONValue
        /// Its members with their bytes; none if it is JSON in one line.
        var members: [(name: String, range: Range<Int>)] = []
        /// The white space before a member.
        var indent = 0
        /// The bytes of its lines, without the last line feed.
        fileprivate var lines = 0..<0
    }

    let entries: [Entry]
    private let bytes: [UInt8]
    private let name: String
    private let form: Form

    private enum Form {
        case missing
        /// The bytes of the line with the name and of the entries, and whether there are comments between them.
        case block(Range<Int>, hasComments: Bool)
        /// The bytes of JSON in one line.
        case json(Range<Int>)
    }

    /// Reads the table; `nil` if the file is not understood.
    init?(_ text: String, name: String) {
        let bytes = Array(text.utf8)
        guard let lines = YAMLLine.all(of: bytes) else { return nil }
        (self.bytes, self.name) = (bytes, name)
        let tops = lines.indices.filter { lines[$0].isContent && lines[$0].indent == 0 && !lines[$0].isItem }
        // A list at the top has no names.
        guard lines.first(where: \.isContent).map({ $0.key != nil && !$0.isItem && $0.indent == 0 }) ?? true else { return nil }
        let found = tops.filter { lines[$0].key == name }
        guard found.count <= 1 else { return nil }
        guard let top = found.first else {
            (form, entries) = (.missing, [])
            return
        }
        let after = tops.first { $0 > top } ?? lines.endIndex
        let inner = lines[(top + 1)..<after]
        if case .value(let value) = lines[top].value {
            let range = lines[top].valueRange
            // An empty one comes back in this form.
            guard let members = value.members, !members.isEmpty || range.count == 2, !inner.contains(where: \.isContent) else { return nil }
            form = .json(range)
            entries = members.map { Entry(name: $0.name, value: $0.value) }
            return
        }
        guard lines[top].value == .none, let last = inner.last(where: \.isContent), let entries = Self.entries(in: inner) else {
            return nil
        }
        let hasComments = inner.prefix { $0.range.upperBound <= last.range.upperBound }.contains { $0.isComment }
        form = .block(lines[top].range.lowerBound..<last.range.upperBound, hasComments: hasComments)
        self.entries = entries
    }

    // MARK: Reading

    /// Splits lines into groups that each begin with a key at the indentation of the first; `nil` if they do not.
    private static func groups(_ lines: some Collection<YAMLLine>) -> [[YAMLLine]]? {
        var groups: [[YAMLLine]] = []
        let indent = lines.first(where: \.isContent)?.indent ?? 0
        for line in lines where line.isContent {
            // The continuation of a value.
            guard line.isRead else {
                guard !groups.isEmpty else { return nil }
                groups[groups.count - 1].append(line)
                continue
            }
            guard line.indent >= indent else { return nil }
            if line.indent == indent, !line.isItem {
                guard line.key != nil else { return nil }
                groups.append([line])
            } else {
                guard !groups.isEmpty else { return nil }
                groups[groups.count - 1].append(line)
            }
        }
        guard Set(groups.map { $0[0].key }).count == groups.count else { return nil }
        return groups
    }

    private static func entries(in lines: some Collection<YAMLLine>) -> [Entry]? {
        guard let groups = groups(lines), let indent = groups.first?[0].indent, indent > 0 else { return nil }
        var entries: [Entry] = []
        for group in groups {
            guard let key = group[0].key, let last = group.last else { return nil }
            var entry = Entry(name: key, value: .null)
            if case .value(let value) = group[0].value {
                entry = Entry(name: key, value: value)
            } else if group.count > 1 {
                // A list is no table.
                guard let members = Self.groups(group.dropFirst()), members[0][0].indent > indent else { return nil }
                entry = Entry(
                    name: key, value: .object(members.map { .init($0[0].key ?? "", value(of: $0)) }),
                    members: members.map {
                        ($0[0].key ?? "", $0[0].start..<($0.count > 1 ? $0[$0.count - 1].range : $0[0].valueRange).upperBound)
                    },
                    indent: members[0][0].indent)
            }
            entry.lines = group[0].range.lowerBound..<last.range.upperBound
            entries.append(entry)
        }
        return entries
    }

    /// The placeholder of a value that is not read: it exists, so it must not look empty.
    private static let unread = JSONValue.string("…")

    /// Returns the value of a member: a value in one line, a list of them, or `null` if there is none; ``unread`` for anything else.
    private static func value(of lines: [YAMLLine]) -> JSONValue {
        if case .value(let value) = lines[0].value { return value }
        if lines.count == 1, lines[0].value == .none { return .null }
        let items = lines.dropFirst().map { line -> JSONValue? in
            guard line.isItem, line.key == nil, line.indent == lines[1].indent, case .value(let value) = line.value else { return nil }
            return value
        }
        return items.isEmpty || items.contains(nil) ? unread : .array(items.compactMap(\.self))
    }

    /// The lines beside the table.
    var rest: [String] {
        let range =
            switch form {
            case .missing: 0..<0
            case .block(let range, _), .json(let range): range
            }
        let others = bytes[..<range.lowerBound] + bytes[range.upperBound...]
        return others.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Changing

    /// Returns the text with an entry set, or removed; `nil` if it cannot be.
    func setting(_ entry: String, to members: [JSONValue.Member]?) -> String? {
        var changed = bytes
        let present = entries.first { $0.name == entry }
        // In place of one that was not read, something would be lost.
        guard present == nil || present?.value.members != nil else { return nil }
        switch (form, members) {
        case (.json(let range), let members):
            // Only what was empty before is written in one line.
            guard entries.isEmpty || entries.count == 1 && present != nil else { return nil }
            let table = JSONValue.object(members.map { [.init(entry, .object($0))] } ?? [])
            changed.replaceSubrange(range, with: table.text.utf8)
        case (.missing, let members?):
            // A file without a line feed at its end has none there afterwards, either.
            let isOpen = !changed.isEmpty && changed.last != UInt8(ascii: "\n")
            let lines = "\(name):\n" + Self.text(entry, members, entryIndent: 2, indent: 4)
            changed += Array((isOpen ? "\n" + lines : lines + "\n").utf8)
        case (.missing, nil): break
        case (.block(let range, _), let members?):
            let entryIndent = indent(at: entries[0].lines.lowerBound)
            let memberIndent = entries.last { $0.indent > 0 }?.indent ?? entryIndent + 2
            let text = Self.text(entry, members, entryIndent: entryIndent, indent: memberIndent)
            if let present {
                changed.replaceSubrange(present.lines, with: text.utf8)
            } else {
                changed.insert(contentsOf: Array(("\n" + text).utf8), at: range.upperBound)
            }
        case (.block(let range, let hasComments), nil):
            guard let present else { break }
            if entries.count > 1 {
                changed.removeSubrange((present.lines.lowerBound - 1)..<present.lines.upperBound)
            } else {
                guard !hasComments else { return nil }
                // The line feed after it goes, too, or the one before it at the end of a file without one.
                let hasNext = range.upperBound < changed.count
                let start = hasNext || range.lowerBound == 0 ? range.lowerBound : range.lowerBound - 1
                changed.removeSubrange(start..<(hasNext ? range.upperBound + 1 : range.upperBound))
            }
        }
        return String(decoding: changed, as: UTF8.self)
    }

    private func indent(at start: Int) -> Int { bytes[start...].prefix { $0 == UInt8(ascii: " ") }.count }

    private static func text(_ entry: String, _ members: [JSONValue.Member], entryIndent: Int, indent: Int) -> String {
        let pads = [entryIndent, indent].map { String(repeating: " ", count: $0) }
        let lines = members.map { pads[1] + written($0) }
        return (["\(pads[0])\(JSONValue.string(entry).text):"] + lines).joined(separator: "\n")
    }

    /// Returns a member in one line. JSON is a part of YAML.
    static func written(_ member: JSONValue.Member) -> String { "\(member.name): \(member.value.text)" }

    /// Reads members as ``written(_:)`` writes them; `nil` if the text is not such.
    static func members(written text: String) -> [JSONValue.Member]? {
        guard let lines = YAMLLine.all(of: Array(text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n").utf8))
        else { return nil }
        var members: [JSONValue.Member] = []
        for line in lines {
            guard let key = line.key, case .value(let value) = line.value else { return nil }
            members.append(.init(key, value))
        }
        return members
    }
}
