import TerminalAppModel
import TerminalUI

/// The picture of a yett (an iron gate), with the program's name beside it.
struct GatePicture: Component {
    static let rows = unicode.count

    func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let words: [Int: (text: String, style: Style)] = [
            1: (Words.program, Style(.title, attributes: .bold)), 2: (Words.motto, Style(.text)),
            4: (HomeWords.greeting.first, Style(.muted)), 5: (HomeWords.greeting.second, Style(.muted)),
        ]
        let lines = buffer.glyphs == .ascii ? Self.ascii : Self.unicode
        for (index, line) in lines.enumerated() {
            let row = rect.row(index).inset(left: Document.margin + 1)
            buffer.write(line, at: row.origin, style: Style(.border), clip: row)
            if let (text, style) = words[index] { buffer.write(text, in: row.inset(left: 18), style: style) }
        }
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
