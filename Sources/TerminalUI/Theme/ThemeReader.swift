/// Reads a parsed theme file and collects its errors.
struct ThemeReader {
    private(set) var problems: [ThemeProblem] = []
    private var palette: [String: ThemeColor] = [:]

    mutating func read(name: String, items: [ThemeItem]) -> Theme {
        let sections = unique(items, known: ["summary", "partner", "palette", "roles", "surfaces"], path: "the file")
        for item in table(sections["palette"]) { palette[item.key] = paletteColor(item) }
        let roles = entries(sections["roles"], of: Role.self, section: "roles", known: ["color", "attributes", "mono"])
        let optional = Surface.optional.map(\.rawValue)
        var surfaces = entries(
            sections["surfaces"], of: Surface.self, section: "surfaces", known: ["color", "text", "attributes", "mono"], optional: optional)
        if surfaces[.alert] == nil { surfaces[.alert] = surfaces[.panel] }
        surfaces[.paper] = Self.paper
        if sections["summary"] == nil { report(nil, "summary is missing", "add a line such as summary = \"dark and calm\"") }
        return Theme(
            name: name, summary: text(sections["summary"], "write it as a string") ?? "",
            partner: text(sections["partner"], "write the name of a theme as a string"), roles: roles, surfaces: surfaces)
    }

    /// Light modules are characters in white, so the ground is black.
    private static let paper = Theme.Entry(
        color: ThemeColor(Color(red: 0, green: 0, blue: 0), indexed: 16, ansi: .black),
        textColor: ThemeColor(Color(red: 255, green: 255, blue: 255), indexed: 231, ansi: .brightWhite))

    private mutating func text(_ item: ThemeItem?, _ hint: String) -> String? {
        guard let item else { return nil }
        guard case .string(let text) = item.value else {
            report(item.line, "\(item.key) is \(item.value.kind)", hint)
            return nil
        }
        return SafeText.line(text, limit: 80)
    }

    private mutating func entries<Name: CaseIterable & RawRepresentable<String> & Hashable>(
        _ section: ThemeItem?, of: Name.Type, section title: String, known: [String], optional: [String] = []
    ) -> [Name: Theme.Entry] {
        let items = unique(table(section), known: Name.allCases.map(\.rawValue), path: title)
        var entries: [Name: Theme.Entry] = [:]
        for name in Name.allCases {
            if let item = items[name.rawValue] {
                entries[name] = entry(item, section: title, known: known)
            } else if !optional.contains(name.rawValue) {
                report(
                    section?.line, "\(title).\(name.rawValue) is missing",
                    "a theme sets every one of: \(list(Name.allCases.map(\.rawValue)))")
            }
        }
        return entries
    }

    private mutating func entry(_ item: ThemeItem, section: String, known: [String]) -> Theme.Entry {
        let path = "\(section).\(item.key)"
        switch item.value {
        case .string:
            return Theme.Entry(color: color(item, path: path))
        case .table(let members):
            let members = unique(members, known: known, path: path)
            let attributes = attributes(members["attributes"], path: path) ?? []
            return Theme.Entry(
                color: members["color"].flatMap { color($0, path: "\(path).color") },
                textColor: members["text"].flatMap { color($0, path: "\(path).text") },
                attributes: attributes, mono: self.attributes(members["mono"], path: path) ?? attributes)
        case .integer, .list, .other:
            report(item.line, "\(path) is \(item.value.kind)", "write a colour, or a table such as { color = \"#d8d2c4\" }")
            return Theme.Entry()
        }
    }

    /// Resolves a colour reference: a palette name, `#rrggbb`, or `default`.
    private mutating func color(_ item: ThemeItem, path: String) -> ThemeColor? {
        guard case .string(let text) = item.value else {
            report(item.line, "\(path) is \(item.value.kind)", "write a colour as \"#rrggbb\" or the name of one in [palette]")
            return nil
        }
        if text == "default" { return nil }
        if let named = palette[text] { return named }
        if let direct = Color(hex: text) { return ThemeColor(direct) }
        let hint =
            nearest(text, in: Array(palette.keys)).map { "did you mean \"\($0)\"?" }
            ?? "write \"#rrggbb\", \"default\", or a name from [palette]"
        report(item.line, "\(path): \"\(text)\" is no colour", hint)
        return nil
    }

    private mutating func paletteColor(_ item: ThemeItem) -> ThemeColor? {
        let path = "palette.\(item.key)"
        let parts: [ThemeValue] = if case .list(let values) = item.value { values } else { [item.value] }
        guard case .string(let hex)? = parts.first, let trueColor = Color(hex: hex) else {
            report(item.line, "\(path) does not begin with a colour", "write \"#rrggbb\", or [\"#rrggbb\", 0 to 255, \"bright_red\"]")
            return nil
        }
        var indexed: UInt8?
        var ansi: AnsiColor?
        for part in parts.dropFirst() {
            switch part {
            case .integer(let number) where indexed == nil && ansi == nil && (0...255).contains(number): indexed = UInt8(number)
            case .string(let word) where ansi == nil && AnsiColor(name: word) != nil: ansi = AnsiColor(name: word)
            default:
                report(
                    item.line, "\(path) has a fallback that is none",
                    "after the colour: a number from 0 to 255, then one of \(list(AnsiColor.allCases.map(\.name)))")
                return ThemeColor(trueColor)
            }
        }
        return ThemeColor(trueColor, indexed: indexed, ansi: ansi)
    }

