internal import AuthModel
internal import UserConfiguration

/// Selects the provider: the named one, the only one, or the one that the user chooses.
struct ProviderChoice {
    let configuration: Configuration
    let context: CommandContext

    func settle(_ name: ProviderName?) async throws(AuthFailure) -> ProviderConfiguration {
        let providers = configuration.providers
        if let name {
            if let provider = configuration.provider(name) { return provider }
            let near = providers.map(\.name.text).nearest(to: name.text)
            throw AuthFailure(
                .configuration, text: "unknown provider '\(name)'",
                hint: preset(name).map { "add this well-known service with: \($0)" }
                    ?? near.map { "did you mean '\($0)'? see: yett providers list" }
                    ?? "add it with: yett providers add ISSUER --name \(ShellWord(name)) --client-id ID")
        }
        guard let first = providers.first else {
            throw AuthFailure(
                .configuration, text: "no provider is configured",
                hint: "add one with: yett providers add ISSUER --client-id ID, or try: yett demo")
        }
        if providers.count == 1 { return first }
        guard context.canAsk else {
            throw AuthFailure(.usage, text: "which provider?", hint: "choose one: " + providers.map(\.name.text).joined(separator: ", "))
        }
        return try await ask(providers)
    }

    /// Returns the command that adds the well-known service with this name; `nil` if there is none.
    private func preset(_ name: ProviderName) -> String? {
        guard let preset = try? context.configurationFile().presets().named(name.text) else { return nil }
        return context.canAsk
            ? "yett providers add \(ShellWord(preset.name))" : PresetNeeds(preset, ProviderPlanner.ProviderInput(preset.name)).command
    }

    /// Shows a numbered prompt; accepts a number or a name.
    private func ask(_ providers: [ProviderConfiguration]) async throws(AuthFailure) -> ProviderConfiguration {
        for (index, provider) in providers.enumerated() {
            context.console.note("  \(index + 1)  \(provider.name)\(provider.issuer.map { "  \($0)" } ?? "")")
        }
        while true {
            context.console.ask("Which provider? [1-\(providers.count)]")
            guard let line = await context.edges.streams.line() else { throw AuthFailure(.cancelled, text: "no provider was chosen") }
            let text = line.trimmed
            if let number = Int(text), providers.indices.contains(number - 1) { return providers[number - 1] }
            if let provider = providers.first(where: { $0.name.text == text }) { return provider }
            context.console.note("Enter a number from 1 to \(providers.count), or a name.")
        }
    }
}
