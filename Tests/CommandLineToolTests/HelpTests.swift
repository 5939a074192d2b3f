import ArgumentParser
import AuthModel
@testable import TerminalApp
import OperatingSystem
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The manual: one source for `yett help` and man(1), complete, and in step with the program.
struct HelpTests {
    private let pages = CommandPages().pages + HelpTopics.all

    @Test func everyCommandHasAPage() {
        let commands = RootCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        #expect(commands.count > 10)
        for command in commands {
            let name = command.configuration.commandName ?? ""
            let page = pages.first { $0.name == name }
            #expect(page?.section == .commands, "\(name) has no page")
            #expect(page?.summary.isEmpty == false)
            for child in command.configuration.subcommands {
                let childName = "\(name) \(child._commandName)"
                #expect(pages.contains { $0.name == childName }, "\(childName) has no page")
            }
        }
    }

    /// The parser wraps the text: a line break inside a paragraph would leave ragged lines.
    @Test func helpParagraphsHaveNoLineBreaks() {
        func discussions(_ command: any ParsableCommand.Type) -> [String] {
            [command.configuration.discussion] + command.configuration.subcommands.flatMap(discussions)
        }
        let texts = discussions(RootCommand.self).filter { !$0.isEmpty }
        #expect(texts.count > 10)
        for text in texts { #expect(!text.replacing("\n\n", with: "").contains("\n"), "\(text)") }
    }

    @Test func pageNamesAreUnique() {
        #expect(Set(pages.map(\.name)).count == pages.count)
        #expect(Set(pages.map(\.fileName)).count == pages.count)
    }

    @Test(arguments: ProviderReader.keys + ProviderKind.allCases.flatMap(\.ownKeys))
    func everyProviderKeyIsExplained(key: String) {
        #expect(terms(of: HelpTopics.configuration).contains(key))
    }

    @Test(arguments: ["theme", "guest_prompt", "seal", "lock_after", "idle_exit", "hook", "notify", "oidc_agent_socket"])
    func everyOtherKeyIsExplained(key: String) {
        #expect(terms(of: HelpTopics.configuration).contains(key))
    }

    @Test func everyActionWithAKeyIsListed() {
        let reference = KeyReference()
        for screen in reference.screens {
            #expect(HelpTopics.keys.blocks.contains(.heading(screen)))
            #expect(Set(terms(of: HelpTopics.keys)).isSuperset(of: reference.actions(on: screen)))
        }
        #expect(HelpTopics.keys.text(width: 80).contains { $0.contains("ctrl-r") })
    }

    @Test(arguments: Array(0...10) + [64])
    func everyExitStatusIsExplained(status: Int) {
        #expect(terms(of: HelpTopics.exitStatus).contains(String(status)))
    }

    @Test(arguments: SessionState.allCases)
    func everyStateIsExplained(state: SessionState) {
        #expect(terms(of: HelpTopics.sessions).contains(Words.state(state)))
    }

    @Test func linesFitTheWidth() {
        let code = Set(pages.flatMap(\.blocks).flatMap { block in if case .code(let lines) = block { lines } else { [String]() } })
        for page in pages {
            for line in page.text(width: 80) where line.count > 80 {
                #expect(code.contains(String(line.dropFirst(4))), "\(page.name): \(line)")
            }
        }
    }

    @Test func manualPagesAreWellFormed() {
        let macros: Set = [".TH", ".SH", ".PP", ".TP", ".B", ".RS", ".RE", ".nf", ".fi"]
        for page in pages {
            let lines = page.roff(version: "1.2.3", date: "2026-01-02").split(separator: "\n", omittingEmptySubsequences: false)
            let name = page.manualName.uppercased().replacing("-", with: "\\-")
            #expect(lines.first == ".TH \"\(name)\" \(page.section.rawValue) \"2026-01-02\" \"yett 1.2.3\" \"Yett\"")
            for line in lines {
                #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(page.name): \(line)")
                guard line.hasPrefix(".") || line.hasPrefix("'") else { continue }
                let macro = String(line.prefix { $0 != " " })
                #expect(macros.contains(macro), "\(page.name): \(line)")
            }
        }
    }

    @Test func textThatLooksLikeARoffRequestIsEscaped() {
        let page = HelpPage(
            name: "x", section: .overviews, summary: "a\\b", blocks: [.paragraph(".so /etc/passwd"), .terms([.init("a\"b", "'c")])],
            examples: [".a\n\nb": "M"])
        #expect(
            page.roff(version: "1", date: "2026-01-02").hasSuffix(
                "yett\\-x \\- a\\eb\n.PP\n\\&.so /etc/passwd\n.TP\n.B \"a\\(dqb\"\n\\&'c\n"
                    + ".SH \"EXAMPLES\"\n.PP\nM\n.PP\n.RS 4\n.nf\n\\&.a\n\nb\n.fi\n.RE\n"))
    }

