internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OAuth
internal import TOML
internal import TerminalUI
internal import UserConfiguration

/// `yett providers presets`: lists the services that can be added by name. Does not use the network.
struct ProvidersPresetsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "presets", abstract: "List the services that can be added by name.",
        discussion: """
            With the name of one service, prints how to register a client there, and what is known of its sessions. Your own presets are \
            files in the folder presets beside the configuration; a file with an error is reported and left out.
            """)
    static let examples: KeyValuePairs = [
        "yett providers presets": "Lists all services.",
        "yett providers presets mail": "Lists the services with this word.",
        "yett providers presets github": "Prints how to register a client at GitHub.",
    ]

    @Argument(help: "A service's name, or a word in its description.", completion: .names(.presets))
    var word: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let library = try context.configurationFile().presets()
        for problem in library.problems {
            context.console.warning("\(problem.place): \(problem.message.english)")
            if let hint = problem.hint { context.console.hint(hint.english) }
        }
        if let word, let preset = try library.named(word) {
            return try context.answer(PresetDescription(preset: preset), asJSON: json)
        }
        let presets = library.presets.filter { word.map($0.mentions) ?? true }
        guard let word, presets.isEmpty else { return try context.answer(PresetList(presets: presets), asJSON: json) }
        throw library.unknown(word)
    }
}

/// Services, one a line.
private struct PresetList: Answer {
    let presets: [ProviderPreset]

    var lines: [String] { table { "\($0.title): \($0.summary)" }.lines }

    /// A terminal has no room for a title that only repeats the name, and a narrow one none for what a service needs, which `presets NAME`
    /// says too.
    func rows(on display: Display) -> [StyledText] {
        var table = table { preset in
            let isName = preset.title.lowercased().replacing(" ", with: "-") == preset.name
            return isName ? preset.summary : "\(preset.title): \(preset.summary)"
        }
        if display.columns < 80 { table.omitted = [1] }
        return table.rows(on: display)
    }

    private func table(_ service: (ProviderPreset) -> String) -> TextTable {
        var table = TextTable("NAME", "NEEDS", "SERVICE")
        for preset in presets {
            table.add([StyledText(preset.name, .title), StyledText(preset.needsInWords, .muted), StyledText(service(preset))])
        }
        return table
    }

    var json: JSONValue { .answer(("presets", .array(presets.map(\.json)))) }
}

/// One service: what it is, what it needs, and how to register a client.
private struct PresetDescription: Answer {
    let preset: ProviderPreset

    var lines: [String] {
        var lines = ["\(preset.title): \(preset.summary)"]
        if !preset.aliases.isEmpty { lines.append(Self.term("also", preset.aliases.joined(separator: ", "))) }
        if let file = preset.file { lines.append(Self.term("file", file)) }
        for mode in preset.modes.isEmpty ? [preset] : preset.modes { lines += description(of: mode) }
        return lines + ["", "Add it with: \(PresetNeeds(preset, ProviderPlanner.ProviderInput(preset.name)).command)"]
    }

    func rows(on display: Display) -> [StyledText] {
        lines.enumerated().flatMap { index, line in
            let lead = line.prefix { $0 == " " }.count
            let isHeading = index == 0 || lead == 0 && line.last == ":"
            // A term's text is in a column of its own, and a step's text begins after its number.
            let indent = lead == 0 ? 0 : line.dropFirst(lead).first?.isNumber == true ? lead + 3 : Self.termWidth + 2
            return display.folded(line, indent: indent, isHeading ? .title : .text)
        }
    }

    private static let termWidth = 15

    private static func term(_ name: String, _ text: String) -> String { "  \(name.padded(to: termWidth))\(text)" }

    private func description(of mode: ProviderPreset) -> [String] {
        var lines: [String] = []
        if let name = mode.mode { lines += ["", "--mode \(ShellWord(name)): \(mode.meaning)"] }
        lines.append(Self.term("needs", mode.needsInWords))
        if let place = mode.place {
            let fallback = place.fallback.map { "; default: \($0)" } ?? ""
            lines.append(Self.term("--at", "\(place.what), such as \(place.example)\(fallback)"))
        }
        for setting in mode.settings {
            lines.append(Self.term("--set \(ShellWord(setting.keys[0]))", "\(setting.what), such as \(setting.example)"))
        }
        if !mode.scopes.isEmpty { lines.append(Self.term("scopes", mode.scopes.joined(separator: " "))) }
        let renewal = mode.renewalInWords
        if !renewal.isEmpty { lines.append(Self.term("refresh token", renewal)) }
        lines += registration(of: mode)
        if !mode.hints.isEmpty { lines += [""] + mode.hints }
        return lines
    }

    private func registration(of mode: ProviderPreset) -> [String] {
        let redirects = mode.redirects.isEmpty ? [RedirectRule.standard.description] : mode.redirects
        let shown = mode.needs.pasteRedirect ? ["your https page"] : redirects
        let steps = mode.steps(at: nil, redirects: shown).enumerated().map { "  \($0.offset + 1). \($0.element)" }
        guard !steps.isEmpty || mode.registration?.page != nil else { return [] }
        return ["", "Register a client\(mode.page(at: nil).map { " at \($0)" } ?? ""):"] + steps
    }

    var json: JSONValue { .answer(("preset", preset.json)) }
}

extension ProviderPreset {
    /// Whether the word is in the name or in what the service is.
    fileprivate func mentions(_ word: String) -> Bool {
        ([name, title, summary] + aliases + hosts).contains { $0.lowercased().contains(word.lowercased()) }
    }

