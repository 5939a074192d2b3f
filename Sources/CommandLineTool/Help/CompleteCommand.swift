internal import ArgumentParser
internal import AuthModel
internal import TerminalUI
internal import UserConfiguration

/// `yett complete`: answers the completion scripts.
///
/// The first line of the answer is the kind of completion: `words`, followed by one word per line; `files` or `folders`; or `command N`, a
/// system command that begins at word N. In a line of `words`, a tab separates the word from its explanation; bash gets words that are
/// ready to insert. The shell must not expand anything in the answer.
///
/// Uses no network and asks nothing. Offers nothing if an error occurs, because a message would appear in the line that the user is typing.
struct CompleteCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Answer a completion script.", shouldDisplay: false)
    static let examples: KeyValuePairs<String, String> = [:]
    static let handlesInterruptions = false

    @Argument(help: "bash, zsh or fish.")
    var shell: CompletionsCommand.Shell

    @Argument(
        parsing: .postTerminator,
        help: "For bash, the line up to the cursor and COMP_WORDBREAKS; else the words before the cursor, and the one it is in.")
    var line: [String] = []

    func run(in context: CommandContext) async throws {
        guard let last = line.last else { return }
        let bash = shell == .bash ? BashLine(line[0], breaks: line.count > 1 ? last : "") : nil
        let words = bash?.words ?? Array(line.dropLast())
        let context = Self.context(of: words, in: context)
        let isSandbox = words.contains(SandboxCommand.configuration.commandName ?? "")
        let tree = CompletionTree.program(sandbox: isSandbox ? await context.sandboxDescription() : nil)
        let offer = await CompletionOffer.make(words, current: bash?.current ?? last, tree: tree) { await Self.names(in: $0, context) }
        let lines: [String]
        switch offer {
        case .words(let words):
            let words = words.filter { Self.isOneLine($0.text) }
            let replies = bash?.replies(words.map(\.text)) ?? words.map { (word) -> String in word.text + "\t" + word.help }
            lines = ["words"] + replies
        case .files(let prefix): lines = ["files", prefix]
        case .folders(let prefix): lines = ["folders", prefix]
        case .command(let start): lines = ["command \(start)"]
        }
        try context.console.content(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Returns the context with the options of the line being typed, so that names come from the configuration that the line names.
    private static func context(of words: [String], in context: CommandContext) -> CommandContext {
        guard let (options, _) = try? GlobalOptions.extract(from: words), options.configuration != nil else { return context }
        return CommandContext(edges: context.edges, options: options, console: context.console)
    }

    /// Returns whether a shell can insert the word without ending the line or moving the cursor.
    private static func isOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    private static func names(in list: CompletionList, _ context: CommandContext) async -> [String] {
        switch list {
        case .providers:
            return (try? context.configurationFile().read().providers.map(\.name.description)) ?? []
        case .sessions:
            let sessions = (try? await context.service().sessions().map(\.name)) ?? []
            // A provider's name is also a valid session argument.
            let providers = Set(sessions.map(\.provider.description))
            return (sessions.map(\.description) + providers).sorted()
        case .presets: return (try? context.configurationFile().presets().presets.map(\.name)) ?? []
        case .themes: return context.themeLibrary().themes.map(\.name)
        case .help:
            return (CommandPages().pages + HelpTopics.all).map(\.name).filter { !$0.contains(" ") && $0 != "yett" }
        }
    }
}

/// A command line up to the cursor, split as bash and readline split it, without expansions.
///
/// bash also splits words at `COMP_WORDBREAKS`, and replaces only the text after the last split; so replies begin there.
struct BashLine {
    /// The unquoted words before the cursor's word, starting with the command's name.
    private(set) var words: [String] = []
    /// The cursor's word, unquoted, up to the cursor.
    private(set) var current = ""
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
    init(_ line: String, breaks: String) {
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
    func replies(_ words: [String]) -> [String] {
        words.filter { $0.hasPrefix(current) }.compactMap { (word) -> String? in
            let rest = word.dropFirst(cut)
            switch quote {
            // bash expands history inside double quotes, and no escape there prevents it.
            case "\"": return rest.utf8.contains(UInt8(ascii: "!")) ? nil : rest.escaped { "\"$`\\".unicodeScalars.contains($0) }
            case "'": return rest.escapedForSingleQuotes
            default:
                return rest.escaped { scalar in
                    let character = Character(scalar)
                    return scalar.isASCII && !character.isLetter && !character.isNumber && !"/._-+,:@%=".contains(character)
                }
            }
        }
    }
}