    private mutating func attributes(_ item: ThemeItem?, path: String) -> Attributes? {
        guard let item else { return nil }
        guard case .list(let values) = item.value else {
            report(item.line, "\(path).\(item.key) is \(item.value.kind)", "write a list such as [\"bold\"]")
            return nil
        }
        return values.reduce(into: []) { result, value in
            if case .string(let word) = value, let match = Attributes.named.first(where: { $0.name == word }) {
                result.insert(match.attribute)
            } else {
                report(
                    item.line, "\(path).\(item.key) has an unknown attribute", "the attributes are \(list(Attributes.named.map(\.name)))")
            }
        }
    }

    private mutating func table(_ item: ThemeItem?) -> [ThemeItem] {
        guard let item else { return [] }
        if case .table(let items) = item.value { return items }
        report(item.line, "\(item.key) is \(item.value.kind)", "write it as a section: [\(item.key)]")
        return []
    }

    private mutating func unique(_ items: [ThemeItem], known: [String], path: String) -> [String: ThemeItem] {
        items.reduce(into: [:]) { result, item in
            if !known.contains(item.key) {
                let hint = nearest(item.key, in: known).map { "did you mean \($0)?" } ?? "the keys of \(path) are \(list(known))"
                report(item.line, "\(path) has no key \"\(item.key)\"", hint)
            } else if result.updateValue(item, forKey: item.key) != nil {
                report(item.line, "\(item.key) is set twice", "keep one of the two")
            }
        }
    }

    private func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    private mutating func report(_ line: Int?, _ summary: String, _ hint: String) {
        problems.append(ThemeProblem(line: line, summary: summary, hint: hint))
    }

    /// Returns the nearest known word within two edits.
    private func nearest(_ word: String, in known: [String]) -> String? {
        known.map { (word: $0, distance: editDistance($0, word)) }.filter { $0.distance <= 2 }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }

    private func editDistance(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars.prefix(64))
        let right = Array(right.unicodeScalars.prefix(64))
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count]
    }
}

/// A validated theme file, or the list of all its errors.
///
/// ```toml
/// summary = "dark iron, lamp light"
/// partner = "daylight"                    # optional: the theme while the terminal's colours are light
/// [palette]
/// lamp = ["#e6b566", 179, "yellow"]       # 24-bit; of 256; of 16. The last two are optional
/// [roles]
/// text  = "#d8d2c4"                       # a colour, a palette name, or "default" for the terminal's own
/// title = { color = "lamp", attributes = ["bold"], mono = ["bold"] }
/// [surfaces]
/// selection = { color = "#2b313c", text = "lamp", mono = ["reverse"] }
/// ```
/// Every ``Role`` is required, and every ``Surface`` but those in ``Surface/optional``. `text` on a surface is the colour of all text on
/// it. `mono` applies where there are no colours. Default: `attributes`.
public struct ThemeDefinition: Equatable, Sendable {
    /// The theme; valid only if ``problems`` is empty.
    public let theme: Theme
    /// All errors; ``theme`` is valid only if this is empty.
    public let problems: [ThemeProblem]

    /// Reads a parsed file, and reports every error, not only the first.
    public init(name: String, items: [ThemeItem]) {
        var reader = ThemeReader()
        theme = reader.read(name: name, items: items)
        problems = reader.problems
    }

    /// Returns the theme, or throws the first error.
    public func checked() throws(ThemeProblem) -> Theme {
        if let problem = problems.first { throw problem }
        return theme
    }
}

/// A value of a parsed theme file.
public enum ThemeValue: Equatable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// An array.
    case list([ThemeValue])
    /// A table, as its entries in order.
    case table([ThemeItem])
    /// A type that themes do not use; the text names it, such as `boolean`.
    case other(String)

    /// The name of the type in error messages.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "a number"
        case .list: "a list"
        case .table: "a table"
        case .other(let word): word
        }
    }
}

/// A key of a theme file with its value and, if the parser knows it, its line.
public struct ThemeItem: Equatable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public let value: ThemeValue
    /// The line in the file; nil if unknown.
    public let line: Int?

    /// Creates an entry.
    public init(_ key: String, _ value: ThemeValue, line: Int? = nil) {
        self.key = key
        self.value = value
        self.line = line
    }
}

/// One error in a theme file, with an explanation.
public struct ThemeProblem: Error, Equatable, Sendable {
    /// The line in the file; nil if it is unknown, or if an entry is missing.
    public let line: Int?
    /// The mistake, in one line.
    public let summary: String
    /// A way to fix it, in one line.
    public let hint: String

    /// Creates a problem; its texts are sanitised and shortened.
    public init(line: Int?, summary: String, hint: String) {
        self.line = line
        self.summary = SafeText.line(summary, limit: 200)
        self.hint = SafeText.line(hint, limit: 400)
    }
}

extension ThemeProblem: CustomStringConvertible {
    /// The summary, with the line number if it is known.
    public var description: String { (line.map { "line \($0): " } ?? "") + summary }
}
