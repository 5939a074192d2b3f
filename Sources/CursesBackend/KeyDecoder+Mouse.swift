internal import TerminalUI

extension KeyDecoder {
    /// Parses a numeric mouse report, `button;column;row`, counted from 1; nil if it is malformed or has no meaning here.
    static func mouse(_ report: [UInt32]) -> MouseEvent? {
        let numbers = report.split(separator: UInt32(UInt8(ascii: ";")), omittingEmptySubsequences: false).map { digits in
            digits.isEmpty || digits.count > 6 ? nil : digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        guard numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2] else { return nil }
        return mouse(button: button, column: column, row: row)
    }

    /// Parses a mouse report of three characters, each with 32 added.
    static func mouse(old report: [UInt32]) -> MouseEvent? {
        let numbers = report.map { Int($0) - 32 }
        guard numbers.count == 3 else { return nil }
        return mouse(button: numbers[0], column: numbers[1], row: numbers[2])
    }

    private static func mouse(button: Int, column: Int, row: Int) -> MouseEvent? {
        guard column >= 1, row >= 1 else { return nil }
        let point = Point(column: column - 1, row: row - 1)
        // 4, 8 and 16 are modifiers. 32 is a move, which is ignored: dragging is not a press.
        switch button & ~0b11100 {
        case 0: return MouseEvent(.pressed, at: point)
        case 64: return MouseEvent(.wheelUp, at: point)
        case 65: return MouseEvent(.wheelDown, at: point)
        default: return nil
        }
    }
}
