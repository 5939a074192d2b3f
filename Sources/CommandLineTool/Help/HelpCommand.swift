internal import ArgumentParser
internal import AuthModel
internal import CommandLineHelp
internal import Localization
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

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if manPages != nil, isForManual || !subject.isEmpty {
            throw ValidationError("--man-pages writes every page; do not combine it with other arguments")
        }
    }

    func run(in context: CommandContext) async throws {
        if let manPages { return try writeAll(into: manPages, in: context) }
        let name = subject.joined(separator: " ")
        guard !name.isEmpty || isForManual else { return try context.console.page(Self.contents) }
        var page = try Self.page(name.isEmpty ? "yett" : name)
        if page.name == HelpTopics.sandboxVendors.name {
            page = await HelpTopics.sandboxVendors(program: context.edges.sandboxProgram, environment: context.edges.environment)
        }
        if isForManual { return try context.console.page(page.roff(version: Program.version, date: Self.date(in: context))) }
        try context.console.lines(page.text(width: Self.width(in: context)))
    }

    private func writeAll(into folder: String, in context: CommandContext) throws {
        let path = folder.hasPrefix("/") ? folder : "\(context.edges.workingDirectory)/\(folder)"
        let pages = CommandPages().pages + HelpTopics.all
        try PublicFile.makeDirectory(path)
        let date = Self.date(in: context)
        for page in pages { try PublicFile.write(page.roff(version: Program.version, date: date), to: "\(path)/\(page.fileName)") }
        context.console.note("\(pages.count) pages written to \(folder)")
    }

    /// The parser's help page, followed by the topics.
    private static var contents: String {
        let topics = HelpTopics.all.map { "  \($0.name.padded(to: 24))\($0.summary)" }
        return RootCommand.helpMessage() + "\n\nTOPICS (yett help TOPIC):\n" + topics.joined(separator: "\n")
    }

    /// Returns the page with this name. Throws `.usage` if there is none.
    static func page(_ name: String) throws(AuthFailure) -> HelpPage {
        let pages = CommandPages().pages + HelpTopics.all
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

    /// The width is limited to 100 columns, because longer lines are hard to read.
    private static func width(in context: CommandContext) -> Int {
        min(max(context.edges.environment["COLUMNS"].flatMap { Int($0) } ?? 80, 40), 100)
    }
}
