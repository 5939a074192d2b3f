public import TerminalUI

/// A terminal emulator for the bytes that curses writes: text, cursor movement, erasing, scrolling and colours.
///
/// A sequence that it does not know ends the test instead of being ignored, because the picture could then differ from a real terminal's.
public struct EmulatedTerminal {
    /// A sequence that the emulator does not know.
    public struct UnknownSequence: Error, CustomStringConvertible {
        /// The sequence, without its escape character.
        public let description: String
    }

    /// A cell with the colours and attributes that the bytes give it.
    public struct Cell: Equatable, Sendable {
        /// The text; empty in the right half of a wide glyph.
        public var text = " "
        /// The colours and the attributes; nil is the terminal's default colour.
        public var face = Face()
        /// The address of the link (OSC 8); nil for none.
        public var link: String?
    }

    /// The cells by row.
    public private(set) var rows: [[Cell]]
    /// The size in cells.
    public let size: Size
    private var column = 0
    private var row = 0
    private var face = Face()
    private var last = " "
    private var link: String?
    private var saved: (column: Int, row: Int, face: Face) = (0, 0, Face())
    /// The rows that scroll (DECSTBM).
    private var region: ClosedRange<Int>

    /// Creates an empty terminal.
    public init(size: Size) {
        self.size = size
        rows = Array(repeating: Array(repeating: Cell(), count: size.columns), count: size.rows)
        region = 0...size.rows - 1
    }

    /// The text of the screen, without spaces at the ends of lines.
    public var text: String {
        rows.map { row in
            let line = row.map(\.text).joined()
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    /// Takes what a program wrote.
    public mutating func take(_ bytes: [UInt8]) throws {
        var rest = Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x1B: try escape(&rest)
            case 0x08: column = max(0, column - 1)
            case 0x09: column = min(size.columns - 1, (column / 8 + 1) * 8)
            case 0x0A: if row == region.upperBound { scroll(region, by: 1) } else { row = min(size.rows - 1, row + 1) }
            case 0x0D: column = 0
            case 0..<0x20: break
            default: write(String(Character(scalar)))
            }
        }
    }

    private mutating func escape(_ rest: inout Substring.UnicodeScalarView) throws {
        switch rest.popFirst() {
        case "[":
            var parameters = ""
            while let next = rest.popFirst() {
                if (0x40...0x7E).contains(next.value) { return try control(next, parameters) }
                parameters.unicodeScalars.append(next)
            }
        case "]":
            // It ends with BEL or with ESC \.
            var command = ""
            while let next = rest.popFirst(), next.value != 0x07 {
                if next.value == 0x1B {
                    _ = rest.popFirst()
                    break
                }
                command.unicodeScalars.append(next)
            }
            let fields = command.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
            if fields.first == "8", fields.count == 3 { link = fields[2].isEmpty ? nil : String(fields[2]) }
        case "(", ")": _ = rest.popFirst()
        case "7": saved = (column, row, face)
        case "8": (column, row, face) = saved
        case "M": if row == region.lowerBound { scroll(region, by: -1) } else { row = max(0, row - 1) }
        case "=", ">": break
        case let other: throw UnknownSequence(description: other.map { String($0) } ?? "end")
        }
    }

    private mutating func control(_ final: Unicode.Scalar, _ parameters: String) throws {
        if final == "m" { return try setFace(parameters) }
        // Modes and the title's stack change no cell.
        if "hltc".unicodeScalars.contains(final) || parameters.hasPrefix("?") || parameters.hasPrefix(">") { return }
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let first = numbers.first ?? 0
        let count = max(1, first)
        switch final {
        case "A": row -= count
        case "B", "e": row += count
        case "C", "a": column += count
        case "D": column -= count
        case "G", "`": column = count - 1
        case "d": row = count - 1
        case "H", "f": (row, column) = (count - 1, max(1, numbers.count > 1 ? numbers[1] : 1) - 1)
        case "J" where first == 0: erase(row, column..<size.columns, rowsBelow: true)
        case "J" where first == 2: for line in 0..<size.rows { erase(line, 0..<size.columns) }
        case "K": erase(row, first == 0 ? column..<size.columns : first == 1 ? 0..<column + 1 : 0..<size.columns)
        case "X": erase(row, column..<min(size.columns, column + count))
        case "P", "@": shift(by: final == "P" ? count : -count)
        case "Z": column = max(0, (column - 1) / 8 * 8)
        case "b": for _ in 0..<count { write(last) }
        case "r":
            let bottom = numbers.count > 1 && numbers[1] > 0 ? min(numbers[1], size.rows) : size.rows
            region = count - 1...max(count, bottom) - 1
            (row, column) = (0, 0)
        case "S": scroll(region, by: count)
        case "T": scroll(region, by: -count)
        case "L" where region.contains(row): scroll(row...region.upperBound, by: -count)
        case "M" where region.contains(row): scroll(row...region.upperBound, by: count)
        default: throw UnknownSequence(description: "[" + parameters + String(final))
        }
        row = min(max(0, row), size.rows - 1)
        column = min(max(0, column), size.columns)
    }

