import TerminalUI

/// A key that a terminal reports by its number: `ESC [ number ; modifiers u`, of the kitty keyboard protocol and of fixterms, or
/// `ESC [ 27 ; modifiers ; number ~`, of xterm's modifyOtherKeys.
///
/// Each number may be followed by others after colons: those of the key with Shift and on another layout, and of the event after the
/// modifiers.
struct NumberedKey: Equatable {
    let key: Key

    /// The maximum length of a sequence between `ESC [` and its last character.
    static let limit = 64

    /// The bits of the modifiers that take part in a key here; the report is one more than their sum.
    private enum Bit {
        static let shift = 1
        static let alt = 2
        static let control = 4
        /// Super, hyper and meta: keys of the desktop.
        static let others = 8 | 16 | 32
    }

    /// The number that means the release of a key.
    private static let release = 3

    /// Reads a sequence without its start and its last character; `nil` if it is no key press that has a meaning here.
    init?(_ characters: [UInt32], end: UInt32) {
        let fields = characters.split(separator: UInt32(UInt8(ascii: ";")), omittingEmptySubsequences: false).map(Self.numbers)
        guard fields.allSatisfy({ $0 != nil }) else { return nil }
        let parts = fields.compactMap(\.self)
        let (codes, modifiers): ([Int], [Int])
        switch (end, parts.count) {
        case (UInt32(UInt8(ascii: "u")), 1...3): (codes, modifiers) = (parts[0], parts.count > 1 ? parts[1] : [1])
        case (UInt32(UInt8(ascii: "~")), 3) where parts[0] == [27]: (codes, modifiers) = (parts[2], parts[1])
        default: return nil
        }
        guard let code = codes.first, modifiers.count < 2 || modifiers[1] != Self.release,
            let key = Self.key(code, shifted: codes.count > 1 ? codes[1] : 0, modifiers: max(0, modifiers[0] - 1))
        else { return nil }
        self.key = key
    }

    /// Returns the numbers of one field, 0 for an empty one; `nil` if it contains anything else.
    private static func numbers(_ field: ArraySlice<UInt32>) -> [Int]? {
        let parts = field.split(separator: UInt32(UInt8(ascii: ":")), omittingEmptySubsequences: false)
        let numbers = parts.map { digits -> Int? in
            guard digits.count <= 7, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        return numbers.contains(nil) ? nil : numbers.compactMap(\.self)
    }

    private static func key(_ code: Int, shifted: Int, modifiers bits: Int) -> Key? {
        guard bits & Bit.others == 0 else { return nil }
        var modifiers: Key.Modifiers = []
        if bits & Bit.alt != 0 { modifiers.insert(.alt) }
        if bits & Bit.control != 0 { modifiers.insert(.control) }
        let hasShift = bits & Bit.shift != 0
        if let named = named[code] { return Key(named, hasShift ? modifiers.union(.shift) : modifiers) }
        guard let character = keypad[code] ?? character(hasShift && shifted > 0 ? shifted : code) else { return nil }
        // A letter with Shift is its own character, except with Control, where terminals send no difference.
        if modifiers.contains(.control) { return Key(.character(Character(character.lowercased())), modifiers) }
        let typed = hasShift && shifted == 0 ? character.uppercased() : String(character)
        return typed.count == 1 ? typed.first.map { Key(.character($0), modifiers) } : nil
    }

    /// Returns the character with this number; `nil` for control characters and for the numbers that the protocol uses for other keys.
    private static func character(_ code: Int) -> Character? {
        guard code >= 0x20, !(0x7F...0x9F).contains(code), !(0xE000...0xF8FF).contains(code) else { return nil }
        return UInt32(exactly: code).flatMap { Unicode.Scalar($0) }.map { Character($0) }
    }

    private static let named: [Int: Key.Code] = [
        9: .tab, 13: .enter, 27: .escape, 127: .backspace, 8: .backspace,
        // The keypad.
        57414: .enter, 57417: .left, 57418: .right, 57419: .up, 57420: .down, 57421: .pageUp, 57422: .pageDown, 57423: .home, 57424: .end,
        57425: .insert, 57426: .delete,
    ]

    private static let keypad: [Int: Character] = [
        57399: "0", 57400: "1", 57401: "2", 57402: "3", 57403: "4", 57404: "5", 57405: "6", 57406: "7", 57407: "8", 57408: "9",
        57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57415: "=",
    ]
}
