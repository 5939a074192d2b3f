/// Why a text is not TOML.
public struct TOMLError: Error, Equatable, Sendable {
    /// Where, counted from 1.
    public var line: Int
    /// What is wrong there: one line in plain words. It may quote the text.
    public var reason: String
    /// How it would have been right.
    public var hint: String

    public init(line: Int, reason: String, hint: String) {
        self.line = line
        self.reason = reason
        self.hint = hint
    }
}
