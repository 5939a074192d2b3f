extension Key: CustomStringConvertible {
    /// The key's name in the footer and the help: `s`, `Enter`, `^C`, `Alt-f`, `Shift-Tab`.
    public var label: String { label(.unicode) }

    /// Returns the key's name, with words for arrows if the glyph set has no arrows.
    public func label(_ glyphs: GlyphSet) -> String {
        var prefix = ""
        if modifiers.contains(.alt) { prefix += "Alt-" }
        if modifiers.contains(.shift) { prefix += "Shift-" }
        if modifiers.contains(.control) { prefix += isCharacter ? "^" : "Ctrl-" }
        return prefix + name(glyphs)
    }

    /// The label with Unicode arrows.
    public var description: String { label }

    private var isCharacter: Bool {
        if case .character = code { true } else { false }
    }

    private func name(_ glyphs: GlyphSet) -> String {
        switch code {
        case .character(" "): "Space"
        case .character(let character): modifiers.contains(.control) ? character.uppercased() : String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: glyphs == .unicode ? "↑" : "Up"
        case .down: glyphs == .unicode ? "↓" : "Down"
        case .left: glyphs == .unicode ? "←" : "Left"
        case .right: glyphs == .unicode ? "→" : "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        }
    }
}
