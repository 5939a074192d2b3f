/// The reason why a text is not valid TOML.
public struct TOMLError: Error, Equatable, Sendable {
    /// The line of the error, counted from 1.
    public var line: Int
    /// A description of the error, on one line. It may quote the text.
    public var reason: String
    /// How to fix the error.
    public var hint: String

    /// Creates a tOMLError.
    public init(line: Int, reason: String, hint: String) {
        self.line = line
        self.reason = reason
        self.hint = hint
    }
}
