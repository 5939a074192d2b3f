public import AuthModel

/// A named setting, which can be read and changed as JSON.
public struct SandboxSetting<Settings>: Sendable {
    /// The name.
    public let name: String
    /// A description of the setting, in a few words.
    public let summary: String
    /// Changes the setting; returns `false` if the value is invalid.
    let set: @Sendable (inout Settings, JSONValue) -> Bool
    /// Returns the current value.
    let value: @Sendable (Settings) -> JSONValue

    /// Creates a setting with a value that converts from and to JSON.
    static func of<Value>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ summary: String,
        read: @escaping @Sendable (JSONValue) -> Value?, write: @escaping @Sendable (Value) -> JSONValue
    ) -> SandboxSetting {
        SandboxSetting(
            name: name, summary: summary,
            set: { settings, json in
                guard let value = read(json) else { return false }
                settings[keyPath: path] = value
                return true
            }, value: { write($0[keyPath: path]) })
    }

    static func flag(_ name: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, _ summary: String) -> SandboxSetting {
        of(name, path, summary, read: \.bool, write: { .bool($0) })
    }

    static func text(_ name: String, _ path: any WritableKeyPath<Settings, String> & Sendable, _ summary: String) -> SandboxSetting {
        of(name, path, summary, read: \.string, write: { .string($0) })
    }

    /// Creates a text setting that may be `null`.
    static func optionalText(_ name: String, _ path: any WritableKeyPath<Settings, String?> & Sendable, _ summary: String) -> SandboxSetting
    {
        of(
            name, path, summary, read: { $0 == .null ? .some(nil) : $0.string.map { .some($0) } },
            write: { $0.map(JSONValue.string) ?? .null })
    }

    static func texts(_ name: String, _ path: any WritableKeyPath<Settings, [String]> & Sendable, _ summary: String) -> SandboxSetting {
        of(name, path, summary, read: \.strings, write: { .array($0.map(JSONValue.string)) })
    }

    /// Creates a setting with lists of texts by their names.
    static func lists(
        _ name: String, _ path: any WritableKeyPath<Settings, [String: [String]]> & Sendable, _ summary: String
    ) -> SandboxSetting {
        of(
            name, path, summary,
            read: { json in
                guard let members = json.members else { return nil }
                var lists: [String: [String]] = [:]
                for member in members {
                    guard let texts = member.value.strings else { return nil }
                    lists[member.name] = texts
                }
                return lists
            },
            write: { .object($0.sorted { $0.key < $1.key }.map { .init($0.key, .array($0.value.map(JSONValue.string))) }) })
    }

    static func number(
        _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, _ summary: String,
        within range: ClosedRange<Int> = 0...Int.max
    ) -> SandboxSetting {
        of(name, path, summary, read: { $0.integer.map { Int($0) }.flatMap { range.contains($0) ? $0 : nil } }, write: { .number($0) })
    }

    /// Creates a duration setting in seconds, up to a hundred years; negative only if `isSigned`.
    static func seconds(
        _ name: String, _ path: any WritableKeyPath<Settings, Duration> & Sendable, _ summary: String, isSigned: Bool = false
    ) -> SandboxSetting {
        let longest = 3_155_760_000.0
        return of(
            name, path, summary,
            read: { json in
                guard let seconds = json.double, ((isSigned ? -longest : 0)...longest).contains(seconds) else { return nil }
                return .milliseconds(Int64(seconds * 1000))
            }, write: { .number(Int($0.components.seconds)) })
    }

    /// Creates a setting with a case of an enumeration.
    static func word<Word: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Settings, Word> & Sendable, _ summary: String
    ) -> SandboxSetting where Word.RawValue == String {
        of(
            name, path, summary + ": " + Word.allCases.map(\.rawValue).joined(separator: ", "),
            read: { $0.string.flatMap(Word.init(rawValue:)) }, write: { .string($0.rawValue) })
    }
}

/// An unknown setting, or an invalid value for a known one.
public struct UnknownSandboxSetting: Error, Equatable, Sendable {
    /// The name of the setting.
    public var name: String
    /// Whether the setting exists and only its value is invalid.
    public var isKnown: Bool
    /// The most similar name of a setting.
    public var nearest: String?
}

extension VendorSettings {
    /// Changes one setting.
    public mutating func set(_ name: String, to value: JSONValue) throws(UnknownSandboxSetting) {
        try Self.sandboxSettings.set(name, to: value, in: &self)
    }
}

extension Array {
    /// Changes the setting with this name.
    func set<Settings>(_ name: String, to value: JSONValue, in settings: inout Settings) throws(UnknownSandboxSetting)
    where Element == SandboxSetting<Settings> {
        guard let setting = first(where: { $0.name == name }) else {
            throw UnknownSandboxSetting(name: name, isKnown: false, nearest: map(\.name).nearest(to: name))
        }
        guard setting.set(&settings, value) else { throw UnknownSandboxSetting(name: name, isKnown: true, nearest: nil) }
    }
}
