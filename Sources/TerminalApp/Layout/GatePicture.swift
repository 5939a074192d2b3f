import AuthModel
import TerminalUI

/// The picture of a yett (an iron gate), with the program's name beside it.
struct GatePicture: Component {
    static let rows = unicode.count
    static let columns = 13
    /// The width with the words beside it.
    static let fullColumns = 60
    /// The number of rows by which the gate can be lifted.
    static let height = rows - 2

    /// By how many rows the gate is lifted.
    var lift = 0

    func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let words: [Int: (text: String, style: Style)] = [
            1: (Words.program, Style(.title, attributes: .bold)), 2: (Words.motto, Style(.text)),
            4: (HomeWords.greeting.first, Style(.muted)), 5: (HomeWords.greeting.second, Style(.muted)),
        ]
        for (index, line) in lines(buffer.glyphs).enumerated() {
            let row = rect.row(index).inset(left: Document.margin + 1)
            Self.draw(line, in: row, of: &buffer)
            if let (text, style) = words[index] { buffer.write(text, in: row.inset(left: 18), style: style) }
        }
    }

    /// Draws the picture without words.
    func drawAlone(in rect: Rect, of buffer: inout ScreenBuffer) {
        for (index, line) in lines(buffer.glyphs).enumerated() {
            Self.draw(line, in: rect.row(index), of: &buffer)
        }
    }

    /// Draws a row of the gate, with its heavy bars in the colour of the theme.
    private static func draw(_ line: String, in row: Rect, of buffer: inout ScreenBuffer) {
        buffer.draw(TextLine(line.map { TextLine.Span(String($0), style(of: String($0))) }), in: row)
    }

    /// Returns the style of a part of a gate.
    static func style(of sign: String) -> Style { Style("╂┃╹#".contains(sign) ? .focus : .border) }

    /// The lintel, the part of the gate that is still below it, and the posts.
    private func lines(_ glyphs: GlyphSet) -> [String] {
        let all = glyphs == .ascii ? Self.ascii : Self.unicode
        let post = glyphs == .ascii ? "|           |" : "│           │"
        let lift = min(max(0, lift), Self.height)
        return [all[0]] + all.dropFirst(1 + lift) + Array(repeating: post, count: lift)
    }

    private static let unicode = [
        "╭──┬──┬──┬──╮",
        "├──╂──┼──╂──┤",
        "│  ┃  │  ┃  │",
        "├──╂──┼──╂──┤",
        "│  ┃  │  ┃  │",
        "├──╂──┼──╂──┤",
        "╵  ╹  ╵  ╹  ╵",
    ]

    private static let ascii = [
        ".--+--+--+--.",
        "|--#--+--#--|",
        "|  #  |  #  |",
        "|--#--+--#--|",
        "|  #  |  #  |",
        "|--#--+--#--|",
        "'  '  '  '  '",
    ]
}

/// The iron gate in place of the screen while the store is locked. It comes down when the store is locked, and lifts when it is unlocked.
/// It covers the screen below it, so that nothing can be read there.
struct LoweredGate {
    /// The share of the gate that is down, from 0 to 1.
    let share: Double

    /// The time that the gate takes to come down or to lift.
    static let time = Duration.milliseconds(500)

    /// Returns the share of ``time`` that has passed since a moment; 1 where nothing moves.
    static func progress(since moment: Timestamp?, in model: AppModel) -> Double {
        guard let moment, model.motion == .full else { return 1 }
        let passed = max(0, (model.now - moment).wholeMilliseconds)
        return min(1, Double(passed) / Double(time.wholeMilliseconds))
    }

    /// The distance between two upright bars.
    static let columns = 8
    /// The distance between two crossbars.
    private static let rows = 4

    /// Draws the part of the gate that is down, in place of what is drawn already.
    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let down = min(Int((share * Double(area.rows)).rounded()), area.rows)
        buffer.fill(Rect(column: area.left, row: area.top, columns: area.columns, rows: down), style: .plain)
        // Both margins are equal.
        let margin = (area.columns - 1) % Self.columns / 2
        for row in 0..<down {
            // Counted from the points at the gate's lower end, so that the whole gate moves.
            let height = down - 1 - row
            for column in 0..<area.columns {
                guard let sign = sign(column: column - margin, height: height, glyphs: buffer.glyphs) else { continue }
                let point = Point(column: area.left + column, row: area.top + row)
                buffer.write(sign, at: point, style: GatePicture.style(of: sign), clip: area)
            }
        }
    }

    /// Returns the part of the gate in a cell; nil between the bars.
    private func sign(column: Int, height: Int, glyphs: GlyphSet) -> String? {
        let isBar = column >= 0 && column % Self.columns == 0
        let isHeavy = column / Self.columns % 2 == 1
        let isCrossbar = height % Self.rows == Self.rows / 2
        guard glyphs != .ascii else { return isBar ? (isCrossbar ? "+" : "|") : isCrossbar ? "-" : nil }
        guard isBar else { return isCrossbar ? "─" : nil }
        if height == 0 { return isHeavy ? "╹" : "╵" }
        return isCrossbar ? (isHeavy ? "╂" : "┼") : isHeavy ? "┃" : "│"
    }
}
