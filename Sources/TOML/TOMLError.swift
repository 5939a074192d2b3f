/// The reason why a text is not valid TOML.
public struct TOMLError: Error, Equatable, Sendable {
    /// A text as a code with named arguments, such as `toml.key_twice` with `key`. An argument may quote the text that was read.
    public struct Message: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The code.
        public let code: String
        /// The arguments by name.
        public let arguments: [String: String]

        /// Creates a message.
        public init(_ code: String, _ arguments: [String: String] = [:]) {
            self.code = code
            self.arguments = arguments
        }

        public init(stringLiteral code: String) { self.init(code) }
    }

    /// The line of the error, counted from 1.
    public var line: Int
    /// The byte of the error in its line, counted from 1.
    public var column: Int
    /// The error, in one sentence.
    public var reason: Message
    /// The correction to make.
    public var hint: Message

    /// Creates an error.
    public init(line: Int, column: Int, reason: Message, hint: Message) {
        self.line = line
        self.column = column
        self.reason = reason
        self.hint = hint
    }
}
