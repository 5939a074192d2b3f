import TOML
public import TerminalUI
import Themes

/// The built-in themes, read from their files.
public enum ShippedThemes {
    /// The theme names, the default first.
    public static var names: [String] { Themes.all.map(\.name) }

    /// The themes with colours, and the minimum contrast that each guarantees for text (WCAG 2.1): AA, and AAA in `contrast`.
    public static var coloured: [(name: String, least: Double)] {
        names.filter { $0 != "plain" }.map { ($0, $0 == "contrast" ? 7 : 4.5) }
    }

    /// Returns the theme with that name.
    /// - Throws: if there is no such theme, or its file has an error.
    public static func theme(_ name: String) throws -> Theme {
        let content = Themes.all.first { $0.name == name }?.content ?? []
        let document = try TOMLDocument(String(decoding: content, as: UTF8.self))
        return try ThemeDefinition(name: name, items: items(document.root)).checked()
    }

    /// Converts a TOML table into theme items.
    private static func items(_ table: TOMLValue) -> [ThemeItem] {
        (table.members ?? []).map { ThemeItem($0.name, value($0.value)) }
    }

    private static func value(_ value: TOMLValue) -> ThemeValue {
        switch value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(Int(number))
        case .array(let elements): .list(elements.map(Self.value))
        case .table: .table(items(value))
        case .float, .boolean, .moment: .other("neither text, number, list nor table")
        }
    }
}
