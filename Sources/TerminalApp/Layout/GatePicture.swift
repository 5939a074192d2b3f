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

    func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
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
