internal import AuthModel
internal import ProviderKinds
internal import TOML
internal import UserConfiguration

/// A `--set KEY=VALUE` option: a provider key, and its value in the type that the key needs.
enum SettingArgument {
    /// The keys with an option of their own.
    private static let options = [
        "client_id": "--client-id", "client_secret_file": "--client-secret-file", "scopes": "--scope", "redirect": "--redirect",
        "paste_redirect": "--paste-redirect", "post_logout_redirect": "--post-logout-redirect", "kind": "--kind",
    ]
    /// The keys that only the configuration file can have: they are no settings of the service.
    private static let others: Set = ["issuer", "hidden", "registered_scopes"]
    /// The keys whose value is a list; the elements are separated by commas.
    private static let lists: Set = ["api_hosts", "capture", "invoke_hosts"]
    /// The keys whose value is a whole number.
    private static let numbers: Set = ["login_timeout", "refresh_minutes", "exchange_minutes", "renew_timeout"]

    /// The keys that can be set; a key of a table, such as `extra_params`, is followed by a dot and a name.
    static let known = Set(ProviderReader.keys + ProviderKind.allCases.flatMap(ConfigurationRules.standard.ownKeys))
        .subtracting(options.keys).subtracting(others)

    /// Parses the options. Throws `.usage`.
    static func members(_ texts: [String]) throws(AuthFailure) -> [TOMLValue.Member] {
        var members: [TOMLValue.Member] = []
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw AuthFailure(.usage, text: "'\(text)' is not a setting", hint: "write it as --set key=value")
            }
            let key = String(text[..<equals])
            try check(key)
            guard !members.contains(where: { $0.name == key }) else { throw AuthFailure(.usage, text: "'\(key)' is set twice") }
            members.append(.init(key, value(String(text[text.index(after: equals)...]), of: key)))
        }
        return members
    }

    private static func check(_ key: String) throws(AuthFailure) {
        let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard !known.contains(String(parts[0])) || parts.contains("") else { return }
        if let option = options[key] { throw AuthFailure(.usage, text: "'\(key)' has an option of its own", hint: "use \(option)") }
        let hint =
            key == "client_secret"
            ? "a secret belongs into a file: use --client-secret-file"
            : known.nearest(to: key).map { "did you mean \($0)?" } ?? "set it in the configuration file"
        throw AuthFailure(.usage, text: "'\(key)' cannot be set with --set", hint: hint)
    }

    private static func value(_ text: String, of key: String) -> TOMLValue {
        if lists.contains(key) {
            return .array(text.split(separator: ",").map { .string(String($0).trimmed.description) })
        }
        if numbers.contains(key), let number = Int64(text) { return .integer(number) }
        // No key has these words as a text.
        if text == "true" || text == "false" { return .boolean(text == "true") }
        return .string(text)
    }
}
