package import AuthModel
internal import TOML

/// Compares what a preset needs with the user's input.
package struct PresetNeeds {
    package let preset: ProviderPreset
    /// The input. A place that the preset has no use for is the value of its first setting.
    package let input: ProviderPlanner.ProviderInput

    package init(_ preset: ProviderPreset, _ input: ProviderPlanner.ProviderInput) {
        var input = input
        if preset.place == nil, let setting = preset.settings.first, let place = input.place {
            input.place = nil
            input.settings.append(.init(setting.keys[0], .string(place)))
        }
        self.preset = preset
        self.input = input
    }

    /// Whether the user must give the place.
    package var lacksPlace: Bool { preset.place.map { $0.fallback == nil && (input.place ?? "").isEmpty } ?? false }

    /// Whether the user must name a page of their own.
    package var lacksPage: Bool { preset.needs.pasteRedirect && input.pasteRedirect == nil }

    /// The settings that the user must give.
    package var settings: [ProviderPreset.Setting] { Self.open(preset.settings, input) }

    private static func open(_ settings: [ProviderPreset.Setting], _ input: ProviderPlanner.ProviderInput) -> [ProviderPreset.Setting] {
        settings.filter { setting in !input.settings.contains { setting.keys.contains($0.name) } }
    }

    private var lacksClient: Bool { preset.asksForClient && !input.hasClient }

    private var lacksSecret: Bool {
        preset.needs.secret == .required && !input.hasSecret && input.isChecked
            && !["client_secret_file", "client_secret_command"].contains { key in
                preset.provider[key] != nil || input.settings.contains { $0.name == key }
            }
    }

    /// Throws `.usage` if something is missing; the hint is the whole command.
    package func check() throws(AuthFailure) {
        var missing: [UserMessage] = []
        if lacksPlace, let place = preset.place { missing.append(.verbatim(place.what)) }
        missing += settings.map { .verbatim($0.what) }
        if lacksPage { missing.append("phrase.own_https_page") }
        if lacksClient { missing.append("phrase.a_client_id") }
        if lacksSecret { missing.append("phrase.a_client_secret") }
        guard !missing.isEmpty else { return }
        throw AuthFailure(
            .usage, UserMessage("provider.preset_needs", ["preset": preset.title, "value": UserMessage.list(missing, by: .comma)]),
            hint: UserMessage("hint.add_with_command", ["command": command]))
    }

    /// The command that adds the provider, with examples for what the input does not say.
    package var command: String {
        var words = [preset.name]
        if let mode = preset.mode { words += ["--mode", mode] } else if !preset.modes.isEmpty { words += ["--mode", "MODE"] }
        if let place = preset.place, let value = input.place ?? (place.fallback == nil ? place.example : nil) { words += ["--at", value] }
        words += input.settings.flatMap { ["--set", "\($0.name)=\($0.value.string ?? TOMLText.value($0.value))"] }
        words += settings.flatMap { ["--set", "\($0.keys[0])=\($0.example)"] }
        if preset.needs.pasteRedirect { words += ["--paste-redirect", input.pasteRedirect ?? "https://www.example.org/callback"] }
        if preset.asksForClient { words += ["--client-id", "ID"] }
        if preset.needs.secret == .required, !input.settings.contains(where: { $0.name == "client_secret_command" }) {
            words += ["--client-secret-file", "FILE"]
        }
        if let name = input.name { words += ["--name", name] }
        return "yett providers add " + words.map { ShellWord($0).text }.joined(separator: " ")
    }
}
