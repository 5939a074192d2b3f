package import AuthModel
internal import TOML

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
                ignored.append(IgnoredSetting(path: path, place: document.place(path), lock: lock))
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