    @Test func everyPageHasExamples() throws {
        for page in pages {
            let start = try #require(page.blocks.firstIndex(of: .heading(HelpPage.examplesHeading)), "\(page.name) has no examples")
            let examples = page.blocks[(start + 1)...].prefix { $0 != .heading("See also") }
            #expect(examples.contains { if case .code(let lines) = $0 { !lines.isEmpty } else { false } }, "\(page.name)")
            if page.section == .commands, page.name != "yett" {
                #expect(examples.contains { if case .code(let lines) = $0 { lines[0].contains(page.name) } else { false } }, "\(page.name)")
            }
        }
    }

    /// Commands of yett in examples are accepted by the parser.
    @Test func commandsInExamplesAreValid() throws {
        var count = 0
        for page in pages {
            let start = try #require(page.blocks.firstIndex(of: .heading(HelpPage.examplesHeading)))
            for case .code(let lines) in page.blocks[start...] {
                for command in lines.flatMap(Self.commands) {
                    count += 1
                    #expect(throws: Never.self, "\(page.name): \(command)") { try RootCommand.parse(commandLine: command) }
                }
            }
        }
        #expect(count > 70)
    }

    /// The commands of yett in a shell line, each as its words after the program's name.
    private static func commands(in line: String) -> [[String]] {
        let plain = line.replacing("$(", with: " | ").replacing(")\"", with: " | ").replacing("||", with: "|")
        return plain.split(separator: "|").compactMap { part in
            let words = part.split(separator: " ").map(String.init).drop { $0.wholeMatch(of: #/[A-Z_]+=.*/#) != nil }
            guard words.first == "yett" else { return nil }
            return Array(words.dropFirst().prefix { ![">", "<"].contains($0) })
        }
    }

    /// Packages of one commit have the same pages on every day.
    @Test func pagesHaveTheDateOfTheBuild() async throws {
        #expect(await (try CommandWorld()).run("help", "--man", "status").output.contains(#/^\.TH "YETT\\-STATUS" 1 "20\d\d-\d\d-\d\d" /#))
        let world = try CommandWorld(["SOURCE_DATE_EPOCH": "86400"])
        #expect(await world.run("help", "--man", "status").output.hasPrefix(".TH \"YETT\\-STATUS\" 1 \"1970-01-02\" "))
    }

    @Test func helpPrintsATopic() async throws {
        let result = await (try CommandWorld()).run("help", "exit-status", exits: 0)
        #expect(result.output.hasPrefix("exit-status: what each exit status means, and what to do next\n\n  0 "))
        #expect(result.output.contains("Already signed in.\n"))
    }

    @Test func helpPrintsASubcommand() async throws {
        let result = await (try CommandWorld()).run("help", "providers", "add", exits: 0)
        #expect(result.output.contains("--client-id <id>"))
    }

    /// Scripts get the parser's page, and a terminal the one that has the examples too.
    @Test(arguments: [["login"], ["providers", "add"], ["helper"], ["helper", "cargo"], ["ssh"], []])
    func helpOptionShowsThePageOnATerminal(command: [String]) async throws {
        let world = try CommandWorld()
        let terminal = CommandWorld.User(hasTerminal: true, columns: 80)
        let shown = await world.run(command + ["--help"], user: terminal)
        #expect(shown.status == 0 && shown.errors == "")
        let page = await world.run(["help"] + command, user: terminal)
        #expect(shown.output == page.output)
        #expect(shown.output.contains("\u{1B}[1mEXAMPLES\u{1B}[0m\n") && !shown.output.contains("OVERVIEW"))
        let colourless = await world.run(command + ["--help"], user: terminal, with: ["NO_COLOR": "1"])
        #expect(!colourless.output.contains("\u{1B}") && colourless.output.contains("\nEXAMPLES\n"))
        let pipe = await world.run(command + ["--help"])
        #expect(pipe.output.hasPrefix("OVERVIEW: ") && !pipe.output.contains("\u{1B}"))
        #expect(await world.run(["--plain"] + command + ["--help"], user: terminal).output == pipe.output)
    }

    @Test func contentsHaveEveryCommandAndTopicInOneColumn() async throws {
        let world = try CommandWorld()
        let shown = await world.run("help", user: .init(hasTerminal: true, columns: 80), with: ["NO_COLOR": "1"]).output
        let lines = shown.split(separator: "\n")
        // A command to copy stays on one line.
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("    yett ") })
        let commands = RootCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let starts = (commands + HelpTopics.all.map(\.name)).map { name in
            lines.first { $0.hasPrefix("  \(name)  ") }.map { $0.dropFirst(name.count + 2).prefix { $0 == " " }.count + name.count }
        }
        #expect(Set(starts).count == 1 && !starts.contains(nil), "\(starts)")
        #expect(lines.contains("SESSION COMMANDS") && lines.contains("TOPICS"))
    }

