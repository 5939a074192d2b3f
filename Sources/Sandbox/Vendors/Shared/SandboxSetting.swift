public import AuthModel

/// One setting under a name: how it is turned, and how it stands.
public struct SandboxSetting<Settings>: Sendable {
    public let name: String
    /// What it turns, in a few words.
    public let summary: String
    /// Turns it; `false` where it cannot take the value.
    let turn: @Sendable (inout Settings, JSONValue) -> Bool
    /// How it stands.
    let value: @Sendable (Settings) -> JSONValue

    /// A knob of a value with a form in JSON.
    static func of<Value>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ summary: String,
        read: @escaping @Sendable (JSONValue) -> Value?, write: @escaping @Sendable (Value) -> JSONValue
    ) -> SandboxSetting {
        SandboxSetting(
            name: name, summary: summary,
            turn: { settings, json in
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

    /// `null` for none.
    static func optionalText(_ name: String, _ path: any WritableKeyPath<Settings, String?> & Sendable, _ summary: String) -> SandboxSetting
    {
        of(
            name, path, summary, read: { $0 == .null ? .some(nil) : $0.string.map { .some($0) } },
            write: { $0.map(JSONValue.string) ?? .null })
    }

    static func texts(_ name: String, _ path: any WritableKeyPath<Settings, [String]> & Sendable, _ summary: String) -> SandboxSetting {
        of(name, path, summary, read: \.strings, write: { .array($0.map(JSONValue.string)) })
    }

    /// Lists of texts by their names.
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

    /// A length of time of a hundred years at most; one that is less than nothing only where `isSigned`.
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

    /// One of the words of an enumeration.
    static func word<Word: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Settings, Word> & Sendable, _ summary: String
    ) -> SandboxSetting where Word.RawValue == String {
        of(
            name, path, summary + ": " + Word.allCases.map(\.rawValue).joined(separator: ", "),
            read: { $0.string.flatMap(Word.init(rawValue:)) }, write: { .string($0.rawValue) })
    }
}

/// A knob that there is not, or a value that it cannot take.
public struct UnknownSandboxSetting: Error, Equatable, Sendable {
    public var name: String
    /// Whether there is such a knob, and only the value is wrong.
    public var isKnown: Bool
    /// The most similar name there is.
    public var nearest: String?
}

extension VendorSettings {
    /// Turns one knob.
    public mutating func turn(_ name: String, to value: JSONValue) throws(UnknownSandboxSetting) {
        try Self.sandboxSettings.turn(name, to: value, in: &self)
    }
}

extension Array {
    /// Turns the knob of that name.
    func turn<Settings>(_ name: String, to value: JSONValue, in settings: inout Settings) throws(UnknownSandboxSetting)
    where Element == SandboxSetting<Settings> {
        guard let setting = first(where: { $0.name == name }) else {
            throw UnknownSandboxSetting(name: name, isKnown: false, nearest: map(\.name).nearest(to: name))
        }
        guard setting.turn(&settings, value) else { throw UnknownSandboxSetting(name: name, isKnown: true, nearest: nil) }
    }
}
