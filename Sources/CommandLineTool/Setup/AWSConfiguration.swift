internal import AuthModel
internal import UserConfiguration

/// A configuration file of AWS tools: sections of `key = value` lines.
struct AWSConfiguration: Sendable {
    let path: String
    private let bytes: [UInt8]?
    private let text: String
    private let lines: [Substring]

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read.
    init(path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
        text = try bytes.map { bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? ""
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the name of the section that a line starts, without quotes; `nil` if it starts none.
    private static func section(_ line: Substring) -> String? {
        let text = line.trimmed
        guard text.first == "[", let end = text.lastIndex(of: "]") else { return nil }
        let words = text[text.index(after: text.startIndex)..<end].split(separator: " ", maxSplits: 1)
        return words.map { $0.trimmed.filter { $0 != "\"" && $0 != "'" } }.joined(separator: " ")
    }

    /// Returns the key and the value of a line; `nil` for a comment, a section, and the lines of a nested value.
    private static func setting(_ line: Substring) -> (key: String, value: String)? {
        guard let first = line.first, !first.isWhitespace, !"#;[".contains(first), let equals = line.firstIndex(of: "=") else { return nil }
        return (line[..<equals].trimmed.asciiLowercased(), String(line[line.index(after: equals)...].trimmed))
    }

    /// The names of the sections, in order.
    var sections: [String] { lines.compactMap(Self.section) }

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

    /// Returns the edit that removes a key of a section, and the section if nothing else is in it. `aws configure` cannot remove a key.
    func removing(_ key: String, from section: String) -> FileEdit? {
        guard let range = range(of: section), let line = lines[range].firstIndex(where: { Self.setting($0)?.key == key }) else {
            return nil
        }
        let hasMore = range.contains { $0 != line && !lines[$0].trimmed.isEmpty }
        var rest = lines
        // An empty line after a section separates it from the next one.
        rest.removeSubrange(hasMore ? line..<line + 1 : range.lowerBound - 1..<line + 1)
        let text = rest.joined(separator: "\n")
        return FileEdit(path: path, before: bytes, after: text, isRemoval: text.isEmpty)
    }
}
