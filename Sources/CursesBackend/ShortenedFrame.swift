/// The bytes of a frame without the parts that repeat what the terminal has already.
///
/// Curses names both colours of a text, and its character set, at each change of one of them. In 24-bit colours that is most of what a
/// frame consists of. Text, movements and every sequence that is not known stay as they are.
struct ShortenedFrame {
    /// The bytes that show the same.
    private(set) var bytes: [UInt8] = []

    /// The colours and attributes of text, as parameters of SGR (ECMA-48); nil where they are not known.
    private struct Look: Equatable {
        var foreground: [UInt8]?
        var background: [UInt8]?
        var attributes: Set<Int>?

        static let none = Look(foreground: Array("39".utf8), background: Array("49".utf8), attributes: [])
    }

    /// The look that the terminal has, and the one that it needs for the next text.
    private var shown = Look()
    private var wanted = Look()
    /// Whether the terminal uses the character set that curses names with `ESC ( B`.
    private var hasPlainText = false

    private static let escape: UInt8 = 0x1B

    /// Shortens what curses wrote. At its end the terminal is in the state that curses left it in.
    init(_ frame: [UInt8]) {
        bytes.reserveCapacity(frame.count)
        var place = 0
        while place < frame.count {
            guard frame[place] == Self.escape else {
                if frame[place] >= 0x20 { showWanted() }
                bytes.append(frame[place])
                place += 1
                continue
            }
            let end = Self.end(ofSequenceAt: place, in: frame)
            shorten(frame[place..<end])
            place = end
        }
        showWanted()
    }

    /// Returns the end of an escape sequence: that of a control sequence, or of one with intermediate bytes (ECMA-35).
    private static func end(ofSequenceAt start: Int, in frame: [UInt8]) -> Int {
        var end = start + 1
        guard end < frame.count else { return end }
        let isControl = frame[end] == UInt8(ascii: "[")
        if isControl { end += 1 }
        let inside: ClosedRange<UInt8> = isControl ? 0x20...0x3F : 0x20...0x2F
        while end < frame.count, inside.contains(frame[end]) { end += 1 }
        return min(frame.count, end + 1)
    }

    private mutating func shorten(_ sequence: ArraySlice<UInt8>) {
        if sequence.elementsEqual("\u{1B}(B".utf8) {
            if !hasPlainText { bytes += sequence }
            hasPlainText = true
            return
        }
        let isControl = sequence.dropFirst().first == UInt8(ascii: "[")
        if isControl, sequence.last == UInt8(ascii: "m"), let look = Self.look(wanted, after: sequence.dropFirst(2).dropLast()) {
            wanted = look
            return
        }
        // A movement of the cursor is the same in every look.
        guard isControl, let final = sequence.last, "ABCDGHde`af".utf8.contains(final) else {
            showWanted()
            bytes += sequence
            if sequence.last == UInt8(ascii: "m") { (shown, wanted) = (Look(), Look()) }
            hasPlainText = hasPlainText && isControl
            return
        }
        bytes += sequence
    }

    /// Returns a look after the parameters of SGR; nil for parameters that are not known.
    private static func look(_ look: Look, after parameters: ArraySlice<UInt8>) -> Look? {
        var look = look
        var rest = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        while let first = rest.popFirst() {
            guard let number = first.isEmpty ? 0 : Int(String(decoding: first, as: UTF8.self)) else { return nil }
            switch number {
            case 0: look = .none
            case 1...9:
                // Added to attributes that are not known, it cannot be part of a difference.
                guard look.attributes != nil else { return nil }
                look.attributes?.insert(number)
            case 22...29:
                guard look.attributes != nil else { return nil }
                look.attributes = look.attributes?.filter { Self.end(of: $0) != number }
            case 30...37, 39, 90...97: look.foreground = Array(first)
            case 40...47, 49, 100...107: look.background = Array(first)
            case 38, 48:
                let count = rest.first == [UInt8(ascii: "5")] ? 2 : rest.first == [UInt8(ascii: "2")] ? 4 : 0
                guard count > 0, rest.count >= count else { return nil }
                let color = Array(([first] + rest.prefix(count)).joined(separator: [UInt8(ascii: ";")]))
                rest = rest.dropFirst(count)
                if number == 38 { look.foreground = color } else { look.background = color }
            default: return nil
            }
        }
        return look
    }

    /// Writes the difference between the look that the terminal has and the wanted one.
    private mutating func showWanted() {
        guard wanted != shown else { return }
        let choices = [difference(endingAttributes: false), difference(endingAttributes: true)].compactMap(\.self)
        shown = wanted
        guard let parameters = choices.min(by: { $0.count < $1.count }), !parameters.isEmpty else { return }
        bytes += [Self.escape, UInt8(ascii: "[")] + parameters + [UInt8(ascii: "m")]
    }

