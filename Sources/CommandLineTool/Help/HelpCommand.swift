internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// `yett help`: prints the page of a command or a topic, for a terminal or for man(1).
struct HelpCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Explain a command or a topic.",
        discussion: "Without a name, lists both. --man prints a page for man(1); --man-pages writes all pages to a folder.")
    static let examples: KeyValuePairs = [
        "yett help providers add": "Explains a command.",
        "yett help configuration": "Explains a topic.",
        "yett help --man-pages ~/man": "Writes all pages for man(1) to a folder.",
    ]
    static let handlesInterruptions = false

    @Argument(help: "A command, such as login or 'providers add', or a topic.", completion: .names(.help))
    var subject: [String] = []

    @Flag(name: .customLong("man"), help: "Print the page for man(1).")
    var isForManual = false

    @Option(help: ArgumentHelp("Write all pages for man(1) to this folder.", valueName: "folder"), completion: .directory)
    var manPages: String?

    func validate() throws {
        if manPages != nil, isForManual || !subject.isEmpty {
            throw ValidationError("--man-pages writes every page; do not combine it with other arguments")
        }
    }

    func run(in context: CommandContext) async throws {
        if let manPages { return try await writeAll(into: manPages, in: context) }
        let name = subject.joined(separator: " ")
        guard !name.isEmpty || isForManual else { return try showContents(in: context) }
        let isSandbox = name == SandboxCommand.configuration.commandName
        var page = try Self.page(name.isEmpty ? "yett" : name, sandbox: isSandbox ? await context.sandboxDescription() : nil)
        if page.name == HelpTopics.sandboxVendors.name {
            page = HelpTopics.sandboxVendors(listing: await context.sandboxOutput("--list-vendors"))
        }
        if isForManual { return try context.console.page(page.roff(version: Program.version, date: Self.date(in: context))) }
        guard let display = context.display else { return try context.console.lines(page.text(width: Self.width(in: context))) }
        try context.console.show(page.rows(on: display), on: display)
    }

    private func writeAll(into folder: String, in context: CommandContext) async throws {
        let path = folder.hasPrefix("/") ? folder : "\(context.edges.workingDirectory)/\(folder)"
        let pages = CommandPages(sandbox: await context.sandboxDescription()).pages + HelpTopics.all
        try PublicFile.makeDirectory(path)
        let date = Self.date(in: context)
        for page in pages { try PublicFile.write(page.roff(version: Program.version, date: date), to: "\(path)/\(page.fileName)") }
        context.console.done("\(pages.count) pages written to \(folder)")
    }

    /// Prints the commands and the topics; without a terminal, the parser's help page before the topics.
    private func showContents(in context: CommandContext) throws(OutputError) {
        if let display = context.display { return try context.console.show(Self.contents.rows(on: display), on: display) }
        let topics = HelpTopics.all.map { "  \($0.name.padded(to: 24))\($0.summary)" }
        try context.console.page(RootCommand.helpMessage() + "\n\nTOPICS (yett help TOPIC):\n" + topics.joined(separator: "\n"))
    }

    /// The commands by their groups, the topics, and the options that every command takes.
    private static var contents: HelpPage {
        let command = RootCommand.configuration
        let groups = command.groupedSubcommands.flatMap { group -> [HelpPage.Block] in
            let shown = group.subcommands.filter { $0.configuration.shouldDisplay }
            return [
                .heading("\(group.name) commands"), .terms(shown.map { HelpPage.Term($0._commandName, $0.configuration.abstract) }),
            ]
        }
        let topics = HelpPage.Block.terms(HelpTopics.all.map { HelpPage.Term($0.name, $0.summary) })
        let all = CommandPages().pages.first?.blocks ?? []
        let options = all.firstIndex(of: .heading("Options")).map { Array(all[$0...$0 + 1]) } ?? []
        let introduction = command.discussion.split(separator: "\n\n").prefix(1).map { HelpPage.Block.paragraph(String($0)) }
        var page = HelpPage(
            name: "yett", section: .commands, summary: command.abstract,
            blocks: introduction + groups + [.heading("Topics"), topics] + options, examples: RootCommand.examples)
        page.blocks += [.heading("Learn more"), .paragraph("yett help NAME explains a command or a topic.")]
        return page
    }

    /// Returns what a terminal shows for `--help` of a command; `nil` if the command has no page.
    ///
    /// - Parameter words: the words of the command; empty for the program.
    static func rows(for words: String, on display: Display) -> [StyledText]? {
        words.isEmpty ? contents.rows(on: display) : (try? page(words))?.rows(on: display)
    }

    /// Returns the page with this name. Throws `.usage` if there is none.
    static func page(_ name: String, sandbox: JSONValue? = nil) throws(AuthFailure) -> HelpPage {
        let pages = CommandPages(sandbox: sandbox).pages + HelpTopics.all
        if let page = pages.first(where: { $0.name == name }) { return page }
        let names = pages.map(\.name)
        let near = names.nearest(to: name) ?? names.first { $0.hasPrefix(name) }
        throw AuthFailure(
            .usage, text: "no help for '\(name)'",
            hint: near.map { "did you mean: yett help \($0)?" } ?? "list commands and topics with: yett help")
    }

    /// The date of the man pages: today, or the day of `SOURCE_DATE_EPOCH`, so that two builds of a package have the same pages.
    private static func date(in context: CommandContext) -> String {
        let epoch = context.edges.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
        let time = epoch.map(Timestamp.init(seconds:)) ?? context.now
        return String(time.description.prefix { $0 != "T" })
    }

    /// The width without a terminal.
    private static func width(in context: CommandContext) -> Int {
        min(max(context.edges.environment["COLUMNS"].flatMap { Int($0) } ?? 80, 40), 100)
    }
}

