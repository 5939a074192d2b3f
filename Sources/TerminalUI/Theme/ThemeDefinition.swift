/// A theme file after its rules were checked, or every mistake in it.
///
/// ```toml
/// summary = "dark iron, lamp light"
/// [palette]
/// lamp = ["#e6b566", 179, "yellow"]       # 24 bits; of 256; of 16. The last two may be left out
/// [roles]
/// text  = "#d8d2c4"                       # a colour, the name of one, or "default" for the terminal's own
/// title = { color = "lamp", attributes = ["bold"], mono = ["bold"] }
/// [surfaces]
/// selection = { color = "#2b313c", text = "lamp", mono = ["reverse"] }
/// ```
/// Every ``Role`` and every ``Surface`` has to be there. `text` on a surface is the colour of everything on it. `mono` is used where there
/// are no colours; without it, `attributes` is.
public struct ThemeDefinition: Equatable, Sendable {
    public let theme: Theme
    /// Everything that is wrong; ``theme`` is good to use only when this is empty.
    public let problems: [ThemeProblem]

    /// Reads a parsed file. It reports every mistake, not only the first.
    public init(name: String, items: [ThemeItem]) {
        var reader = ThemeReader()
        theme = reader.read(name: name, items: items)
        problems = reader.problems
    }

    /// The theme, or the first mistake.
    public func checked() throws(ThemeProblem) -> Theme {
        if let problem = problems.first { throw problem }
        return theme
    }
}
