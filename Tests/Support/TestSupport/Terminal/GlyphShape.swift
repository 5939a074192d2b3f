/// The shape of a line or block character in a cell of 8 by 17.
struct GlyphShape {
    private enum Kind {
        /// Lines from the middle: up, right, down, left; 0 is none, 1 a thin and 2 a thick line.
        case arms([Int])
        /// A thin line that turns to the right or left, and down or up.
        case corner(right: Bool, down: Bool)
        /// A rectangle from the left and the bottom, in eighths of the cell.
        case block(width: Int, height: Int)
    }

    private static let arms: [String: [Int]] = [
        "─": [0, 1, 0, 1], "━": [0, 2, 0, 2], "│": [1, 0, 1, 0], "┃": [2, 0, 2, 0], "├": [1, 1, 1, 0], "┤": [1, 0, 1, 1],
        "┬": [0, 1, 1, 1], "┴": [1, 1, 0, 1], "┼": [1, 1, 1, 1], "╂": [2, 1, 2, 1], "╋": [2, 2, 2, 2], "┌": [0, 1, 1, 0],
        "┐": [0, 0, 1, 1], "└": [1, 1, 0, 0], "┘": [1, 0, 0, 1], "╵": [1, 0, 0, 0], "╶": [0, 1, 0, 0], "╷": [0, 0, 1, 0],
        "╴": [0, 0, 0, 1], "╹": [2, 0, 0, 0], "╺": [0, 2, 0, 0], "╻": [0, 0, 2, 0], "╸": [0, 0, 0, 2], "╼": [0, 2, 0, 1],
        "╾": [0, 1, 0, 2], "┿": [1, 2, 1, 2], "┝": [1, 2, 1, 0], "┥": [1, 0, 1, 2],
    ]

    private let kind: Kind

    /// Returns nil for a character that is drawn as text.
    init?(_ text: String) {
        if let arms = Self.arms[text] {
            kind = .arms(arms)
        } else if let corner = ["╭": (true, true), "╮": (false, true), "╰": (true, false), "╯": (false, false)][text] {
            kind = .corner(right: corner.0, down: corner.1)
        } else if let value = text.unicodeScalars.first?.value, text.unicodeScalars.count == 1 {
            switch value {
            case 0x2581...0x2588: kind = .block(width: 8, height: Int(value - 0x2580))
            case 0x2589...0x258F: kind = .block(width: 8 - Int(value - 0x2588), height: 8)
            default: return nil
            }
        } else {
            return nil
        }
    }

    /// Returns SVG paths by line width for a cell at a place; a width of 0 is an area.
    func paths(x: Int, y: Int) -> [(width: Int, path: String)] {
        let (centre, middle) = (x + 4, "\(y + 8).5")
        switch kind {
        case .arms(let arms):
            let lines = [
                "M\(centre) \(middle)V\(y)", "M\(centre) \(middle)H\(x + 8)", "M\(centre) \(middle)V\(y + 17)", "M\(centre) \(middle)H\(x)",
            ]
            return zip(arms, lines).filter { $0.0 > 0 }.map { ($0.0 == 1 ? 1 : 3, $0.1) }
        case .corner(let right, let down):
            return [(1, "M\(right ? x + 8 : x) \(middle)Q\(centre) \(middle) \(centre) \(down ? y + 17 : y)")]
        case .block(let width, let height):
            let top = 17 - (17 * height + 4) / 8
            return [(0, "M\(x) \(y + top)h\(width)V\(y + 17)h-\(width)z")]
        }
    }
}
