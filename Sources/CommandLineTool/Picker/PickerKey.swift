/// A key of the picker.
enum PickerKey: Equatable, Sendable {
    case up, down, choose, copy, export, open, cancel, erase, clear
    case text(String)
}

/// Finds the keys in the bytes of a terminal.
struct PickerKeyReader {
    /// The first bytes of a character whose rest has not arrived.
    private var rest: [UInt8] = []

    /// Returns the keys in the bytes. Unknown keys and escape sequences are left out.
    mutating func keys(in bytes: [UInt8]) -> [PickerKey] {
        var bytes = (rest + bytes)[...]
        rest = []
        var keys: [PickerKey] = []
        while let byte = bytes.first {
            switch byte {
            case 0x1B: keys += Self.escape(&bytes).map { [$0] } ?? []
            case ..<0x20, 0x7F:
                bytes.removeFirst()
                keys += Self.control(byte).map { [$0] } ?? []
            default:
                let length = Self.length(byte)
                guard bytes.count >= length else {
                    rest = Array(bytes)
                    return keys
                }
                if let text = String(validating: bytes.prefix(length), as: UTF8.self) { keys.append(.text(text)) }
                bytes = bytes.dropFirst(length)
            }
        }
        return keys
    }

    /// Removes an escape sequence and returns its key. Esc alone cancels.
    private static func escape(_ bytes: inout ArraySlice<UInt8>) -> PickerKey? {
        bytes.removeFirst()
        guard let introducer = bytes.first else { return .cancel }
        bytes.removeFirst()
        guard introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else { return introducer == 0x1B ? .cancel : nil }
        let parameters = bytes.prefix { (0x20...0x3F).contains($0) }
        bytes = bytes.dropFirst(parameters.count)
        let final = bytes.popFirst()
        guard parameters.isEmpty else { return nil }
        return switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        default: nil
        }
    }

    private static func control(_ byte: UInt8) -> PickerKey? {
        switch byte {
        case 0x03, 0x04, 0x07: .cancel
        case 0x05: .export
        case 0x08, 0x7F: .erase
        case 0x0A, 0x0D: .choose
        case 0x0E: .down
        case 0x0F: .open
        case 0x10: .up
        case 0x15: .clear
        case 0x19: .copy
        default: nil
        }
    }

    private static func length(_ byte: UInt8) -> Int {
        switch byte {
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
    }
}
