internal import AuthModel
internal import Localization
internal import OAuth
internal import TOML
internal import UserConfiguration

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
            input.place = try await answer(to: place.what, like: place.example, fallback: place.fallback)
            needs = PresetNeeds(preset, input)
        }
        input = needs.input
        for setting in needs.settings {
            let answer = try await answer(to: setting.what, like: setting.example)
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

    private func answer(to question: String, like example: String, fallback: String? = nil) async throws(AuthFailure) -> String {
        context.console.ask("Enter \(question), such as \(example)\(fallback.map { " [\($0)]" } ?? ""):")
        guard let text = await context.edges.streams.line()?.trimmed else { throw Self.cancelled }
        if text.isEmpty, let fallback { return fallback }
        guard !text.isEmpty else { throw Self.cancelled }
        return String(text)
    }

    private func page() async throws(AuthFailure) -> String {
        while true {
            let page = try await answer(to: "an https page of your own", like: "https://www.example.org/callback")
            if RedirectRule(page: page) != nil { return page }
            context.console.note("'\(page)' is not an https page.")
        }
    }

    private static let cancelled = AuthFailure(.cancelled, text: "no provider was added")
}
