internal import AuthModel
internal import TOML

/// Reads `[policy]` of a system file: `locked`, a list of keys and tables, and `presets` for the user's folder of presets.
///
/// A key that does not exist is an error, so that a misspelt lock is noticed.
struct PolicyReader {
    let document: ConfigurationDocument
    let rules: ConfigurationRules

    func read() throws(AuthFailure) -> [LockedKey] {
        guard let values = document.root["policy"] else { return [] }
        let section = try ConfigurationSection(values, at: ["policy"], of: document)
        try section.refuseKeys(otherThan: ["locked"])
        var locks: [LockedKey] = []
        for text in try section.texts("locked") ?? [] {
            guard let path = Self.path(text), isKnown(path) else {
                throw section.error(UserMessage("config.not_a_lockable_key", ["key": text]), at: "locked", hint: "hint.lockable_key_form")
            }
            locks.append(LockedKey(path: path, text: text, place: document.place(["policy", "locked"])))
        }
        return locks
    }

    /// Returns the parts of a dotted TOML key; the name of a provider may be `*`.
    private static func path(_ text: String) -> [String]? {
        guard !text.contains(where: { "=#{}[]".contains($0) }) else { return nil }
        var quoted = text.replacing("providers.*", with: "providers.\"*\"")
        quoted += " = 0"
        return try? TOMLDocument(quoted).entries.first?.path
    }

    private func isKnown(_ path: [String]) -> Bool {
        guard path.count > 1 else { return (ConfigurationReader.userTables + ["presets"]).contains(path[0]) }
        switch path[0] {
        case "providers":
            guard path[1] == "*" || ProviderName(path[1]) != nil else { return false }
            return path.count == 2
                || path.count == 3 && (ProviderReader.keys + ProviderKind.allCases.flatMap(rules.ownKeys)).contains(path[2])
        case "keys":
            guard rules.keys.screens.contains(path[1]) else { return false }
            return path.count == 2 || path.count == 3 && rules.keys.actions(on: path[1]).contains(path[2])
        default: return path.count == 2 && ConfigurationReader.keys[path[0]]?.contains(path[1]) == true
        }
    }
}
