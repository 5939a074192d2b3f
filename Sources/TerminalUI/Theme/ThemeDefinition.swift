/// A validated theme file, or the list of all its errors.
///
/// ```toml
/// summary = "dark iron, lamp light"
/// [palette]
/// lamp = ["#e6b566", 179, "yellow"]       # 24-bit; of 256; of 16. The last two are optional
/// [roles]
/// text  = "#d8d2c4"                       # a colour, a palette name, or "default" for the terminal's own
/// title = { color = "lamp", attributes = ["bold"], mono = ["bold"] }
/// [surfaces]
/// selection = { color = "#2b313c", text = "lamp", mono = ["reverse"] }
/// ```
/// Every ``Role`` and every ``Surface`` is required. `text` on a surface is the colour of all text on it. `mono` applies where there are no
/// colours. Default: `attributes`.
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