    /// Erased cells have the current background, as on xterm and on terminals that follow it.
    private mutating func erase(_ line: Int, _ columns: Range<Int>, rowsBelow: Bool = false) {
        let blank = Cell(face: Face(background: face.background))
        for column in columns { rows[line][column] = blank }
        if rowsBelow { for below in (line + 1)..<max(line + 1, size.rows) { erase(below, 0..<size.columns) } }
    }

    /// Moves the rest of the row to the left over `count` cells, or to the right for a negative number. The cells that become free are erased.
    private mutating func shift(by count: Int) {
        let kept = rows[row]
        for column in column..<size.columns {
            if (self.column..<size.columns).contains(column + count) {
                rows[row][column] = kept[column + count]
            } else {
                erase(row, column..<column + 1)
            }
        }
    }

    /// Moves rows up, or down for a negative number. The rows that become free are erased.
    private mutating func scroll(_ lines: ClosedRange<Int>, by count: Int) {
        let kept = rows
        for line in lines {
            if lines.contains(line + count) { rows[line] = kept[line + count] } else { erase(line, 0..<size.columns) }
        }
    }

    private mutating func write(_ text: String) {
        let width = SafeText.width(of: text)
        if width == 0 {
            if column > 0 { rows[row][column - 1].text += text }
            return
        }
        if column + width > size.columns { (row, column) = (min(size.rows - 1, row + 1), 0) }
        rows[row][column] = Cell(text: text, face: face, link: link)
        if width == 2 { rows[row][column + 1] = Cell(text: "", face: face, link: link) }
        column += width
        last = text
    }
}

extension EmulatedTerminal {
    private mutating func setFace(_ parameters: String) throws {
        let separated = parameters.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == ":" }
        var numbers = separated.map { Int($0) ?? 0 }[...]
        while let number = numbers.popFirst() {
            switch number {
            case 0: face = Face()
            case 1: face.attributes.insert(.bold)
            case 2: face.attributes.insert(.dim)
            case 3: face.attributes.insert(.italic)
            case 4: face.attributes.insert(.underline)
            case 7: face.attributes.insert(.reverse)
            case 10: break
            case 22: face.attributes.subtract([.bold, .dim])
            case 23: face.attributes.remove(.italic)
            case 24: face.attributes.remove(.underline)
            case 27: face.attributes.remove(.reverse)
            case 30...37: face.foreground = .indexed(UInt8(number - 30))
            case 38: face.foreground = try color(&numbers, hasSpace: parameters.contains("::"))
            case 39: face.foreground = nil
            case 40...47: face.background = .indexed(UInt8(number - 40))
            case 48: face.background = try color(&numbers, hasSpace: parameters.contains("::"))
            case 49: face.background = nil
            case 90...97: face.foreground = .indexed(UInt8(number - 82))
            case 100...107: face.background = .indexed(UInt8(number - 92))
            default: throw UnknownSequence(description: "[\(parameters)m")
            }
        }
    }

    /// Reads the colour after 38 or 48. A colour space may stand before red, green and blue (ITU T.416).
    private func color(_ numbers: inout ArraySlice<Int>, hasSpace: Bool) throws -> Face.Value {
        let kind = numbers.popFirst()
        if kind == 5, let index = numbers.popFirst().flatMap(UInt8.init(exactly:)) { return .indexed(index) }
        if kind == 2, hasSpace { _ = numbers.popFirst() }
        let parts = numbers.prefix(3).compactMap(UInt8.init(exactly:))
        guard kind == 2, parts.count == 3 else { throw UnknownSequence(description: "a colour of kind \(kind ?? -1)") }
        numbers = numbers.dropFirst(3)
        return .direct(Color(red: parts[0], green: parts[1], blue: parts[2]))
    }
}
