import TOMLKit
public import TerminalUI
import Themes

/// The themes that come with the program, read from their files.
public enum ShippedThemes {
    /// Their names, the default first.
    public static var names: [String] { Themes.all.map(\.name) }

    /// The theme of that name. Throws for a name there is none of, and for a file with a mistake.
    public static func theme(_ name: String) throws -> Theme {
        let content = Themes.all.first { $0.name == name }?.content ?? []
        let table = try TOMLTable(string: String(decoding: content, as: UTF8.self))
        return try ThemeDefinition(name: name, items: items(table)).checked()
    }

    /// A TOML table in the form that themes are read from.
    private static func items(_ table: TOMLTable) -> [ThemeItem] {
        table.keys.sorted().compactMap { key in table[key].map { ThemeItem(key, value($0)) } }
    }

    private static func value(_ value: any TOMLValueConvertible) -> ThemeValue {
        if let text = value.string { return .string(text) }
        if let number = value.int { return .integer(number) }
        if let array = value.array { return .list(array.map { Self.value($0) }) }
        if let table = value.table { return .table(items(table)) }
        return .other("\(value.type)")
    }
}
