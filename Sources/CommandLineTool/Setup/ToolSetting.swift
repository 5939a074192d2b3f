internal import AuthModel
internal import TOML
internal import UserConfiguration

/// A setting in a tool's configuration file, edited as text so that everything else stays as it is.
struct ToolSetting {
    /// The syntax of the file.
    enum Syntax: Sendable {
        case json, toml
        /// Sections of `key = value` lines.
        case section
        /// A line that stands alone.
        case line
    }

    let path: String
    let syntax: Syntax
    /// The path of the table, or the section.
    let table: [String]
    /// The key; the whole line for ``Syntax/line``.
    let key: String

    // MARK: Reading

    private func content() throws(AuthFailure) -> (bytes: [UInt8]?, text: String) {
        let bytes = try PrivateFile.read(path)
        return (bytes, try bytes.map { [path] bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? "")
    }

    private var unreadable: AuthFailure {
        AuthFailure(.configuration, text: "\(path) cannot be read, so it is not changed", hint: "correct it, and run the command again")
    }

    /// Returns the lines of the file.
    func lines() throws(AuthFailure) -> [String] { try content().text.split(separator: "\n").map { String($0.trimmed) } }

    /// Returns the value in the syntax of the file; `nil` if it is not set. Throws `.configuration` if the file cannot be read.
    func value() throws(AuthFailure) -> String? { try sibling(key, isRaw: true) }

    /// Returns the value of a string.
    func text() throws(AuthFailure) -> String? { try sibling(key) }

    /// Returns the value of another key of the table: the text of a string, otherwise the value as it is written.
    func sibling(_ name: String, isRaw: Bool = false) throws(AuthFailure) -> String? {
        let text = try content().text
        switch syntax {
        case .json:
            guard !text.allSatisfy(\.isWhitespace) else { return nil }
            guard let root = try? JSONValue(strict: JSONEditor.plain(text)), root.members != nil else { throw unreadable }
            let value = table.reduce(root as JSONValue?) { $0?[$1] }?[name]
            return isRaw ? value?.text : value?.string ?? value?.text
        case .toml:
            guard let document = try? TOMLDocument(text) else { throw unreadable }
            let value = document.root[path: table + [name]]
            return isRaw ? value.map(TOMLText.value) : value?.string ?? value.map(TOMLText.value)
        case .section:
            let lines = Self.lines(of: text)
            return Self.range(of: table[0], in: lines).flatMap { range in
                lines[range].compactMap(Self.setting).first { $0.key == name }?.value
            }
        case .line: return text.split(separator: "\n").contains { $0.trimmed == name } ? "" : nil
        }
    }

    /// Returns the names of the tables beside this one, or of all sections.
    func tables() throws(AuthFailure) -> [String] {
        let text = try content().text
        if syntax == .section { return Self.lines(of: text).compactMap(Self.section) }
        guard syntax == .toml, let first = table.first else { return [] }
        guard let document = try? TOMLDocument(text) else { throw unreadable }
        guard case .table(let members)? = document.root[path: [first]] else { return [] }
        return members.map(\.name)
    }

    // MARK: Changing

    /// Returns the edit that sets the value, in the syntax of the file, or removes it; `nil` if nothing changes.
    ///
    /// - Parameter more: further keys of the table, which come and go with it.
    func edit(to value: String?, more: [(key: String, value: String)] = []) throws(AuthFailure) -> FileEdit? {
        let (bytes, text) = try content()
        let changed: String? =
            switch syntax {
            case .json: editedJSON(text, value)
            case .toml: editedTOML(text, value, more)
            case .section: editedSection(text, value)
            case .line: editedLine(text, isSet: value != nil)
            }
        guard let changed else { throw unreadable }
        guard changed != text else { return nil }
        let isEmpty = changed.isEmpty || syntax == .json && changed == "{}\n"
        return FileEdit(path: path, before: bytes, after: changed, isRemoval: isEmpty && bytes != nil)
    }

    private func editedJSON(_ text: String, _ value: String?) -> String? {
        var editor = JSONEditor(text.allSatisfy(\.isWhitespace) ? "{}\n" : text)
        if let value {
            guard let json = try? JSONValue(strict: value) else { return nil }
            editor.set(key, to: json, inObject: table)
        } else {
            editor.remove(key, inObject: table)
        }
        guard let result = try? JSONValue(strict: JSONEditor.plain(editor.text)) else { return nil }
        return (table.reduce(result as JSONValue?) { $0?[$1] }?[key] == nil) == (value == nil) ? editor.text : nil
    }

    private func editedTOML(_ text: String, _ value: String?, _ more: [(key: String, value: String)]) -> String? {
        var editor = TOMLEditor(text)
        do {
            // A table of its own goes as a whole.
            if !more.isEmpty { try editor.remove(table: table) }
            if let value, more.isEmpty { try editor.set(key, in: table, to: value) }
            if let value, !more.isEmpty { editor.append(table: table, values: [(key, value)] + more) }
            if value == nil, more.isEmpty { try editor.remove(key, in: table) }
        } catch { return nil }
        return editor.text
    }

    private func editedSection(_ text: String, _ value: String?) -> String? {
        var lines = Self.lines(of: text)
        if let range = Self.range(of: table[0], in: lines) {
            let old = lines[range].firstIndex { Self.setting($0)?.key == key }
            if let value {
                if let old {
                    lines[old] = Substring("\(key) = \(value)")
                } else {
                    lines.insert(Substring("\(key) = \(value)"), at: range.lowerBound)
                }
            } else if let old {
                let hasMore = range.contains { $0 != old && !lines[$0].trimmed.isEmpty }
                // The empty line before a section separates it from the one before.
                let isLast = range.upperBound == lines.count && range.lowerBound > 1 && lines[range.lowerBound - 2].isEmpty
                lines.removeSubrange(hasMore ? old..<old + 1 : range.lowerBound - (isLast ? 2 : 1)..<old + 1)
            }
            return lines.joined(separator: "\n")
        }
        guard let value else { return text }
        let start = text.isEmpty ? "" : text.hasSuffix("\n") ? text + "\n" : text + "\n\n"
        return start + "[\(table[0])]\n\(key) = \(value)\n"
    }

    private func editedLine(_ text: String, isSet: Bool) -> String {
        if isSet {
            guard !text.split(separator: "\n").contains(where: { $0.trimmed == key }) else { return text }
            // A setting of TOML must come before the first table.
            return path.hasSuffix(".toml") ? "\(key)\n" + text : (text.isEmpty || text.hasSuffix("\n") ? text : text + "\n") + "\(key)\n"
        }
        var lines = Self.lines(of: text)
        guard let index = lines.firstIndex(where: { $0.trimmed == key }) else { return text }
        lines.remove(at: index)
        return lines.joined(separator: "\n")
    }

    private static func lines(of text: String) -> [Substring] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func section(_ line: Substring) -> String? {
        let text = line.trimmed
        return text.first == "[" && text.last == "]" ? String(text.dropFirst().dropLast()) : nil
    }

    private static func setting(_ line: Substring) -> (key: String, value: String)? {
        guard let first = line.trimmed.first, !"#;[".contains(first), let equals = line.firstIndex(of: "=") else { return nil }
        return (String(line[..<equals].trimmed), String(line[line.index(after: equals)...].trimmed))
    }

    private static func range(of section: String, in lines: [Substring]) -> Range<Int>? {
        guard let start = lines.firstIndex(where: { Self.section($0) == section }) else { return nil }
        return start + 1..<(lines[(start + 1)...].firstIndex { Self.section($0) != nil } ?? lines.count)
    }
}
