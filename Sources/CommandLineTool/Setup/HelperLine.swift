internal import AuthModel

/// A command line of `yett helper` in a tool's configuration.
struct HelperLine: Equatable, Sendable {
    /// The session; `nil` if the helper chooses it by the host.
    let session: SessionName?

    /// Parses the words of a command; `nil` if it is not this helper of Yett.
    init?(_ words: [String], helper: String) {
        guard words.count >= 3, words[0].split(separator: "/").last == "yett", words[1] == "helper", words[2] == helper else { return nil }
        session = words.dropFirst(3).first.flatMap { $0.hasPrefix("-") ? nil : SessionName($0) }
    }

    /// Parses a line with quotes.
    init?(line: String, helper: String) { self.init(Self.words(of: line), helper: helper) }

    /// Splits a line at spaces, as a shell does: quotes of both kinds, and backslashes outside of single quotes.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
