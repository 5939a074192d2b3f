internal import CTerminal

extension KeyDecoder {
    /// The sequences of keys that curses would recognise, with the mode of the keypad off or on.
    private static let sequences: [String: ct_key] = [
        "[A": CT_KEY_UP, "[B": CT_KEY_DOWN, "[C": CT_KEY_RIGHT, "[D": CT_KEY_LEFT, "[H": CT_KEY_HOME, "[F": CT_KEY_END,
        "OA": CT_KEY_UP, "OB": CT_KEY_DOWN, "OC": CT_KEY_RIGHT, "OD": CT_KEY_LEFT, "OH": CT_KEY_HOME, "OF": CT_KEY_END,
        "[3~": CT_KEY_DELETE, "[5~": CT_KEY_PAGE_UP, "[6~": CT_KEY_PAGE_DOWN, "[Z": CT_KEY_BACK_TAB,
    ]

    /// Returns the items of bytes that were read before curses had the terminal.
    static func items(typed bytes: [UInt8]) -> [Item] {
        var items: [Item] = []
        var rest = Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars
        while let first = rest.popFirst() {
            let match = sequences.first { first == "\u{1B}" && rest.starts(with: $0.key.unicodeScalars) }
            if let match {
                rest.removeFirst(match.key.unicodeScalars.count)
                items.append(.key(UInt32(match.value.rawValue)))
            } else {
                items.append(.character(first.value))
            }
        }
        return items
    }
}
