extension Key {
    /// Creates a key from its name in the configuration: `r`, `R`, `?`, `enter`, `ctrl-r`, `alt-x`, `shift-tab`, `f5`; nil for any other
    /// name.
    public init?(name: String) {
        var modifiers: Modifiers = []
        var rest = Substring(name)
        let prefixes: [(String, Modifiers)] = [("ctrl-", .control), ("alt-", .alt), ("shift-", .shift)]
        while let (prefix, modifier) = prefixes.first(where: { rest.lowercased().hasPrefix($0.0) && rest.count > $0.0.count }) {
            guard !modifiers.contains(modifier) else { return nil }
            modifiers.insert(modifier)
            rest = rest.dropFirst(prefix.count)
        }
        if rest.count == 1, let character = rest.first {
            // A terminal sends an upper-case letter as its own character, and cannot send one with Control.
            guard !modifiers.contains(.shift), character != " ",
                character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { return nil }
            let folded = modifiers.contains(.control) ? Character(character.lowercased()) : character
            self.init(.character(folded), modifiers)
        } else if let code = Key.code(named: rest.lowercased()) {
            self.init(code, modifiers)
        } else {
            return nil
        }
    }

    /// The key's name in the configuration; ``init(name:)`` parses it.
    public var name: String {
        var prefix = ""
        if modifiers.contains(.control) { prefix += "ctrl-" }
        if modifiers.contains(.alt) { prefix += "alt-" }
        if modifiers.contains(.shift) { prefix += "shift-" }
        switch code {
        case .character(" "): return prefix + "space"
        case .character(let character): return prefix + String(character)
        case .function(let number): return prefix + "f\(number)"
        default: return prefix + (Key.names.first { $0.code == code }?.name ?? "")
        }
    }

    private static func code(named name: String) -> Code? {
        if name == "space" { return .character(" ") }
        if name.first == "f", let number = Int(name.dropFirst()), (1...63).contains(number) { return .function(number) }
        return names.first { $0.name == name }?.code
    }

    private static let names: [(name: String, code: Code)] = [
        ("enter", .enter), ("escape", .escape), ("tab", .tab), ("backspace", .backspace), ("delete", .delete), ("insert", .insert),
        ("up", .up), ("down", .down), ("left", .left), ("right", .right), ("home", .home), ("end", .end), ("page-up", .pageUp),
        ("page-down", .pageDown),
    ]
}
