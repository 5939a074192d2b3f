package import AuthModel
package import TOML

/// A configuration file of the administrator, for all users of the machine.
package struct SystemConfiguration: Sendable {
    /// The absolute path.
    package let path: String
    /// The content.
    package let text: String

    /// Creates a file from its path and content.
    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Reads `config.toml` of each folder; leaves out missing files.
    ///
    /// Throws `.configuration` if a folder or file belongs to another user than this one and root, or if others can change it.
    package static func files(in folders: [String]) throws(AuthFailure) -> [SystemConfiguration] {
        var files: [SystemConfiguration] = []
        for folder in folders {
            let path = folder + "/config.toml"
            guard FileStatus.exists(path) else { continue }
            try PrivateFile.checkDirectory(folder)
            guard let bytes = try PrivateFile.read(path) else { continue }
            files.append(SystemConfiguration(path: path, text: try PrivateFile.text(bytes, of: path)))
        }
        return files
    }
}

extension PrivateFile {
    /// Returns the content of a file as text. Throws `.configuration` if it is not UTF-8.
    package static func text(_ bytes: [UInt8], of path: String) throws(AuthFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AuthFailure(.configuration, UserMessage("file.not_utf8", ["path": path]), hint: "hint.save_as_utf8")
        }
        return text
    }
}

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
        return try (section.texts("locked") ?? []).map { (text) throws(AuthFailure) -> LockedKey in
            guard let path = Self.path(text), isKnown(path) else {
                throw section.error(UserMessage("config.not_a_lockable_key", ["key": text]), at: "locked", hint: "hint.lockable_key_form")
            }
            return LockedKey(path: path, text: text, place: document.location(of: ["policy", "locked"]))
        }
    }

    /// Returns the parts of a dotted TOML key; the name of a provider may be `*`.
    private static func path(_ text: String) -> [String]? {
        guard !text.contains(where: { "=#{}[]".contains($0) }) else { return nil }
        var quoted = text.replacing("providers.*", with: "providers.\"*\"")
        quoted += " = 0"
        return try? TOMLDocument(quoted).entries.first?.path
    }

    private func isKnown(_ path: [String]) -> Bool {
        guard path.count > 1 else { return (ConfigurationReader.userTables + ConfigurationReader.userKeys + ["presets"]).contains(path[0]) }
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

/// A key that an administrator locked: `locked` in `[policy]` of a system file.
package struct LockedKey: Equatable, Sendable {
    /// The path of the key or table from the root. `*` as the name of a provider stands for each provider of the system files.
    package let path: [String]
    /// The key as written.
    package let text: String
    /// The file and line that lock it.
    package let place: String

    /// Returns the paths that the lock covers: its key and those that could be used instead, with the providers of the system files instead
    /// of `*`.
    func paths(providers: [String]) -> [[String]] {
        guard path.count > 1, path[0] == "providers" else { return [path] }
        let keys = path.count == 3 ? ([path[2]] + AlternativeKeys.covered(by: path[2])).map { [$0] } : [Array(path.dropFirst(2))]
        return (path[1] == "*" ? providers : [path[1]]).flatMap { name in keys.map { ["providers", name] + $0 } }
    }
}

/// A setting of the user that has no effect, because an administrator locked its key.
package struct IgnoredSetting: Equatable, Sendable {
    /// The path of the key or table from the root.
    package let path: [String]
    /// The file and line of the setting.
    package let place: String
    /// The lock.
    package let lock: LockedKey

    /// The failure for an attempt to write the setting.
    var lockedFailure: AuthFailure { AuthFailure(.configuration, locked, hint: "hint.ask_administrator") }

    private var locked: UserMessage { UserMessage("config.key_locked", ["key": path.joined(separator: "."), "place": lock.place]) }

    /// The failure for a file that contains the setting.
    package var failure: AuthFailure {
        AuthFailure(in: place, locked, hint: "hint.remove_or_ask_administrator")
    }
}

/// Applies the locks of the system files to the user's file.
struct KeyLocks {
    let locks: [LockedKey]
    /// The names of the providers of the system files.
    let providers: [String]

    /// Returns the user's document without the locked settings, and these settings.
    func apply(to document: ConfigurationDocument) -> (document: ConfigurationDocument, ignored: [IgnoredSetting]) {
        var root = document.root
        var ignored: [IgnoredSetting] = []
        for lock in locks {
            for path in lock.paths(providers: providers) where root[path: path] != nil {
                ignored.append(IgnoredSetting(path: path, place: document.location(of: path), lock: lock))
                root = root.removing(path[...])
            }
        }
        return ignored.isEmpty ? (document, []) : (document.with(root: root), ignored)
    }

    /// Returns a system file's document with nothing but the locked keys. Of a provider that the user's file does not define, single locked
    /// keys are left out.
    func excerpt(of document: ConfigurationDocument, for user: TOMLValue) -> ConfigurationDocument {
        var root = TOMLValue.table([])
        for path in locks.flatMap({ $0.paths(providers: providers) }) {
            if path[0] == "providers", path.count > 2, user[path: Array(path.prefix(2))] == nil { continue }
            guard let value = document.root[path: path] else { continue }
            root = value.placed(at: path).merged(over: root)
        }
        return document.with(root: root)
    }
}

/// The keys of a provider that do the same as other ones, in one table for the reader, for the layers of files and for the locks.
enum AlternativeKeys {
    /// Groups of mutually exclusive keys. A key in a file of higher precedence replaces any key of its group in the files below.
    static let groups = [
        ["client_secret_file", "client_secret_command"], ["redirect", "paste_redirect"], ["assertion_file", "assertion_command"],
    ]

    /// Keys that have a say in what another one decides: which servers a sign-in uses, and where tokens may be sent.
    private static let influences = [
        "issuer": [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint",
            "device_authorization_endpoint", "device_token_endpoint", "refresh_endpoint", "long_lived_endpoint", "discovery",
            "issuer_pattern", "trusted_audiences", "sign_in_hosts",
        ],
        "api_hosts": ["resource", "api_host_from"], "start_url": ["region", "endpoint"],
    ]

    /// Returns the other keys of the key's group.
    static func alternatives(to key: String) -> [String] { groups.first { $0.contains(key) }?.filter { $0 != key } ?? [] }

    /// Returns the other keys that a lock of this key covers.
    static func covered(by key: String) -> [String] { alternatives(to: key) + (influences[key] ?? []) }
}

/// Values of one file over those of another.
extension TOMLValue {
    /// Returns this value over a lower one: two tables become one with the keys of both; any other value replaces the lower one.
    package func merged(over lower: TOMLValue) -> TOMLValue {
        guard let upperMembers = members, let lowerMembers = lower.members else { return self }
        let upper = Dictionary(upperMembers.map { ($0.name, $0.value) }) { first, _ in first }
        var names: Set<String> = []
        var result: [Member] = []
        for member in lowerMembers {
            names.insert(member.name)
            if let value = upper[member.name] {
                result.append(Member(member.name, value.merged(over: member.value)))
            } else if !AlternativeKeys.alternatives(to: member.name).contains(where: { upper[$0] != nil }) {
                result.append(member)
            }
        }
        return .table(result + upperMembers.filter { !names.contains($0.name) })
    }

    /// Returns this table without the value at a path.
    package func removing(_ path: ArraySlice<String>) -> TOMLValue {
        guard let name = path.first, let members else { return self }
        return .table(
            members.compactMap { member in
                guard member.name == name else { return member }
                return path.count == 1 ? nil : Member(name, member.value.removing(path.dropFirst()))
            })
    }

    /// Returns a table with nothing but this value, at a path.
    package func placed(at path: [String]) -> TOMLValue { path.reversed().reduce(self) { .table([Member($1, $0)]) } }
}
