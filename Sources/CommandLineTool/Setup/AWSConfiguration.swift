internal import AuthModel
internal import UserConfiguration

/// A configuration file of AWS tools: sections of `key = value` lines. Changes keep every other byte, and ``remove(_:from:)`` undoes them.
struct AWSConfiguration: Sendable {
    let path: String
    private let bytes: [UInt8]?
    private var lines: [Substring]

    /// The prefix of a line that ``replace(_:with:in:)`` turned into a comment.
    private static let replacedMark = "# replaced by yett: "
    /// The first line of a section that ``add(_:_:)`` created with settings that it would not know again.
    private static let addedMark = "# added by yett"
    /// The first line of a file that was there before, and empty. Undoing the changes leaves the empty file.
    static let emptyMark = "# this file was empty before yett"
    /// The setting that the changes are about.
    private static let ownKey = "credential_process"

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read.
    init(path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
        let text = try bytes.map { bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? ""
        // By scalars: a line may end with a carriage return, which is one character together with the line feed.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The edit that writes the changes; `nil` if there are none.
    var edit: FileEdit? {
        var lines = lines
        let isMarked = lines.first.map { $0 == Self.emptyMark } ?? false
        if isMarked, !lines.contains(where: { Self.setting($0)?.key == Self.ownKey }) { lines.removeFirst() }
        let text = lines.joined(separator: "\n")
        guard Array(text.utf8) != bytes ?? [] else { return nil }
        return FileEdit(path: path, before: bytes, after: text, isRemoval: text.isEmpty && !isMarked)
    }

    /// The edit before another program adds to the file; `nil` if there is nothing to keep in mind.
    var preparation: FileEdit? {
        bytes.map(\.isEmpty) == true ? FileEdit(path: path, before: bytes, after: Self.emptyMark + "\n") : nil
    }

    // MARK: Reading

    /// Returns the name of the section that a line starts, without quotes; `nil` if it starts none.
    private static func section(_ line: Substring) -> String? {
        let text = line.trimmed
        guard text.first == "[", let end = text.lastIndex(of: "]") else { return nil }
        let words = text[text.index(after: text.startIndex)..<end].split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.map { $0.trimmed.filter { $0 != "\"" && $0 != "'" } }.joined(separator: " ")
    }

    /// Returns the key and the value of a line; `nil` for a comment, a section, and the lines of a nested value.
    private static func setting(_ line: Substring) -> (key: String, value: String)? {
        guard let first = line.first, !first.isWhitespace, !"#;[".contains(first), let equals = line.firstIndex(of: "=") else { return nil }
        return (line[..<equals].trimmed.asciiLowercased(), String(line[line.index(after: equals)...].trimmed))
    }

    /// The names of the sections, in order.
    var sections: [String] { lines.compactMap(Self.section) }

    /// The settings of each section.
    var settings: [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        var current: String?
        for line in lines {
            if let section = Self.section(line) { (current, found[section]) = (section, found[section] ?? [:]) }
            if let current, let (key, value) = Self.setting(line) { found[current]?[key] = value }
        }
        return found
    }

    /// Returns the lines of a section, without the line that starts it.
    private func range(of section: String) -> Range<Int>? {
        guard let start = lines.firstIndex(where: { Self.section($0) == section }) else { return nil }
        let end = lines[(start + 1)...].firstIndex { Self.section($0) != nil } ?? lines.count
        return start + 1..<end
    }

    /// Returns the settings of a section; empty if there is none.
    func settings(of section: String) -> [String: String] {
        guard let range = range(of: section) else { return [:] }
        return Dictionary(lines[range].compactMap(Self.setting)) { $1 }
    }

    // MARK: Changing

    /// Adds a section at the end, in which the last setting is the one that removes the section again.
    mutating func add(_ section: String, _ settings: [(key: String, value: String)]) {
        if bytes.map(\.isEmpty) == true, lines == [""] { lines.insert(Substring(Self.emptyMark), at: 0) }
        // The empty text after the last line feed stays the last one, so that removing the section restores the end of the file.
        let end = lines.last == "" ? lines.count - 1 : lines.count
        let mark = settings.count > 1 ? [Substring(Self.addedMark)] : []
        lines.insert(contentsOf: ["[\(section)]"] + mark + settings.map { "\($0.key) = \($0.value)" }, at: end)
    }

    /// Changes the value of a setting that a section has.
    mutating func set(_ key: String, to value: String, in section: String) {
        guard let line = range(of: section)?.first(where: { Self.setting(lines[$0])?.key == key }) else { return }
        lines[line] = "\(key) = \(value)"
    }

    /// Adds a setting to a section in place of others, whose lines stay as comments.
    mutating func replace(_ keys: [String], with setting: (key: String, value: String), in section: String) {
        guard let range = range(of: section) else { return }
        var first: Int?
        var isReplaced = false
        for index in range {
            // A line that begins with a space belongs to the value before it.
            if lines[index].first?.isWhitespace != true { isReplaced = Self.setting(lines[index]).map { keys.contains($0.key) } ?? false }
            guard isReplaced, !lines[index].trimmed.isEmpty else { continue }
            first = first ?? index
            lines[index] = Self.replacedMark + lines[index]
        }
        lines.insert("\(setting.key) = \(setting.value)", at: first ?? range.lowerBound)
    }

    /// Removes a setting of a section, and the section if nothing else is in it, or nothing else than what ``add(_:_:)`` wrote there.
    /// Restores the lines that ``replace(_:with:in:)`` replaced. `aws configure` cannot remove a key.
    mutating func remove(_ key: String, from section: String) {
        guard let range = range(of: section) else { return }
        remove(key, in: range, isLast: false) { _ in true }
    }

    /// Removes a setting as ``remove(_:from:)`` does, from each section in which its value satisfies the condition. Such sections were
    /// created by ``add(_:_:)``, or changed by ``replace(_:with:in:)``.
    mutating func remove(_ key: String, where isRemoved: (String) -> Bool) {
        var end = lines.count
        // From the end, so that the time does not grow with the square of the number of sections.
        for start in lines.indices.reversed() where Self.section(lines[start]) != nil {
            remove(key, in: start + 1..<end, isLast: true, where: isRemoved)
            end = start
        }
    }

    /// - Parameter isLast: whether the setting was written as the last line of its section.
    private mutating func remove(_ key: String, in range: Range<Int>, isLast: Bool, where isRemoved: (String) -> Bool) {
        let found = range.first { Self.setting(lines[$0]).map { $0.key == key && isRemoved($0.value) } ?? false }
        guard let line = found else { return }
        var others = range.filter { $0 != line && !lines[$0].trimmed.isEmpty }
        // Comments at the end are about the next section, or were written later.
        while let last = others.last, last > line, lines[last].hasPrefix("#") || lines[last].hasPrefix(";"),
            !lines[last].hasPrefix(Self.replacedMark), isLast || lines[line..<last].contains(where: { $0.trimmed.isEmpty })
        {
            others.removeLast()
        }
        let mark = others.first { lines[$0].trimmed == Self.addedMark }
        let hasMore = others.contains { $0 != mark && (mark == nil || Self.setting(lines[$0])?.key != "region") }
        guard hasMore else {
            // An empty line after a section separates it from the next one.
            lines.removeSubrange(range.lowerBound - 1...max(line, others.last ?? line))
            return
        }
        for index in others where lines[index].hasPrefix(Self.replacedMark) {
            lines[index] = lines[index].dropFirst(Self.replacedMark.count)
        }
        for index in [line, mark].compactMap({ $0 }).sorted(by: >) { lines.remove(at: index) }
    }
}
