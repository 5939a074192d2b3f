/// A command line up to the cursor, split as bash and readline split it, without expansions.
///
/// bash also splits words at `COMP_WORDBREAKS`, and replaces only the text after the last split; so replies begin there.
package struct BashLine {
    /// The unquoted words before the cursor's word, starting with the command's name.
    package private(set) var words: [String] = []
    /// The cursor's word, unquoted, up to the cursor.
    package private(set) var current = ""
    /// The number of characters of the cursor's word before the part that bash replaces.
    private var cut = 0
    /// The quote that is open at the cursor.
    private var quote: Character?

    /// Characters that end a command; the words before them belong to another command.
    private static let separators: Set<Character> = [";", "|", "&", "(", "\n"]

    /// Splits a line.
    ///
    /// - Parameters:
    ///   - line: the line up to the cursor.
    ///   - breaks: `COMP_WORDBREAKS`.
    package init(_ line: String, breaks: String) {
        let breaks = Set(breaks)
        var hasWord = false
        var isEscaped = false
        for character in line {
            if isEscaped {
                // Inside double quotes, a backslash before any other character is literal.
                if quote == "\"", !"$`\"\\".contains(character) { current.append("\\") }
                current.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                (isEscaped, hasWord) = (true, true)
            } else if let open = quote {
                if character == open { (quote, cut) = (nil, current.count) } else { current.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, cut, hasWord) = (character, current.count, true)
            } else if character == " " || character == "\t" || Self.separators.contains(character) {
                if hasWord { words.append(current) }
                (current, cut, hasWord) = ("", 0, false)
                if Self.separators.contains(character) { words = [] }
            } else {
                current.append(character)
                hasWord = true
                // readline includes an @ in the part that it replaces (rl_special_prefixes).
                if breaks.contains(character) { cut = current.count - (character == "@" ? 1 : 0) }
            }
        }
        // Variable assignments may precede the command's name.
        words = Array(words.drop { $0.contains("=") && $0.first != "=" && !$0.hasPrefix("-") })
    }

    /// Returns those of `words` that continue the cursor's word, in the form that bash inserts: the part that it replaces, quoted.
    package func replies(_ words: [String]) -> [String] {
        words.filter { $0.hasPrefix(current) }.compactMap { (word) -> String? in
            let rest = word.dropFirst(cut)
            switch quote {
            // bash expands history inside double quotes, and no escape there prevents it.
            case "\"": return rest.contains("!") ? nil : Self.escaped(rest) { "\"$`\\".contains($0) }
            case "'": return String(rest).replacing("'", with: "'\\''")
            default:
                return Self.escaped(rest) { character in
                    character.isASCII && !character.isLetter && !character.isNumber && !"/._-+,:@%=".contains(character)
                }
            }
        }
    }

    private static func escaped(_ text: Substring, where isSpecial: (Character) -> Bool) -> String {
        var result = ""
        for character in text {
            if isSpecial(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