    @Test func misspeltTopicGetsASuggestion() async throws {
        let result = await (try CommandWorld()).run("help", "configuraton", exits: 64)
        #expect(result.errors == "yett: error: no help for 'configuraton'\nyett: hint: did you mean: yett help configuration?\n")
    }

    @Test func manualPagesAreWrittenToAFolder() async throws {
        let world = try CommandWorld()
        try PrivateFile.makeDirectory(world.home + "/man")
        await world.run("help", "--man-pages", world.home + "/man", exits: 0)
        let written = try #require(try PrivateFile.read(world.home + "/man/yett-status.1"))
        let printed = await world.run("help", "--man", "status")
        #expect(String(decoding: written, as: UTF8.self) == printed.output.dropLast() + "")
    }

    @Test func manualFolderIsCreatedIfItsParentExists() async throws {
        let world = try CommandWorld()
        #expect(await world.run("help", "--man-pages", "man").status == 0)
        #expect(FolderListing.names(in: world.home + "/man").contains("yett.1"))
        let result = await world.run("help", "--man-pages", "nowhere/man", exits: 2)
        #expect(result.errors.contains("cannot create the folder \(world.home)/nowhere/man"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsAskTheProgram(shell: String) async throws {
        let result = await (try CommandWorld()).run("completions", shell, exits: 0)
        #expect(result.output.contains("command yett complete \(shell) -- "))
        // The answer is never evaluated as code.
        #expect(!result.output.contains("eval ") && !result.output.contains("compgen -W"))
    }

    @Test func providersAreCompleted() async throws {
        let world = try CommandWorld.configured(
            """
            [providers.work]
            kind = "oidc"
            issuer = "https://id.example.org"
            client_id = "yett"
            """)
        #expect(await world.run("complete", "zsh", "--", "yett", "login", "").output == "words\nwork\t\n")
        #expect(await world.run("complete", "bash", "--", "yett login w", " \t@=:").output == "words\nwork\n")
        let other = await world.run("complete", "bash", "--", "yett --config \(world.home)/none login w", " \t@=:")
        #expect(other.output == "words\n")
    }

    /// A `Character` is a backquote together with the accent after it; bash sees a backquote.
    @Test(arguments: [
        ("yett token lab/", "lab/\\`\u{301}\\;id\\;\\`\u{301}"), ("yett token \"lab/", "lab/\\`\u{301};id;\\`\u{301}"),
        ("yett token 'lab/", "lab/`\u{301};id;`\u{301}"),
    ])
    func accentHidesNoSpecialCharacter(line: String, reply: String) throws {
        let replies = BashLine(line, breaks: "").replies(["lab/`\u{301};id;`\u{301}"])
        #expect(replies.map { Array($0.utf8) } == [Array(reply.utf8)])
    }

    @Test func quoteWithAnAccentEndsNoName() throws {
        let replies = BashLine("yett token 'lab/", breaks: "").replies(["lab/'\u{301};id;'"])
        #expect(replies.map { Array($0.utf8) } == [Array("lab/'\\''\u{301};id;'\\''".utf8)])
        #expect(BashLine("yett token \"lab/", breaks: "").replies(["lab/!\u{301}"]).isEmpty)
    }

    @Test func invalidConfigurationCompletesNothing() async throws {
        let world = try CommandWorld.configured("nonsense = 1")
        for command in ["login", "token"] {
            let result = await world.run("complete", "fish", "--", "yett", command, "", exits: 0)
            #expect(result.output == "words\n")
            #expect(result.errors == "")
        }
    }

    private func terms(of page: HelpPage) -> [String] {
        page.blocks.flatMap { block -> [String] in
            guard case .terms(let terms) = block else { return [] }
            return terms.flatMap { $0.word.split(separator: ", ").map(String.init) }
        }
    }
}
