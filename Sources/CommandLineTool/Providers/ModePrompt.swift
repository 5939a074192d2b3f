internal import AuthModel
internal import Localization
internal import UserConfiguration

/// Asks at the terminal for the mode of a well-known provider that has several modes, and for the settings that the mode needs.
struct ModePrompt {
    let context: CommandContext

    /// Returns the request with the user's answers added. Without a terminal, returns it unchanged; planning then reports what is missing.
    func completed(_ input: ProviderPlanner.ProviderInput) async throws(AuthFailure) -> ProviderPlanner.ProviderInput {
        guard context.canAsk, let preset = ProviderPreset.named(input.provider), !preset.modes.isEmpty else { return input }
        var input = input
        let mode: ProviderMode
        if let known = try input.mode.map({ name throws(AuthFailure) in try preset.mode(named: name) }) ?? nil {
            mode = known
        } else {
            mode = try await choice(among: preset)
            input.mode = mode.name
        }
        if let place = mode.address.place, place.fallback == nil, input.place == nil {
            input.place = try await answer(to: place.what.english, like: place.example)
        }
        input.settings = mode.filled(input.settings, place: &input.place)
        for need in mode.open(input.settings) {
            let answer = try await answer(to: need.what.english, like: need.example)
            input.settings.append((need.key(for: answer), answer))
        }
        return input
    }

    /// Shows a numbered prompt; accepts a number or a name.
    private func choice(among preset: ProviderPreset) async throws(AuthFailure) -> ProviderMode {
        for (index, mode) in preset.modes.enumerated() { context.console.note("  \(index + 1)  \(mode.name): \(mode.meaning.english)") }
        while true {
            context.console.ask("Which mode? [1-\(preset.modes.count)]")
            guard let text = await context.edges.streams.line()?.trimmed else { throw Self.cancelled }
            if let number = Int(text), preset.modes.indices.contains(number - 1) { return preset.modes[number - 1] }
            if let mode = preset.modes.first(where: { $0.name == text }) { return mode }
            context.console.note("Enter a number from 1 to \(preset.modes.count), or a name.")
        }
    }

    private func answer(to question: String, like example: String) async throws(AuthFailure) -> String {
        context.console.ask("Enter \(question) (such as \(example)):")
        guard let text = await context.edges.streams.line()?.trimmed, !text.isEmpty else { throw Self.cancelled }
        return String(text)
    }

    private static let cancelled = AuthFailure(.cancelled, text: "no provider was added")
}
