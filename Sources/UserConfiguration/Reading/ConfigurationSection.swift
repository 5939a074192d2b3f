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
            throw error(
                UserMessage("config.must_be_table", ["section": Self.title(path)]),
                hint: UserMessage("hint.write_as_table", ["section": path.joined(separator: ".")]))
        }
    }

    /// The keys of the table, with their values.
    package var members: [TOMLValue.Member] { values.members ?? [] }

    /// The keys of the table.
    package var keys: [String] { values.members?.map(\.name) ?? [] }

    /// Throws for the first key, in file order, that is not in `known`.
    ///
    /// - Parameter listed: the keys that the hint lists if no known key is similar; `nil` for `known`.
    package func refuseKeys(otherThan known: [String], listing listed: [String]?) throws(AuthFailure) {
        let unknown = keys.filter { !known.contains($0) }
        guard let first = unknown.min(by: { line(of: $0) < line(of: $1) }) else { return }
        let near = known.nearest(to: first)
        throw error(
            UserMessage("config.unknown_key", ["key": first, "section": Self.title(path)]), at: first,
            hint: near.map { UserMessage("hint.did_you_mean_key", ["key": $0]) }
                ?? UserMessage("hint.known_keys", ["keys": (listed ?? known).joined(separator: ", ")]))
    }

    /// Returns a failure at the line of `key`, or of the table if `key` is `nil`.
    package func error(_ problem: UserMessage, at key: String? = nil, hint: UserMessage? = nil) -> AuthFailure {
        AuthFailure(in: document.place(path + (key.map { [$0] } ?? [])), problem, hint: hint)
    }

    private func line(of key: String) -> Int { document.line(of: path + [key]) ?? .max }

    package static func title(_ path: [String]) -> UserMessage {
        path.isEmpty ? "phrase.the_configuration" : .verbatim("[\(path.joined(separator: "."))]")
    }

    // MARK: Values

    package subscript(_ key: String) -> TOMLValue? { values[key] }

    package func text(_ key: String) throws(AuthFailure) -> String? {
        guard let value = values[key] else { return nil }
        guard let text = value.string else { throw wrongType(key, UserMessage("phrase.a_quoted_string")) }
        guard !text.isEmpty else {
            throw error(UserMessage("config.empty_value", ["key": key]), at: key, hint: "hint.set_value_or_remove_key")
        }
        return text
    }

    package func requiredText(_ key: String, hint: UserMessage) throws(AuthFailure) -> String {
        guard let text = try text(key) else { throw missing(key, hint: hint) }
        return text
    }

    package func flag(_ key: String) throws(AuthFailure) -> Bool? {
        guard let value = values[key] else { return nil }
        guard let flag = value.boolean else { throw wrongType(key, UserMessage("phrase.expected_true_or_false")) }
        return flag
    }

    package func wholeNumber(_ key: String, within range: ClosedRange<Int64>) throws(AuthFailure) -> Int64? {
        guard let value = values[key] else { return nil }
        guard let number = value.integer else { throw wrongType(key, UserMessage("phrase.an_integer")) }
        guard range.contains(number) else {
            throw error(
                UserMessage("config.number_is", ["key": key, "value": number]), at: key,
                hint: UserMessage("hint.number_range", ["minimum": range.lowerBound, "maximum": range.upperBound]))
        }
        return number
    }

    /// Returns a list of strings, none of them empty.
    package func texts(_ key: String) throws(AuthFailure) -> [String]? {
        guard let value = values[key] else { return nil }
        guard let texts = value.strings, !texts.contains("") else { throw wrongType(key, UserMessage("phrase.a_list_of_strings")) }
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
        let near = known.nearest(to: text).map { UserMessage("phrase.did_you_mean_too", ["value": $0]) } ?? .empty
        return error(
            UserMessage("config.unknown_value", ["key": key, "value": text]), at: key,
            hint: UserMessage("hint.known_values", ["values": known.joined(separator: ", "), "suggestion": near]))
    }

    private func wrongType(_ key: String, _ wanted: UserMessage) -> AuthFailure {
        error(UserMessage("config.must_be", ["key": key, "expected": wanted]), at: key)
    }
}
