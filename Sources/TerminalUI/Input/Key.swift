/// A key press.
public struct Key: Hashable, Sendable {
    /// The key without modifiers.
    public enum Code: Hashable, Sendable {
        /// A key that types a character. An upper-case letter is its own character, without ``Modifiers/shift``.
        case character(Character)
        /// Keys for editing and commands.
        case enter, escape, tab, backspace, delete, insert
        /// Keys for moving.
        case up, down, left, right, home, end, pageUp, pageDown
        /// A function key; F1 is 1.
        case function(Int)
    }

    /// The modifier keys, where a terminal reports them.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// The bits of the set modifiers.
        public let rawValue: UInt8
        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The Control key.
        public static let control = Modifiers(rawValue: 1)
        /// The Alt key.
        public static let alt = Modifiers(rawValue: 2)
        /// The Shift key.
        public static let shift = Modifiers(rawValue: 4)
    }

    /// The key without its modifiers.
    public let code: Code
    /// The modifiers held with the key.
    public let modifiers: Modifiers

    /// Creates a key press.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// Returns the key that types a character.
    public static func character(_ character: Character) -> Key { Key(.character(character)) }
    /// Returns Control with a lower-case letter: `.control("c")`.
    public static func control(_ character: Character) -> Key { Key(.character(character), .control) }
    /// Returns Alt with a character.
    public static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }
    /// Returns a function key; F1 is 1.
    public static func function(_ number: Int) -> Key { Key(.function(number)) }
    /// The Enter key.
    public static let enter = Key(.enter)
    /// The Escape key.
    public static let escape = Key(.escape)
    /// The Tab key.
    public static let tab = Key(.tab)
    /// The Tab key with Shift.
    public static let backTab = Key(.tab, .shift)
    /// The Backspace key.
    public static let backspace = Key(.backspace)
    /// The Delete key.
    public static let delete = Key(.delete)
    /// The Insert key.
    public static let insert = Key(.insert)
    /// The up arrow.
    public static let up = Key(.up)
    /// The down arrow.
    public static let down = Key(.down)
    /// The left arrow.
    public static let left = Key(.left)
    /// The right arrow.
    public static let right = Key(.right)
    /// The Home key.
    public static let home = Key(.home)
    /// The End key.
    public static let end = Key(.end)
    /// The Page Up key.
    public static let pageUp = Key(.pageUp)
    /// The Page Down key.
    public static let pageDown = Key(.pageDown)

    /// The character that the key types; nil for other keys and for combinations with Control or Alt.
    public var typed: Character? {
        guard case .character(let character) = code, modifiers.isDisjoint(with: [.control, .alt]) else { return nil }
        return character
    }

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

    /// The keys other than characters and function keys: with their names in the configuration, and in the footer.
    private static let names: [(name: String, label: String, code: Code)] = [
        ("enter", "Enter", .enter), ("escape", "Esc", .escape), ("tab", "Tab", .tab), ("backspace", "Backspace", .backspace),
        ("delete", "Del", .delete), ("insert", "Ins", .insert), ("up", "Up", .up), ("down", "Down", .down), ("left", "Left", .left),
        ("right", "Right", .right), ("home", "Home", .home), ("end", "End", .end), ("page-up", "PgUp", .pageUp),
        ("page-down", "PgDn", .pageDown),
    ]
}

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
        case .up where glyphs == .unicode: "↑"
        case .down where glyphs == .unicode: "↓"
        case .left where glyphs == .unicode: "←"
        case .right where glyphs == .unicode: "→"
        case .function(let number): "F\(number)"
        default: Key.names.first { $0.code == code }?.label ?? ""
        }
    }
}

/// An event from the terminal.
public enum InputEvent: Hashable, Sendable {
    /// A key press.
    case key(Key)
    /// A bracketed paste, as one event of any length.
    case paste(PastedText)
    /// A mouse event; sent only while the application uses the mouse.
    case mouse(MouseEvent)
    /// The terminal got the keyboard focus, or lost it. A window without it may be hidden.
    case focused(Bool)
    /// The terminal's colour scheme has changed to a light or a dark one.
    case colorsChanged(isLight: Bool)
    /// The terminal has a new size.
    case resized(Size)
    /// The program was stopped (Ctrl-Z) and continues; the screen is redrawn.
    case resumed
    /// The program must end: SIGTERM, SIGHUP, or the terminal has hung up.
    case terminated
}

/// A mouse event. Moves and releases are not reported.
public struct MouseEvent: Hashable, Sendable {
    /// The action of the mouse.
    public enum Action: Hashable, Sendable {
        /// The main button was pressed.
        case pressed
        /// The wheel was turned up.
        case wheelUp
        /// The wheel was turned down.
        case wheelDown
    }

    /// The action.
    public let action: Action
    /// The cell, counted from the top left corner.
    public let point: Point

    /// Creates an event.
    public init(_ action: Action, at point: Point) {
        self.action = action
        self.point = point
    }
}

/// Text that was pasted in one piece. It may be a password, so its description hides the content.
///
/// The text is unchanged, with line feeds and control characters. An input field filters it by its own rules; it is never decoded as keys.
public struct PastedText: Hashable, Sendable {
    /// The unchanged text.
    public let text: String

    /// Creates a pasted text.
    public init(_ text: String) { self.text = text }
}

extension PastedText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, never the content.
    public var description: String { "[pasted, \(text.utf8.count) bytes]" }
    /// The length, never the content.
    public var debugDescription: String { description }
    /// A mirror without children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
