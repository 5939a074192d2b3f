package import AuthModel
internal import TOML

/// The typed access that provider kinds use to read their own keys.
extension ConfigurationSection: SettingsTable {
    package func has(_ key: String) -> Bool { self[key] != nil }

    package func url(_ key: String) throws(AuthFailure) -> WebURL? {
        guard let text = try text(key) else { return nil }
        if let url = WebURL(text), url.isProtected, url.fragment == nil { return url }
        throw error("'\(key)' is refused", at: key, hint: Self.urlHint(text, plain: "use an https URL without a fragment"))
    }

    package func issuer() throws(AuthFailure) -> Issuer? {
        guard let text = try text("issuer") else { return nil }
        if let issuer = Issuer(text) { return issuer }
        throw error(
            "the issuer '\(text)' is refused", at: "issuer",
            hint: Self.urlHint(text, plain: "use an https URL without a query or fragment"))
    }

    private static func urlHint(_ text: String, plain: String) -> String {
        guard let url = WebURL(text), url.origin.scheme == .http, !url.isProtected else { return plain }
        return url.origin.host == "localhost"
            ? "http is allowed for loopback addresses only: write 127.0.0.1 instead of localhost"
            : "http is allowed for loopback addresses only, such as 127.0.0.1; use https"
    }

    package func scopes(_ key: String) throws(AuthFailure) -> [String]? {
        let values = try texts(key)
        if let bad = values?.first(where: { !ScopeSet.isScope($0) }) {
            throw error("'\(bad)' is not a scope", at: key, hint: "write one scope per string: \(key) = [\"openid\", \"profile\"]")
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
        guard !words.isEmpty else { throw error("'\(key)' contains no command", at: key, hint: "write it as \(example)") }
        return words
    }

    package func session(_ key: String) throws(AuthFailure) -> SessionName? {
        guard let text = try text(key) else { return nil }
        if let name = SessionName(text) { return name }
        throw error("'\(text)' is not a session name", at: key, hint: "write PROVIDER or PROVIDER/ACCOUNT")
    }

    package func refuse(_ keys: [String], because reason: String) throws(AuthFailure) {
        guard let key = keys.first(where: has) else { return }
        throw error("'\(key)' is not allowed here: \(reason)", at: key, hint: "remove it")
    }

    package func missing(_ key: String, hint: String) -> AuthFailure { error("'\(key)' is missing in \(Self.title(path))", hint: hint) }
}
