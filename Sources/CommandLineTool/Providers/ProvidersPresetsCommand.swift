internal import ArgumentParser
internal import AuthModel
internal import Localization
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

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let library = try context.configurationFile().presets()
        for problem in library.problems {
            context.console.warning("\(problem.place): \(problem.message.english)")
        }
        if let word, let preset = try library.named(word) {
            return try context.console.answer(PresetDescription(preset: preset), asJSON: json)
        }
        let presets = library.presets.filter { word.map($0.mentions) ?? true }
        guard let word, presets.isEmpty else { return try context.console.answer(PresetList(presets: presets), asJSON: json) }
        throw library.unknown(word)
    }
}

/// Services, one a line.
private struct PresetList: Answer {
    let presets: [ProviderPreset]

    var lines: [String] {
        var table = Table("NAME", "SERVICE", "NEEDS")
        for preset in presets { table.add([preset.name, "\(preset.title): \(preset.summary)", preset.needsInWords]) }
        return table.lines
    }

    var json: JSONValue { .answer(("presets", .array(presets.map(\.json)))) }
}

/// One service: what it is, what it needs, and how to register a client.
private struct PresetDescription: Answer {
    let preset: ProviderPreset

    var lines: [String] {
        var lines = ["\(preset.title): \(preset.summary)", "needs: \(preset.needsInWords)"]
        if let file = preset.file { lines.append("file: \(file)") }
        for mode in preset.modes.isEmpty ? [preset] : preset.modes {
            lines.append("")
            if let name = mode.mode { lines.append("mode \(name): \(mode.meaning)") }
            lines += registration(of: mode)
            lines += mode.hints
        }
        let renewal = preset.renewalInWords
        if !renewal.isEmpty { lines += [""] + renewal }
        return lines + ["", "add it with: \(command)"]
    }

    private func registration(of mode: ProviderPreset) -> [String] {
        let redirects = mode.redirects.isEmpty ? [RedirectRule.standard.description] : mode.redirects
        let shown = mode.needs.pasteRedirect ? ["an https page of your own"] : redirects
        let steps = mode.steps(at: nil, redirects: shown).enumerated().map { "  \($0.offset + 1). \($0.element)" }
        guard let page = mode.page(at: nil) else { return steps }
        return ["register a client at \(page)"] + steps
    }

    private var command: String { PresetNeeds(preset, ProviderPlanner.ProviderInput(preset.name)).command }

    var json: JSONValue { .answer(("preset", preset.json)) }
}

extension ProviderPreset {
    /// Whether the word is in the name or in what the service is.
    fileprivate func mentions(_ word: String) -> Bool {
        ([name, title, summary] + aliases + hosts).contains { $0.lowercased().contains(word.lowercased()) }
    }

    /// What only the user knows, in a few words.
    fileprivate var needsInWords: String {
        let ways = modes.isEmpty ? [self] : modes
        var words: [String] = []
        if let place = ways.compactMap(\.place).first, place.fallback == nil { words.append(place.what) }
        if ways.contains(where: \.needs.pasteRedirect) { words.append("an https page") }
        if ways.contains(where: \.asksForClient) { words.append("client ID") }
        if ways.allSatisfy({ $0.needs.secret == .required }) { words.append("secret") }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    fileprivate var renewalInWords: [String] {
        var lines: [String] = []
        if let rotates = renewal.rotates { lines.append("a refresh token works \(rotates ? "once" : "again and again")") }
        if let when = renewal.mayBeMissing { lines.append("no refresh token: \(when)") }
        if let end = renewal.endsAfter { lines.append("a session ends: \(end)") }
        return lines
    }

    fileprivate var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("title", .string(title)), .init("summary", .string(summary)),
            .init("aliases", JSONValue(aliases)), .init("hosts", JSONValue(hosts)), .init("kind", .string(kind.rawValue)),
            .init("place", JSONValue(place?.what)), .init("client_id", .bool(asksForClient)),
            .init("client_secret", .string(needs.secret.rawValue)), .init("paste_redirect", .bool(needs.pasteRedirect)),
            .init("redirect", JSONValue(redirects)), .init("page", JSONValue(page(at: nil))),
            .init("steps", JSONValue(steps(at: nil, redirects: redirects))), .init("hints", JSONValue(hints)),
            .init("file", JSONValue(file)),
            .init("modes", .array(modes.map { .members(("name", JSONValue($0.mode)), ("meaning", .string($0.meaning))) })),
        ]
        return .object(members)
    }
}