    /// Returns the parameters for the difference; nil if it cannot be said in this way.
    ///
    /// - Parameter endsAttributes: whether an attribute is ended alone, instead of with the colours and all others. Terminals with colours
    ///   know that.
    private func difference(endingAttributes endsAttributes: Bool) -> [UInt8]? {
        var shown = shown
        var parameters: [[UInt8]] = []
        if let attributes = wanted.attributes, shown.attributes.map({ !$0.isSubset(of: attributes) }) ?? true {
            if endsAttributes {
                guard let had = shown.attributes else { return nil }
                for end in Set(had.subtracting(attributes).map(Self.end(of:))).sorted() {
                    parameters.append(Array(String(end).utf8))
                    shown.attributes = shown.attributes?.filter { Self.end(of: $0) != end }
                }
            } else {
                parameters.append([UInt8(ascii: "0")])
                shown = .none
            }
        }
        if let attributes = wanted.attributes {
            parameters += attributes.subtracting(shown.attributes ?? []).sorted().map { Array(String($0).utf8) }
        }
        if let color = wanted.foreground, color != shown.foreground { parameters.append(color) }
        if let color = wanted.background, color != shown.background { parameters.append(color) }
        return Array(parameters.joined(separator: [UInt8(ascii: ";")]))
    }

    /// Returns the parameter that ends an attribute: bold and dim text end together.
    private static func end(of attribute: Int) -> Int { attribute == 1 ? 22 : attribute + 20 }
}

/// The bytes of a frame in which all text of one look follows each other.
///
/// Curses writes row by row, and names colours at each change: in a list with coloured columns, several times a row. Going to the next text
/// of the same colours costs about five bytes, and 24-bit colours about twenty.
struct ColorOrderedFrame {
    /// A look as SGR shows it (ECMA-48): its parameters after those for no look.
    typealias Look = String

    /// A cell that the terminal has to show.
    struct Cell: Equatable {
        var text: String
        var look: Look
    }

    /// Adjacent cells of one look in one row.
    private struct Piece {
        var row: Int
        var column: Int
        var columns: Int
        var text: String
    }

    /// The bytes, from a cursor anywhere to the wanted place, with no look.
    private(set) var bytes: [UInt8] = []

    private let columns: Int
    /// The position of the cursor; nil after the last column, where terminals differ.
    private var cursor: (row: Int, column: Int)?

    /// So many unchanged cells are written again instead of skipped: to skip them takes four bytes.
    private static let bridge = 3

    /// Creates the bytes.
    ///
    /// - Parameters:
    ///   - changed: the indices of the changed cells, in order.
    ///   - screen: all cells of the screen, each one column wide.
    ///   - end: where the cursor is afterwards.
    init(changed: [Int], screen: [Cell], columns: Int, end: (row: Int, column: Int)) {
        self.columns = columns
        var order: [Look] = []
        var pieces: [Look: [Piece]] = [:]
        for index in changed {
            let cell = screen[index]
            let (row, column) = (index / columns, index % columns)
            var same = pieces.removeValue(forKey: cell.look) ?? []
            if same.isEmpty { order.append(cell.look) }
            if !Self.extend(&same, by: cell, at: index, on: screen, columns) {
                same.append(Piece(row: row, column: column, columns: 1, text: cell.text))
            }
            pieces[cell.look] = same
        }
        for look in order {
            write("\u{1B}[0\(look.isEmpty ? "" : ";" + look)m")
            for piece in pieces[look, default: []] {
                move(to: piece.row, piece.column)
                write(piece.text)
                let next = piece.column + piece.columns
                cursor = next < columns ? (piece.row, next) : nil
            }
        }
        write("\u{1B}[m\u{1B}[\(end.row + 1);\(end.column + 1)H")
        bytes = ShortenedFrame(bytes).bytes
    }

    /// Adds a cell to the last piece if only a few unchanged cells of the same look are between them. Returns whether it did.
    private static func extend(_ pieces: inout [Piece], by cell: Cell, at index: Int, on screen: [Cell], _ columns: Int) -> Bool {
        guard let last = pieces.last, last.row == index / columns else { return false }
        let end = last.row * columns + last.column + last.columns
        guard index - end <= bridge else { return false }
        let between = screen[end..<index]
        guard between.allSatisfy({ $0.look == cell.look && $0.text.utf8.count == 1 }) else { return false }
        pieces[pieces.count - 1].text += between.map(\.text).joined() + cell.text
        pieces[pieces.count - 1].columns += between.count + 1
        return true
    }

    private mutating func write(_ text: String) { bytes += Array(text.utf8) }

    /// Moves the cursor by the shortest sequence.
    private mutating func move(to row: Int, _ column: Int) {
        let absolute = "\u{1B}[\(row + 1)\(column == 0 ? "" : ";\(column + 1)")H"
        guard let from = cursor else { return write(absolute) }
        var choices = [absolute]
        let ahead = column - from.column
        let sideways = ahead == 0 ? "" : ahead > 0 ? "\u{1B}[\(ahead == 1 ? "" : "\(ahead)")C" : Self.back(-ahead)
        if row == from.row { choices.append(sideways) }
        // A line feed moves down alone, because curses has turned ONLCR off, and does the same. It never begins in the last row.
        if row > from.row, row - from.row <= 3 { choices.append(String(repeating: "\n", count: row - from.row) + sideways) }
        write(choices.min { $0.utf8.count < $1.utf8.count } ?? absolute)
    }

    private static func back(_ count: Int) -> String {
        count <= 4 ? String(repeating: "\u{8}", count: count) : "\u{1B}[\(count)D"
    }
}