    /// The values that only the user knows, in a few words.
    fileprivate var needsInWords: String {
        let ways = modes.isEmpty ? [self] : modes
        var words: [String] = []
        if !modes.isEmpty { words.append("mode") }
        if ways.contains(where: { $0.place.map { $0.fallback == nil } ?? false }) { words.append("place") }
        if ways.contains(where: { !$0.settings.isEmpty }) { words.append("settings") }
        if ways.contains(where: \.needs.pasteRedirect) { words.append("https page") }
        if ways.contains(where: \.asksForClient) { words.append("client ID") }
        if ways.allSatisfy({ $0.needs.secret == .required }) { words.append("secret") }
        if ways.contains(where: { $0.needs.secret == .optional }) { words.append("secret (optional)") }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    /// Facts about the service's refresh tokens, in one line; empty if none are known.
    fileprivate var renewalInWords: String {
        let words = [
            renewal.rotates.map { $0 ? "works once" : "works more than once" }, renewal.endsAfter.map { "ends after \($0)" },
            renewal.mayBeMissing.map { "is missing \($0)" },
        ]
        return words.compactMap(\.self).joined(separator: "; ")
    }

    fileprivate var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("title", .string(title)), .init("summary", .string(summary)),
            .init("aliases", JSONValue(aliases)), .init("hosts", JSONValue(hosts)), .init("kind", .string(kind.rawValue)),
            .init(
                "place",
                place.map {
                    .members(("what", .string($0.what)), ("example", .string($0.example)), ("default", JSONValue($0.fallback)))
                } ?? .null), .init("scopes", JSONValue(scopes)), .init("client_id", .bool(asksForClient)),
            .init("client_secret", .string(needs.secret.rawValue)), .init("paste_redirect", .bool(needs.pasteRedirect)),
            .init("redirect", JSONValue(redirects)), .init("page", JSONValue(page(at: nil))),
            .init("steps", JSONValue(steps(at: nil, redirects: redirects))), .init("hints", JSONValue(hints)),
            .init("file", JSONValue(file)),
            .init(
                "renewal",
                .members(
                    ("rotates", renewal.rotates.map(JSONValue.bool) ?? .null), ("may_be_missing", JSONValue(renewal.mayBeMissing)),
                    ("ends_after", JSONValue(renewal.endsAfter)))),
            .init("modes", .array(modes.map { .members(("name", JSONValue($0.mode)), ("meaning", .string($0.meaning))) })),
        ]
        return .object(members)
    }
}

/// Asks at the terminal for what a preset needs before a provider can be planned: the mode, the place, settings, and a page of the user.
struct PresetPrompt {
    let context: CommandContext

    /// Returns the input with the user's answers added. Without a terminal, returns it unchanged; planning then reports what is missing.
    func completed(
        _ given: ProviderPlanner.ProviderInput, by planner: ProviderPlanner
    ) async throws(AuthFailure) -> ProviderPlanner.ProviderInput {
        guard context.canAsk else { return given }
        var input = given
        if input.mode == nil, let preset = try planner.service(of: input)?.preset, !preset.modes.isEmpty {
            input.mode = try await mode(of: preset)
        }
        guard let found = try planner.preset(for: input) else { return input }
        let preset = found.preset
        var needs = PresetNeeds(preset, found.input)
        if let place = preset.place, (needs.input.place ?? "").isEmpty {
            input = needs.input
            input.place = try await ask(for: place.what, like: place.example, fallback: place.fallback)
            needs = PresetNeeds(preset, input)
        }
        input = needs.input
        for setting in needs.settings {
            let answer = try await ask(for: setting.what, like: setting.example)
            input.settings.append(.init(setting.key(for: answer), .string(answer)))
        }
        if needs.lacksPage { input.pasteRedirect = try await page() }
        return input
    }

    /// Shows a numbered prompt; accepts a number or a name.
    private func mode(of preset: ProviderPreset) async throws(AuthFailure) -> String? {
        let modes = preset.modes
        for (index, mode) in modes.enumerated() { context.console.note("  \(index + 1)  \(mode.mode ?? ""): \(mode.meaning)") }
        while true {
            context.console.ask("Which mode? [1-\(modes.count)]")
            guard let text = await context.edges.streams.line()?.trimmed else { throw Self.cancelled }
            if let number = Int(text), modes.indices.contains(number - 1) { return modes[number - 1].mode }
            if let mode = modes.first(where: { $0.mode ?? "" == text }) { return mode.mode }
            context.console.note("Enter a number from 1 to \(modes.count), or a name.")
        }
    }

    private func ask(for question: String, like example: String, fallback: String? = nil) async throws(AuthFailure) -> String {
        context.console.ask("Enter \(question), such as \(example)\(fallback.map { " [\($0)]" } ?? ""):")
        guard let text = await context.edges.streams.line()?.trimmed else { throw Self.cancelled }
        if text.isEmpty, let fallback { return fallback }
        guard !text.isEmpty else { throw Self.cancelled }
        return String(text)
    }

    private func page() async throws(AuthFailure) -> String {
        while true {
            let page = try await ask(for: "an https page of your own", like: "https://www.example.org/callback")
            if RedirectRule(page: page) != nil { return page }
            context.console.note("'\(page)' is not an https page.")
        }
    }

    private static let cancelled = AuthFailure(.cancelled, text: "no provider was added")
}
