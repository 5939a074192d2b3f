package import AuthModel
internal import TOML

/// Reads the file of a preset. Every error names the file and the line.
package struct PresetReader {
    private let rules: ConfigurationRules

    package init(rules: ConfigurationRules) { self.rules = rules }

    /// The maximum size of a file, in bytes.
    package static let limit = 1 << 16

    private static let keys = ["place", "needs", "provider", "registration", "hosts", "hints"]
    private static let baseKeys = ["title", "summary", "aliases", "renewal", "modes"]
    private static let modeKeys = ["name", "meaning", "settings"]

    /// Reads a text. Throws `.configuration` for its first error.
    ///
    /// - Parameters:
    ///   - name: the name of the preset.
    ///   - file: the file name that messages use.
    package func read(_ text: String, name: String, file: String) throws(AuthFailure) -> ProviderPreset {
        let document = try ConfigurationDocument(text, name: file)
        try ConfigurationSection(document.root, at: [], of: document).refuseKeys(
            otherThan: Self.keys + Self.baseKeys, listing: Self.baseKeys + Self.keys)
        let base = document.with(root: document.root.removing(["modes"]))
        var preset = try common(base, name: name)
        guard let value = document.root["modes"] else {
            try check(&preset, base)
            return preset
        }
        let texts = try PresetModeTexts(text, file: file).texts
        guard let count = value.array?.count, count == texts.count, count > 1 else {
            throw AuthFailure(in: document.location(of: ["modes"]), "preset.modes_form", hint: "hint.preset_modes_form")
        }
        for text in texts {
            let mode = try mode(ConfigurationDocument(text, name: file), over: base, of: preset)
            guard !preset.modes.contains(where: { $0.mode == mode.mode }) else {
                throw AuthFailure(
                    in: document.location(of: ["modes"]), UserMessage("preset.mode_twice", ["mode": mode.mode ?? ""]), hint: "hint.keep_one"
                )
            }
            preset.modes.append(mode)
        }
        return preset
    }

    /// Reads a mode, whose document has the keys that it lays over those of the preset.
    private func mode(
        _ own: ConfigurationDocument, over base: ConfigurationDocument, of preset: ProviderPreset
    ) throws(AuthFailure) -> ProviderPreset {
        let section = try ConfigurationSection(own.root, at: [], of: own)
        try section.refuseKeys(otherThan: Self.modeKeys + Self.keys)
        // A mode has these as a whole from itself, or as a whole from the preset.
        var lower = base.root
        for key in ["place", "registration"] where section.has(key) { lower = lower.removing([key]) }
        if !section.has("hosts") { lower = lower.removing(["hosts"]) }
        let document = own.over([base.with(root: lower)])
        var mode = try common(document, name: preset.name)
        let texts = PresetTexts(section)
        guard let name = try section.text("name"), ProviderName(name) != nil else {
            throw section.error("preset.mode_name_missing", at: "name", hint: "hint.name_characters")
        }
        guard section.has("meaning") else {
            throw section.error(
                UserMessage("config.key_missing", ["key": "meaning", "section": "[[modes]]"]), at: "name",
                hint: UserMessage("hint.add_preset_text", ["key": "meaning"]))
        }
        mode.mode = name
        mode.meaning = try texts.required("meaning", limit: 100)
        for element in try section.list("settings") {
            let setting = try ConfigurationSection(element, at: ["settings"], of: own)
            try setting.refuseKeys(otherThan: ["keys", "what", "example"])
            let texts = PresetTexts(setting)
            guard let keys = try setting.texts("keys"), !keys.isEmpty else {
                throw setting.missing("keys", hint: "hint.add_preset_keys")
            }
            mode.settings.append(.init(keys: keys, what: try texts.required("what"), example: try texts.required("example")))
        }
        try check(&mode, document)
        return mode
    }

    /// Reads the keys that a preset and its modes share, and the texts that a mode has from its preset.
    private func common(_ document: ConfigurationDocument, name: String) throws(AuthFailure) -> ProviderPreset {
        let root = try ConfigurationSection(document.root, at: [], of: document)
        let texts = PresetTexts(root)
        var preset = ProviderPreset(
            name: name, title: try texts.required("title", limit: 40), summary: try texts.required("summary", limit: 60))
        preset.aliases = try texts.list("aliases", limit: 60)
        if let bad = preset.aliases.first(where: { ProviderName($0) == nil || $0 != $0.asciiLowercased() }) {
            throw root.error(
                UserMessage("config.invalid_provider_name", ["name": bad]), at: "aliases", hint: "hint.lower_case_name")
        }
        preset.hosts = try hosts(root)
        preset.hints = try texts.list("hints", count: 3)
        preset.place = try root.table("place", keys: ["what", "example", "default"]).map { section throws(AuthFailure) in
            let texts = PresetTexts(section)
            return ProviderPreset.Place(
                what: try texts.required("what"), example: try texts.required("example"), fallback: try texts.text("default"))
        }
        if let section = try root.table("needs", keys: ["client_secret", "paste_redirect", "registration"]) {
            preset.needs.secret = try section.word("client_secret", as: ProviderPreset.Needs.Secret.self) ?? .none
            preset.needs.pasteRedirect = try section.flag("paste_redirect") ?? false
            preset.needs.registersClient = try section.word("registration", as: RegistrationWord.self) == .automatic
        }
        preset.provider = root["provider"] ?? .table([])
        preset.registration = try registration(root, of: preset)
        if let section = try root.table("renewal", keys: ["rotates", "may_be_missing", "ends_after"]) {
            let texts = PresetTexts(section)
            preset.renewal = .init(
                rotates: try section.flag("rotates"), mayBeMissing: try texts.text("may_be_missing"),
                endsAfter: try texts.text("ends_after"))
        }
        return preset
    }

    private enum RegistrationWord: String, CaseIterable { case automatic }

    private func hosts(_ root: ConfigurationSection) throws(AuthFailure) -> [String] {
        let hosts = try PresetTexts(root).list("hosts")
        for text in hosts {
            guard let url = WebURL("https://\(text)"), url.origin.authority == text, url.path.isEmpty, text.contains(".") else {
                throw root.error(UserMessage("config.not_a_host", ["host": text]), at: "hosts", hint: "hint.host_form")
            }
        }
        return hosts
    }

    private func registration(
        _ root: ConfigurationSection, of preset: ProviderPreset
    ) throws(AuthFailure) -> ProviderPreset.Registration? {
        guard let section = try root.table("registration", keys: ["page", "steps"]) else { return nil }
        let texts = PresetTexts(section)
        let registration = ProviderPreset.Registration(page: try texts.text("page"), steps: try texts.list("steps", count: 12))
        if let page = registration.page {
            guard let url = WebURL(preset.filled(page, with: preset.place?.example)), url.origin.scheme == .https else {
                throw section.error(UserMessage("preset.page_refused", ["url": page]), at: "page", hint: "hint.write_https_link")
            }
        }
        return registration
    }

    /// Reads the provider's table as the configuration would, with the examples as the user's answers.
    private func check(_ preset: inout ProviderPreset, _ document: ConfigurationDocument) throws(AuthFailure) {
        let example: TOMLValue
        do throws(AuthFailure) {
            example = try preset.provider(at: preset.place?.example)
        } catch {
            throw AuthFailure(in: document.location(of: ["place"]), error.message, hint: nil)
        }
        guard preset.place != nil || !example.contains("{place") else {
            throw AuthFailure(in: document.location(of: ["provider"]), "preset.place_missing", hint: "hint.add_preset_place")
        }
        let answers = preset.settings.map { TOMLValue.Member($0.keys[0], .string($0.example)) }
        var table = preset.secretExample.merged(over: TOMLValue.table(answers).merged(over: example))
        func section() throws(AuthFailure) -> ConfigurationSection {
            try ConfigurationSection(table, at: ["provider"], of: document)
        }
        let kind = try section().text("kind").flatMap(ProviderKind.init)
        if let kind { preset.needs.client = try rules.kind(kind).read(section()).client.isNamed }
        if preset.needs.client { table = TOMLValue.table([.init("client_id", .string("example"))]).merged(over: table) }
        guard let name = ProviderName(preset.name) else { return }
        _ = try ProviderReader(section: section(), directory: "/", home: "/", rules: rules).read(name)
    }
}

