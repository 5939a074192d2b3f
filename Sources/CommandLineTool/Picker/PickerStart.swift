/// Finds out where the cursor is when the picker opens, so that the list keeps the text before the cursor.
struct PickerStart: Sendable {
    /// Asks the terminal for the position of the cursor (DSR 6).
    static let question = Array("\u{1B}[6n".utf8)
    /// How long the answer may take. A later answer is ignored like an unknown key.
    static let timeLimit = Duration.milliseconds(300)

    /// The keys that were typed before the answer, or around it.
    private(set) var typed: [UInt8] = []
    /// The column of the cursor, from 1; `nil` before the answer.
    private(set) var column: Int?

    /// Adds bytes of the terminal.
    mutating func take(_ bytes: [UInt8]) {
        typed += bytes
        guard column == nil else { return }
        for start in typed.indices where typed[start...].starts(with: [0x1B, UInt8(ascii: "[")]) {
            let body = typed[(start + 2)...].prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            guard body.endIndex < typed.endIndex, typed[body.endIndex] == UInt8(ascii: "R") else { continue }
            let numbers = body.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 2, let last = numbers[1], last > 0 else { continue }
            column = last
            typed.removeSubrange(start...body.endIndex)
            return
        }
    }

    /// Returns the bytes that move the cursor to an empty line.
    ///
    /// Without an answer, a row of spaces does: it wraps unless the cursor is in the first column.
    func opening(columns: Int) -> [UInt8] {
        guard let column else { return Array((String(repeating: " ", count: columns) + "\r").utf8) }
        return column > 1 ? Array("\r\n".utf8) : []
    }

    /// The bytes that move the cursor back to the text before the list, so that a shell finds it where it was.
    var returning: [UInt8] {
        guard let column, column > 1 else { return [] }
        return Array("\u{1B}[A\u{1B}[\(column - 1)C".utf8)
    }
}
