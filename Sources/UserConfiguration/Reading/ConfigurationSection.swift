package import AuthModel
package import TOML

/// One table of the configuration, with typed access to its keys.
///
/// Every error names the file and the line, and says which values are valid.
package struct ConfigurationSection {
    package let document: ConfigurationDocument
    package let path: [String]
    private let values: TOMLValue

    package init(_ values: TOMLValue, at path: [String], of document: ConfigurationDocument) throws(AuthFailure) {
        self.document = document
        self.path = path
        self.values = values
        guard values.members != nil else {
            throw error("\(Self.title(path)) must be a table", hint: "write it as [\(path.joined(separator: "."))]")
        }
    }

    /// The keys of the table, with their values.
    package var members: [TOMLValue.Member] { values.members ?? [] }

    /// The keys of the table.
    package var keys: [String] { values.members?.map(\.name) ?? [] }

    /// Throws for the first key, in file order, that is not in `known`.
    ///
    /// - Parameter listed: the keys that the hint lists if no known key is similar. Default: `known`.
    package func refuseKeys(otherThan known: [String], listing listed: [String]? = nil) throws(AuthFailure) {
        let unknown = keys.filter { !known.contains($0) }
        guard let first = unknown.min(by: { line(of: $0) < line(of: $1) }) else { return }
        let near = known.nearest(to: first)
        throw error(
            "unknown key '\(first)' in \(Self.title(path))", at: first,
            hint: near.map { "did you mean '\($0)'?" } ?? "known keys: " + (listed ?? known).joined(separator: ", "))
    }

    /// Returns a failure at the line of `key`, or of the table if `key` is `nil`.
    package func error(_ summary: String, at key: String? = nil, hint: String? = nil) -> AuthFailure {
        AuthFailure(in: document.place(path + (key.map { [$0] } ?? [])), summary, hint: hint)
    }

    private func line(of key: String) -> Int { document.line(of: path + [key]) ?? .max }

    package static func title(_ path: [String]) -> String { path.isEmpty ? "the configuration" : "[\(path.joined(separator: "."))]" }

    // MARK: Values

    package subscript(_ key: String) -> TOMLValue? { values[key] }

    package func text(_ key: String) throws(AuthFailure) -> String? {
        guard let value = values[key] else { return nil }
        guard let text = value.string else { throw wrongType(key, "a string in quotes") }
        guard !text.isEmpty else { throw error("'\(key)' is empty", at: key, hint: "set a value, or remove the key") }
        return text
    }

    package func requiredText(_ key: String, hint: String) throws(AuthFailure) -> String {
        guard let text = try text(key) else { throw missing(key, hint: hint) }
        return text
    }

    package func flag(_ key: String) throws(AuthFailure) -> Bool? {
        guard let value = values[key] else { return nil }
        guard let flag = value.boolean else { throw wrongType(key, "true or false") }
        return flag
    }

    package func wholeNumber(_ key: String, within range: ClosedRange<Int64>) throws(AuthFailure) -> Int64? {
        guard let value = values[key] else { return nil }
        guard let number = value.integer else { throw wrongType(key, "an integer") }
        guard range.contains(number) else {
            throw error("'\(key)' is \(number)", at: key, hint: "use a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a list of strings, none of them empty.
    package func texts(_ key: String) throws(AuthFailure) -> [String]? {
        guard let value = values[key] else { return nil }
        guard let texts = value.strings, !texts.contains("") else { throw wrongType(key, "a list of strings: [\"…\", \"…\"]") }
        return texts
    }

    /// Returns a string or a list of strings, as a list.
    package func textOrTexts(_ key: String) throws(AuthFailure) -> [String]? {
        if values[key]?.string != nil { return try text(key).map { [$0] } }
        return try texts(key)
    }

    /// Returns a string value as a case of an enumeration; throws if no case matches.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, as type: Word.Type
    ) throws(AuthFailure) -> Word? where Word.RawValue == String {
        guard let text = try text(key) else { return nil }
        if let word = Word(rawValue: text) { return word }
        throw unknownWord(key, text, known: Word.allCases.map(\.rawValue))
    }

    package func unknownWord(_ key: String, _ text: String, known: [String]) -> AuthFailure {
        let near = known.nearest(to: text).map { "; did you mean '\($0)'?" } ?? ""
        return error("unknown \(key) '\(text)'", at: key, hint: "known values: \(known.joined(separator: ", "))\(near)")
    }

    private func wrongType(_ key: String, _ wanted: String) -> AuthFailure {
        error("'\(key)' must be \(wanted)", at: key)
    }
}
