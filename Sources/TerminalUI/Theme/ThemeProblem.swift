/// One mistake in a theme file, explained.
public struct ThemeProblem: Error, Equatable, Sendable {
    /// The line of the file; nil where it is not known, or where something is missing.
    public let line: Int?
    /// What is wrong, in one line.
    public let summary: String
    /// What to do about it, in one line.
    public let hint: String

    public init(line: Int?, summary: String, hint: String) {
        self.line = line
        self.summary = SafeText.line(summary, limit: 200)
        self.hint = SafeText.line(hint, limit: 400)
    }
}

extension ThemeProblem: CustomStringConvertible {
    public var description: String { (line.map { "line \($0): " } ?? "") + summary }
}