extension KindReading.Client {
    /// Whether the user names the client.
    fileprivate var isNamed: Bool {
        switch self {
        case .required, .optional: true
        case .none: false
        }
    }
}

extension ProviderPreset {
    /// The keys that adding the provider writes beside its client's ID, with examples.
    fileprivate var secretExample: TOMLValue {
        var members: [TOMLValue.Member] = []
        if needs.secret != .none, provider["client_secret_command"] == nil {
            members.append(.init("client_secret_file", .string("/example")))
        }
        if needs.pasteRedirect { members.append(.init("paste_redirect", .string("https://www.example.org/callback"))) }
        return .table(members)
    }
}

extension TOMLValue {
    /// Whether a text in this value contains `part`.
    fileprivate func contains(_ part: String) -> Bool {
        switch self {
        case .string(let text): text.contains(part)
        case .array(let elements): elements.contains { $0.contains(part) }
        case .table(let members): members.contains { $0.value.contains(part) }
        case .integer, .float, .boolean, .moment: false
        }
    }
}

extension ConfigurationSection {
    /// Returns a table with known keys; `nil` if it is missing.
    fileprivate func table(_ key: String, keys: [String]) throws(AuthFailure) -> ConfigurationSection? {
        guard let value = self[key] else { return nil }
        let table = try ConfigurationSection(value, at: path + [key], of: document)
        try table.refuseKeys(otherThan: keys)
        return table
    }

    /// Returns the elements of an array; none if it is missing.
    fileprivate func list(_ key: String) throws(AuthFailure) -> [TOMLValue] {
        guard let value = self[key] else { return [] }
        guard let elements = value.array else {
            throw error(UserMessage("config.must_be", ["key": key, "expected": UserMessage("phrase.a_list_of_tables")]), at: key)
        }
        return elements
    }
}
