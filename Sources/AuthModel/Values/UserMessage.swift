/// A text for the user, as a code with named arguments. The front ends have the text of every code in every language.
///
/// A code is `area.what_happened`, such as `session.no_refresh_token`. Arguments contain names, addresses, numbers, and other messages.
/// They contain no secret, no response body and no URL query. The catalogues quote an argument for the shell where a text is a command.
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
    /// The text from a sender of another version, for front ends whose catalogues do not contain the code. It is not compared.
    package private(set) var fallback: String?

    /// Creates a message. An argument that is itself a message stays one, unless it is ``verbatim(_:)``; the others are converted to text.
    public init(_ code: String, _ arguments: KeyValuePairs<String, any CustomStringConvertible> = [:]) {
        self.init(code: code, arguments: Dictionary(arguments.map { ($0, Argument($1)) }) { $1 })
    }

    /// Creates a message from its parts.
    public init(code: String, arguments: [String: Argument]) {
        self.code = code
        self.arguments = arguments
    }

    /// Returns the message with a text that is shown where the code is unknown.
    package func withFallback(_ text: String?) -> UserMessage {
        var message = self
        message.fallback = text
        return message
    }

    /// Compares code and arguments.
    public static func == (left: UserMessage, right: UserMessage) -> Bool { left.code == right.code && left.arguments == right.arguments }

    /// Hashes code and arguments.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(arguments)
    }

    /// Creates a message without arguments from its code.
    public init(stringLiteral code: String) { self.init(code: code, arguments: [:]) }

    /// A text that is the same in every language: a name, or the text of another program.
    public static func verbatim(_ text: String) -> UserMessage { UserMessage("phrase.verbatim", ["text": text]) }

    /// Returns this message with another one directly after it, such as an optional suffix.
    public func followed(by suffix: UserMessage) -> UserMessage { UserMessage("phrase.joined", ["first": self, "second": suffix]) }

    /// The separator of a list of messages.
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
        return UserMessage(code: code, arguments: changed).withFallback(fallback.map(change))
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

extension UserMessage {
    /// The path of the program that a message about a caller names; for a program that used yett, the program that started yett. `nil` if
    /// the message names none by its path.
    public var programPath: String? {
        let text: String?
        switch arguments["program"] {
        case .text(let path)?: text = path
        case .message(let caller)?: return caller.programPath
        case nil: text = verbatimText
        }
        guard let text, text.hasPrefix("/") else { return nil }
        // The kernel adds this to the path of a program that was replaced or deleted since it started.
        let deleted = " (deleted)"
        return text.hasSuffix(deleted) ? String(text.dropLast(deleted.count)) : text
    }

    /// The message as `{"code", "arguments"?}`. An argument is a string, or another message.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [.init("code", .string(code))]
        if !arguments.isEmpty {
            let sorted = arguments.sorted { $0.key < $1.key }
            members.append(.init("arguments", .object(sorted.map { .init($0.key, $0.value.json) })))
        }
        return .object(members)
    }

    /// Reads a message; `nil` if the value is not one.
    public init?(json: JSONValue) {
        guard let code = json["code"]?.string, let members = json["arguments"].map(\.members) ?? [] else { return nil }
        var arguments: [String: Argument] = [:]
        for member in members {
            guard let argument = Argument(json: member.value) else { return nil }
            arguments[member.name] = argument
        }
        self.init(code: code, arguments: arguments)
    }
}

extension UserMessage.Argument {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .message(let message): message.json
        }
    }

    fileprivate init?(json: JSONValue) {
        if let text = json.string {
            self = .text(text)
        } else if let message = UserMessage(json: json) {
            self = .message(message)
        } else {
            return nil
        }
    }
}
