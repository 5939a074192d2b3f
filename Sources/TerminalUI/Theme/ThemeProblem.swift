/// One error in a theme file, with an explanation.
public struct ThemeProblem: Error, Equatable, Sendable {
    /// The line in the file; nil if it is unknown, or if an entry is missing.
    public let line: Int?
    /// The problem, in one line.
    public let summary: String
    /// The correction, in one line.
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
