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
}
