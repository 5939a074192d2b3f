internal import AuthModel

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
