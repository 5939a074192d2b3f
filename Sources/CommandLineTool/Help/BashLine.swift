/// A command line up to the cursor, as bash and readline read it, with nothing expanded.
///
/// bash cuts words at `COMP_WORDBREAKS` as well, and replaces only what stands behind the last cut; so what it is answered begins there.
struct BashLine {
    /// The words before the cursor's, unquoted, from the command's name on.
    private(set) var words: [String] = []
    /// The cursor's word, unquoted, as far as it is typed.
    private(set) var current = ""
    /// How many characters of it stand before what bash replaces.
    private var cut = 0
    /// The quote that is open at the cursor.
    private var quote: Character?

    /// Characters that end a command: what stands before them belongs to another one.
    private static let separators: Set<Character> = [";", "|", "&", "(", "\n"]

    /// - Parameters:
    ///   - line: the line up to the cursor.
    ///   - breaks: `COMP_WORDBREAKS`.
    init(_ line: String, breaks: String) {
        let breaks = Set(breaks)
        var hasWord = false
        var isEscaped = false
        for character in line {
            if isEscaped {
                // Inside of double quotes a backslash stands for itself before other characters.
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
                // readline leaves an @ in what it replaces (rl_special_prefixes).
                if breaks.contains(character) { cut = current.count - (character == "@" ? 1 : 0) }
            }
        }
        // Variables that are set for one command come before its name.
        words = Array(words.drop { $0.contains("=") && $0.first != "=" && !$0.hasPrefix("-") })
    }

    /// Those of `words` that go on with what is typed, as bash is to insert them: what it replaces, quoted so that it stands for itself.
    func replies(_ words: [String]) -> [String] {
        words.filter { $0.hasPrefix(current) }.compactMap { (word) -> String? in
            let rest = word.dropFirst(cut)
            switch quote {
            // History is expanded inside of double quotes, and no character there keeps it from that.
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
