package import AuthModel
import TOML

/// Reads the texts of a preset that are shown to the user: each is one short line without characters that a terminal could act on.
struct PresetTexts {
    private let section: ConfigurationSection

    init(_ section: ConfigurationSection) { self.section = section }

    /// The maximum length of a text, in characters.
    static let limit = 200
    /// The maximum length of a list.
    static let count = 40

    func text(_ key: String, limit: Int = Self.limit) throws(AuthFailure) -> String? {
        guard let text = try section.text(key) else { return nil }
        try check(text, key, limit: limit)
        return text
    }

    func required(_ key: String, limit: Int = Self.limit) throws(AuthFailure) -> String {
        guard let text = try text(key, limit: limit) else {
            throw section.missing(key, hint: UserMessage("hint.add_preset_text", ["key": key]))
        }
        return text
    }

    func list(_ key: String, count: Int = Self.count, limit: Int = Self.limit) throws(AuthFailure) -> [String] {
        let texts = try section.texts(key) ?? []
        guard texts.count <= count else {
            throw section.error(
                UserMessage("preset.too_many", ["key": key, "count": texts.count]), at: key,
                hint: UserMessage("hint.at_most", ["maximum": count]))
        }
        for text in texts { try check(text, key, limit: limit) }
        return texts
    }

    private func check(_ text: String, _ key: String, limit: Int) throws(AuthFailure) {
        let count = text.unicodeScalars.count
        guard count <= limit else {
            throw section.error(
                UserMessage("preset.text_too_long", ["key": key, "count": count]), at: key,
                hint: UserMessage("hint.at_most", ["maximum": limit]))
        }
        guard text.unicodeScalars.allSatisfy(Self.isPrintable) else {
            throw section.error(UserMessage("preset.unprintable_text", ["key": key]), at: key, hint: "hint.remove_invisible_characters")
        }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}

/// The text of each `[[modes]]` table of a preset, as a text of its own: `[modes.provider]` is written as `[provider]`, and all lines of
/// other tables are blank. So a mode is read like a preset, and errors name the line in the file.
struct PresetModeTexts {
    let texts: [String]

    init(_ text: String, file: String) throws(AuthFailure) {
        let document: TOMLDocument
        do throws(TOMLError) {
            document = try TOMLDocument(text)
        } catch {
            throw AuthFailure(error, in: file)
        }
        let bytes = Array(text.utf8)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let headers = document.entries.filter { $0.place == .header }
        let starts = headers.map { document.position(of: $0).line - 1 }
        var modes: [[ArraySlice<UInt8>]] = []
        for (index, header) in headers.enumerated() where header.path.first == "modes" {
            let isMode = header.path.count == 1
            if isMode { modes.append(Array(repeating: [], count: lines.count)) }
            guard let last = modes.indices.last else { continue }
            let body = starts[index] + 1..<(index + 1 < starts.count ? starts[index + 1] : lines.count)
            modes[last].replaceSubrange(body, with: lines[body])
            if !isMode { modes[last][starts[index]] = Self.header(header, in: bytes)[...] }
        }
        texts = modes.map { String(decoding: Array($0.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self) }
    }

    /// Returns the header of a table of a mode, without `modes`.
    private static func header(_ entry: TOMLDocument.Entry, in bytes: [UInt8]) -> [UInt8] {
        let path = entry.path.dropFirst().map(TOMLText.key).joined(separator: ".")
        let isArray = bytes[entry.range].starts(with: [UInt8](repeating: UInt8(ascii: "["), count: 2))
        return Array((isArray ? "[[\(path)]]" : "[\(path)]").utf8)
    }
}

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
