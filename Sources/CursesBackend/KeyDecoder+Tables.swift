internal import CTerminal
internal import TerminalUI

extension KeyDecoder {
    /// Returns the key for a character; nil if no key types it.
    static func key(character value: UInt32) -> Key? {
        switch value {
        case 0x09: return .tab
        case 0x0A, 0x0D: return .enter
        case 0x08, 0x7F: return .backspace
        case 0x1B: return .escape
        case 0x00: return Key(.character(" "), .control)
        case 0x01...0x1A: return UInt8(exactly: value + 0x60).map { .control(Character(Unicode.Scalar($0))) }
        case 0x1C...0x1F: return UInt8(exactly: value + 0x40).map { .control(Character(Unicode.Scalar($0))) }
        case 0x80...0x9F: return nil
        default: return Unicode.Scalar(value).map { .character(Character($0)) }
        }
    }

    /// Returns the key for a key code of CTerminal; nil for unsupported keys.
    static func key(code value: UInt32) -> Key? {
        let modified = UInt32(CT_MODIFIED.rawValue)
        guard value >= modified else { return plain(value).map { Key($0.code, $0.modifiers) } }
        let bits = (value - modified) / 64
        var modifiers: Key.Modifiers = []
        if bits & 1 != 0 { modifiers.insert(.shift) }
        if bits & 2 != 0 { modifiers.insert(.alt) }
        if bits & 4 != 0 { modifiers.insert(.control) }
        return plain((value - modified) % 64).map { Key($0.code, $0.modifiers.union(modifiers)) }
    }

    private static func plain(_ value: UInt32) -> Key? {
        let function = UInt32(CT_KEY_F0.rawValue)
        if value > function, value <= function + 63 { return .function(Int(value - function)) }
        return named.first { UInt32($0.code.rawValue) == value }?.key
    }

    private static var named: [(code: ct_key, key: Key)] {
        [
            (CT_KEY_UP, .up), (CT_KEY_DOWN, .down), (CT_KEY_LEFT, .left), (CT_KEY_RIGHT, .right), (CT_KEY_HOME, .home),
            (CT_KEY_END, .end), (CT_KEY_PAGE_UP, .pageUp), (CT_KEY_PAGE_DOWN, .pageDown), (CT_KEY_INSERT, .insert),
            (CT_KEY_DELETE, .delete), (CT_KEY_BACKSPACE, .backspace), (CT_KEY_ENTER, .enter), (CT_KEY_BACK_TAB, .backTab),
        ]
    }
}
