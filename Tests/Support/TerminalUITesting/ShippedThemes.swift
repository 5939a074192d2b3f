import TOML
public import TerminalUI
import Themes

/// The themes that come with the program, read from their files.
public enum ShippedThemes {
    /// Their names, the default first.
    public static var names: [String] { Themes.all.map(\.name) }

    /// Those with colours, and the least contrast that each promises for text (WCAG 2.1): AA, and AAA in `contrast`.
    public static var coloured: [(name: String, least: Double)] {
        names.filter { $0 != "plain" }.map { ($0, $0 == "contrast" ? 7 : 4.5) }
    }

    /// The theme of that name. Throws for a name there is none of, and for a file with a mistake.
    public static func theme(_ name: String) throws -> Theme {
        let content = Themes.all.first { $0.name == name }?.content ?? []
        let document = try TOMLDocument(String(decoding: content, as: UTF8.self))
        return try ThemeDefinition(name: name, items: items(document.root)).checked()
    }

    /// A TOML table in the form that themes are read from.
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
