package import AuthModel

/// Who used a token for what, as the activity records it.
package struct TokenUse: Equatable, Sendable {
    /// The program.
    package let program: CallingProgram
    /// What the program did, such as `fetch`; nil if unknown.
    package let command: String?
    /// What the token was for, such as a host; nil if unknown.
    package let destination: String?
    /// The program that started the program; nil if unknown.
    package let parent: CallingProgram?

    /// Returns the use that an entry is about; nil if the entry names no program.
    package init?(of entry: Activity) {
        guard let program = CallingProgram(of: entry) else { return nil }
        self.program = program
        let caller = entry.message.caller
        command = caller?.text(of: "command")
        parent = caller?.text(of: "parent").map { CallingProgram(path: $0) }
        destination = entry.message.text(of: "destination")
    }
}

extension UserMessage {
    /// The message that describes the calling program.
    fileprivate var caller: UserMessage? {
        guard case .message(let caller)? = arguments["program"] ?? arguments["caller"] else { return nil }
        // A program that says for which application it asks is inside.
        return caller.caller ?? caller
    }

    fileprivate func text(of name: String) -> String? {
        guard case .text(let text)? = arguments[name] else { return nil }
        return text
    }
}
