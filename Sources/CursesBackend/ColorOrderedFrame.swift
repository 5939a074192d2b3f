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
    /// Where the cursor is; nil if terminals differ in that: after the last column.
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
