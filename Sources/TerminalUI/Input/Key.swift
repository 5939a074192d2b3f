/// A key press.
public struct Key: Hashable, Sendable {
    /// The key without modifiers.
    public enum Code: Hashable, Sendable {
        /// A key that types a character. An upper-case letter is its own character, without ``Modifiers/shift``.
        case character(Character)
        case enter, escape, tab, backspace, delete, insert
        case up, down, left, right, home, end, pageUp, pageDown
        /// A function key; F1 is 1.
        case function(Int)
    }

    /// The modifier keys, where a terminal reports them.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let control = Modifiers(rawValue: 1)
        public static let alt = Modifiers(rawValue: 2)
        public static let shift = Modifiers(rawValue: 4)
    }

    public let code: Code
    public let modifiers: Modifiers

    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    public static func character(_ character: Character) -> Key { Key(.character(character)) }
    /// Returns Control with a lower-case letter: `.control("c")`.
    public static func control(_ character: Character) -> Key { Key(.character(character), .control) }
    public static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }
    public static func function(_ number: Int) -> Key { Key(.function(number)) }
    public static let enter = Key(.enter)
    public static let escape = Key(.escape)
    public static let tab = Key(.tab)
    public static let backTab = Key(.tab, .shift)
    public static let backspace = Key(.backspace)
    public static let delete = Key(.delete)
    public static let insert = Key(.insert)
    public static let up = Key(.up)
    public static let down = Key(.down)
    public static let left = Key(.left)
    public static let right = Key(.right)
    public static let home = Key(.home)
    public static let end = Key(.end)
    public static let pageUp = Key(.pageUp)
    public static let pageDown = Key(.pageDown)

    /// The character that the key types; nil for other keys and for combinations with Control or Alt.
    public var typed: Character? {
        guard case .character(let character) = code, modifiers.isDisjoint(with: [.control, .alt]) else { return nil }
        return character
    }
}
