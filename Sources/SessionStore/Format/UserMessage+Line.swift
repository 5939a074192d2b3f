import AuthModel

extension UserMessage {
    /// The message as one line of a column: its JSON, or a text that is the same in every language.
    var line: String { verbatimText ?? json.text }

    /// Reads a line. A text that is not a message is shown as it is, because older stores contain English texts.
    init(line: String) {
        let message = (try? JSONValue(strict: line)).flatMap(UserMessage.init(json:))
        // The columns are authenticated as they are written, so a line must not change when it is written again.
        self = message.flatMap { $0.line == line ? $0 : nil } ?? .verbatim(line)
    }
}
