/// A text for the user, as a code with named arguments. The front ends have the text of every code in every language.
///
/// A code is `area.what_happened`, such as `session.no_refresh_token`. Arguments contain names, addresses, numbers, and other messages. They
/// contain no secret, no response body and no URL query. The catalogues quote an argument for the shell where a text is a command.
public struct UserMessage: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The value of an argument.
    public enum Argument: Hashable, Sendable {
        case text(String)
        /// Another message, such as the reason for a failure.
        case message(UserMessage)
    }

    /// The code.
    public let code: String
    /// The arguments by name.
    public let arguments: [String: Argument]

    /// Creates a message. An argument that is itself a message stays one, unless it is ``verbatim(_:)``; the others are converted to text.
    public init(_ code: String, _ arguments: KeyValuePairs<String, any CustomStringConvertible> = [:]) {
        self.init(code: code, arguments: Dictionary(arguments.map { ($0, Argument($1)) }) { $1 })
    }

    /// Creates a message from its parts.
    public init(code: String, arguments: [String: Argument]) {
        self.code = code
        self.arguments = arguments
    }

    /// Creates a message without arguments from its code.
    public init(stringLiteral code: String) { self.init(code: code, arguments: [:]) }

    /// A text that is the same in every language: a name, or the text of another program.
    public static func verbatim(_ text: String) -> UserMessage { UserMessage("phrase.verbatim", ["text": text]) }

    /// Returns this message with another one directly after it, such as an optional suffix.
    public func followed(by suffix: UserMessage) -> UserMessage { UserMessage("phrase.joined", ["first": self, "second": suffix]) }

    /// The text between the messages of a list.
    public enum Separator: String, Sendable {
        case comma = "phrase.joined_by_comma"
        case or = "phrase.joined_by_or"
        case semicolon = "phrase.joined_by_semicolon"
    }

    /// Joins messages to one.
    public static func list(_ messages: some BidirectionalCollection<UserMessage>, by separator: Separator) -> UserMessage {
        guard let last = messages.last else { return .empty }
        return messages.dropLast().reversed().reduce(last) { UserMessage(separator.rawValue, ["first": $1, "second": $0]) }
    }

    /// Returns the message with its texts changed, and those of the messages in it.
    public func mapTexts(_ change: (String) -> String) -> UserMessage {
        let changed = arguments.mapValues { argument -> Argument in
            switch argument {
            case .text(let text): .text(change(text))
            case .message(let message): .message(message.mapTexts(change))
            }
        }
        return UserMessage(code: code, arguments: changed)
    }

    /// The text of a ``verbatim(_:)`` message; `nil` for other messages.
    public var verbatimText: String? {
        guard code == UserMessage.empty.code, case .text(let text)? = arguments["text"] else { return nil }
        return text
    }

    /// No text, for an optional part of another message.
    public static let empty = UserMessage.verbatim("")

    /// The code and the arguments, for logs and tests; a ``verbatim(_:)`` text as it is.
    public var description: String {
        if let verbatimText { return verbatimText }
        guard !arguments.isEmpty else { return code }
        let list = arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(code)(\(list.joined(separator: ", ")))"
    }
}

extension UserMessage.Argument: CustomStringConvertible {
    fileprivate init(_ value: any CustomStringConvertible) {
        if let message = value as? UserMessage, message.verbatimText == nil {
            self = .message(message)
        } else {
            self = .text(value.description)
        }
    }

    /// The text, or the description of the message.
    public var description: String {
        switch self {
        case .text(let text): text
        case .message(let message): message.description
        }
    }
}

extension DefaultStringInterpolation {
    /// A message has a text only in a front end, which knows the language. The deprecation makes this an error.
    @available(*, deprecated, message: "render the message with text(in:), or pass it as an argument of another message")
    public mutating func appendInterpolation(_ message: UserMessage) { appendLiteral(message.description) }

    /// See ``appendInterpolation(_:)``.
    @available(*, deprecated, message: "render the message with text(in:), or pass it as an argument of another message")
    public mutating func appendInterpolation(_ message: UserMessage?) { appendLiteral(message?.description ?? "nil") }
}
