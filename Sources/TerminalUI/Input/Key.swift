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
}