/// The help pages of the commands, generated from their definitions.
struct CommandPages {
    /// One page per command; the program's own page is first.
    let pages: [HelpPage]

    /// Generates the pages.
    ///
    /// - Parameter sandbox: the parser's description of `yett-sandbox`, which reads the arguments of `yett sandbox`.
    init(sandbox: JSONValue? = nil) {
        // The parser's description of the commands is also the source of `--help`.
        let account = try? JSONValue(strict: RootCommand._dumpHelp(), limits: .init(bytes: 4 << 20, depth: 64))
        pages =
            account?["command"].map { root in
                let globals = Self.options(of: root).filter { term in GlobalOptionsHelp.names.contains { term.word.hasPrefix($0) } }
                return Self.pages(for: root, RootCommand.self, below: [], globals, sandbox)
            } ?? []
    }

    private static func pages(
        for command: JSONValue, _ type: (any ParsableCommand.Type)?, below parents: [String], _ globals: [HelpPage.Term],
        _ sandbox: JSONValue?
    ) -> [HelpPage] {
        guard command["shouldDisplay"]?.bool != false, let name = command["commandName"]?.string else { return [] }
        let path = parents + [name]
        var seen: Set<String> = []
        // The parser lists its own `help` in addition to ours; it never runs.
        let subcommands = (command["subcommands"]?.array ?? []).filter {
            $0["shouldDisplay"]?.bool != false && seen.insert($0["commandName"]?.string ?? "").inserted
        }
        let described = type == SandboxCommand.self ? sandbox ?? command : command
        var options = options(of: described)
        options += globals.filter { option in !options.contains { $0.word == option.word } }
        var page = HelpPage(
            name: path.count == 1 ? name : path.dropFirst().joined(separator: " "), section: .commands,
            summary: clause(command["abstract"]?.string ?? ""),
            blocks: synopsis(of: described, path: path, hasSubcommands: !subcommands.isEmpty) + description(of: described)
                + list("Arguments", arguments(of: described, kind: "positional")) + list("Options", options)
                + list("Commands", subcommands.compactMap(line)),
            examples: (type as? any DocumentedCommand.Type)?.examples ?? [:])
        page.blocks += seeAlso(path)
        return [page]
            + subcommands.flatMap { subcommand in
                let child = type?.configuration.subcommands.first { $0._commandName == subcommand["commandName"]?.string }
                return pages(for: subcommand, child, below: path, globals, sandbox)
            }
    }

    private static func synopsis(of command: JSONValue, path: [String], hasSubcommands: Bool) -> [HelpPage.Block] {
        let operands = (command["arguments"]?.array ?? []).filter { $0["kind"]?.string == "positional" }.map { operand -> String in
            let name = operand["valueName"]?.string ?? ""
            let text = "<\(name)>" + (operand["isRepeating"]?.bool == true ? "..." : "")
            return operand["isOptional"]?.bool == true ? "[\(text)]" : text
        }
        let words = path + ["[options]"] + operands + (hasSubcommands ? ["[command]"] : [])
        return [.heading("Synopsis"), .code([words.joined(separator: " ")])]
    }

    private static func description(of command: JSONValue) -> [HelpPage.Block] {
        let abstract = command["abstract"]?.string ?? ""
        let discussion = command["discussion"]?.string ?? ""
        let paragraphs = discussion.split(separator: "\n\n").map { HelpPage.Block.paragraph(String($0)) }
        return [.heading("Description"), .paragraph(abstract)] + paragraphs
    }

    private static func options(of command: JSONValue) -> [HelpPage.Term] {
        arguments(of: command, kind: "option") + arguments(of: command, kind: "flag")
    }

    private static func arguments(of command: JSONValue, kind: String) -> [HelpPage.Term] {
        (command["arguments"]?.array ?? []).filter { $0["kind"]?.string == kind && $0["shouldDisplay"]?.bool != false }.map { argument in
            let value = argument["valueName"]?.string ?? ""
            let names = CompletionTree.names(argument).joined(separator: ", ")
            let word =
                switch kind {
                case "positional": "<\(value)>"
                case "option": names + " <\(value)>"
                default: names
                }
            let defaultText = argument["defaultValue"]?.string.map { " Default: \($0)." } ?? ""
            return HelpPage.Term(word, (argument["abstract"]?.string ?? "") + defaultText)
        }
    }

    private static func list(_ heading: String, _ terms: [HelpPage.Term]) -> [HelpPage.Block] {
        terms.isEmpty ? [] : [.heading(heading), .terms(terms)]
    }

    private static func line(_ command: JSONValue) -> HelpPage.Term? {
        command["commandName"]?.string.map { HelpPage.Term($0, command["abstract"]?.string ?? "") }
    }

    private static func seeAlso(_ path: [String]) -> [HelpPage.Block] {
        let others =
            path.count == 1 ? HelpTopics.all.map { "\($0.manualName)(\($0.section.rawValue))" } : ["yett(1)", "yett-exit-status(7)"]
        return [.heading("See also"), .paragraph(others.joined(separator: ", "))]
    }

    /// Returns a sentence as a clause: without its full stop, and in lower case if it begins with a plain word.
    private static func clause(_ sentence: String) -> String {
        var text = sentence
        while text.last == "." { text.removeLast() }
        guard let second = text.dropFirst().first, second.isLowercase else { return text }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
