package import AuthModel
internal import TOML

/// The typed access that provider kinds use to read their own keys.
extension ConfigurationSection: SettingsTable {
    package func has(_ key: String) -> Bool { self[key] != nil }

    package func table(_ key: String) throws(AuthFailure) -> (any SettingsTable)? {
        guard let values = self[key] else { return nil }
        return try ConfigurationSection(values, at: path + [key], of: document)
    }

    package func refuseKeys(otherThan known: [String]) throws(AuthFailure) { try refuseKeys(otherThan: known, listing: nil) }

    package func url(_ key: String) throws(AuthFailure) -> WebURL? {
        guard let text = try text(key) else { return nil }
        if let url = WebURL(text), url.isRequestable, url.fragment == nil { return url }
        throw error(
            UserMessage("config.refused", ["key": key]), at: key,
            hint: Self.urlHint(text, plain: UserMessage("hint.https_without_fragment")))
    }

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

    package func scopes(_ key: String) throws(AuthFailure) -> [String]? {
        let values = try texts(key)
        if let bad = values?.first(where: { !ScopeSet.isScope($0) }) {
            throw error(
                UserMessage("config.not_a_scope", ["scope": bad]), at: key, hint: UserMessage("hint.one_scope_per_string", ["key": key]))
        }
        return values
    }

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

    package func session(_ key: String) throws(AuthFailure) -> SessionName? {
        guard let text = try text(key) else { return nil }
        if let name = SessionName(text) { return name }
        throw error(UserMessage("config.not_a_session_name", ["session": text]), at: key, hint: "hint.session_name_form")
    }

    package func refuse(_ keys: [String], because reason: UserMessage) throws(AuthFailure) {
        guard let key = keys.first(where: has) else { return }
        throw error(UserMessage("config.not_allowed_here", ["key": key, "reason": reason]), at: key, hint: "hint.remove_it")
    }

    package func missing(_ key: String, hint: UserMessage) -> AuthFailure {
        error(UserMessage("config.key_missing", ["key": key, "section": Self.title(path)]), hint: hint)
    }
}
