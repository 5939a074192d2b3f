package import AuthModel
package import TOML

/// One table of the configuration, with typed access to its keys.
///
/// Every error is `.configuration`, names the file and the line, and says which values are valid. A method returns `nil` if the key is
/// missing.
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
        AuthFailure(in: document.location(of: path + (key.map { [$0] } ?? [])), problem, hint: hint)
    }

    private func line(of key: String) -> Int { document.line(of: path + [key]) ?? .max }

    package static func title(_ path: [String]) -> UserMessage {
        path.isEmpty ? "phrase.the_configuration" : .verbatim("[\(path.joined(separator: "."))]")
    }

    // MARK: Values

    package subscript(_ key: String) -> TOMLValue? { values[key] }

    /// Returns a text that is not empty.
    package func text(_ key: String) throws(AuthFailure) -> String? {
        guard let value = values[key] else { return nil }
        guard let text = value.string else { throw wrongType(key, UserMessage("phrase.a_quoted_string")) }
        guard !text.isEmpty else {
            throw error(UserMessage("config.empty_value", ["key": key]), at: key, hint: "hint.set_value_or_remove_key")
        }
        return text
    }

    /// Returns a text that is not empty, and throws if the key is missing; `hint` says what to add.
    package func requiredText(_ key: String, hint: UserMessage) throws(AuthFailure) -> String {
        guard let text = try text(key) else { throw missing(key, hint: hint) }
        return text
    }

    /// Returns a Boolean.
    package func flag(_ key: String) throws(AuthFailure) -> Bool? {
        guard let value = values[key] else { return nil }
        guard let flag = value.boolean else { throw wrongType(key, UserMessage("phrase.expected_true_or_false")) }
        return flag
    }

    /// Returns a whole number within `range`.
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

    /// Returns an integer or a list of integers, as a list.
    package func integers(_ key: String) throws(AuthFailure) -> [Int64]? {
        guard let value = values[key] else { return nil }
        let numbers = (value.array ?? [value]).map(\.integer)
        guard !numbers.contains(nil) else { throw wrongType(key, UserMessage("phrase.an_integer")) }
        return numbers.compactMap(\.self)
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

    /// Returns the error for a word that is not one of the known words.
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

/// The typed access that provider kinds use to read their own keys.
extension ConfigurationSection {
    /// Whether the key is present.
    package func has(_ key: String) -> Bool { self[key] != nil }

    /// Returns the table of a key.
    package func table(_ key: String) throws(AuthFailure) -> ConfigurationSection? {
        guard let values = self[key] else { return nil }
        return try ConfigurationSection(values, at: path + [key], of: document)
    }

    /// Throws for a key that is not in `known`.
    package func refuseKeys(otherThan known: [String]) throws(AuthFailure) { try refuseKeys(otherThan: known, listing: nil) }

    /// Returns a URL that secrets may be sent to: https, or http on a loopback address literal, without a fragment.
    package func url(_ key: String) throws(AuthFailure) -> WebURL? {
        guard let text = try text(key) else { return nil }
        if let url = WebURL(text), url.isRequestable, url.fragment == nil { return url }
        throw error(
            UserMessage("config.refused", ["key": key]), at: key,
            hint: Self.urlHint(text, plain: UserMessage("hint.https_without_fragment")))
    }

    /// Returns the value of the common key `issuer`.
    package func issuer() throws(AuthFailure) -> Issuer? {
        guard let text = try text("issuer") else { return nil }
        if let issuer = Issuer(text) { return issuer }
        throw error(
            UserMessage("config.issuer_refused", ["issuer": text]), at: "issuer",
            hint: Self.urlHint(text, plain: UserMessage("hint.https_without_query_or_fragment")))
    }

    private static func urlHint(_ text: String, plain: UserMessage) -> UserMessage {
        guard let url = WebURL(text), url.origin.scheme == .http, !url.isRequestable else { return plain }
        return UserMessage("hint.http_loopback_only")
    }

    /// Returns a list of scopes, one per element.
    package func scopes(_ key: String) throws(AuthFailure) -> [String]? {
        let values = try texts(key)
        if let bad = values?.first(where: { !ScopeSet.isScope($0) }) {
            throw error(
                UserMessage("config.not_a_scope", ["scope": bad]), at: key, hint: UserMessage("hint.one_scope_per_string", ["key": key]))
        }
        return values
    }

    /// Returns a command as an argument vector. The value is a list, or words separated by spaces.
    ///
    /// - Parameter example: a command as it is written in the file, for the error message.
    package func command(_ key: String, example: String) throws(AuthFailure) -> [String]? {
        guard let value = self[key] else { return nil }
        let words: [String]
        if let line = value.string {
            words = line.split(separator: " ").map(String.init)
        } else {
            words = try texts(key) ?? []
        }
        guard !words.isEmpty else {
            throw error(UserMessage("config.no_command", ["key": key]), at: key, hint: UserMessage("hint.write_as", ["example": example]))
        }
        return words
    }

    /// Returns the name of a session, or of a provider if it has only one session.
    package func session(_ key: String) throws(AuthFailure) -> SessionName? {
        guard let text = try text(key) else { return nil }
        if let name = SessionName(text) { return name }
        throw error(UserMessage("config.not_a_session_name", ["session": text]), at: key, hint: "hint.session_name_form")
    }

    /// Throws for the first of these keys that is present, because the provider itself determines these values.
    package func refuse(_ keys: [String], because reason: UserMessage) throws(AuthFailure) {
        guard let key = keys.first(where: has) else { return }
        throw error(UserMessage("config.not_allowed_here", ["key": key, "reason": reason]), at: key, hint: "hint.remove_it")
    }

    /// Returns the error for a required key that is missing.
    package func missing(_ key: String, hint: UserMessage) -> AuthFailure {
        error(UserMessage("config.key_missing", ["key": key, "section": Self.title(path)]), hint: hint)
    }
}
