import TerminalUI

/// Draws the cells of terminals as an SVG picture.
///
/// Lines and blocks are shapes, so that they meet in every font; each run of text is stretched to its cells.
public struct ScreenPicture {
    /// The size of a cell.
    private static let cell = (width: 8, height: 17)
    /// The colours of a terminal without a theme.
    private static let defaults = (text: Color(red: 208, green: 208, blue: 208), ground: Color(red: 16, green: 16, blue: 16))
    /// The space around the pictures.
    private static let margin = 8

    private let title: String
    private var body = ""
    private var classes: [String: String] = [:]
    private var order: [String] = []
    private var extent = Size.zero

    /// Creates an empty picture with a title for readers who do not see it.
    public init(title: String) { self.title = title }

    /// Adds a terminal with its upper left corner at a column and a row.
    public mutating func add(_ terminal: EmulatedTerminal, column: Int = 0, row: Int = 0) {
        extent = Size(columns: max(extent.columns, column + terminal.size.columns), rows: max(extent.rows, row + terminal.size.rows))
        let x = Self.margin + column * Self.cell.width
        let y = Self.margin + row * Self.cell.height
        body += "<g transform=\"translate(\(x) \(y))\">\n"
        drawGrounds(of: terminal)
        drawShapes(of: terminal)
        for (index, cells) in terminal.rows.enumerated() { drawText(cells, row: index) }
        body += "</g>\n"
    }

    /// The SVG document.
    public var svg: String {
        let width = extent.columns * Self.cell.width + 2 * Self.margin
        let height = extent.rows * Self.cell.height + 2 * Self.margin
        let styles = order.map { ".\(classes[$0] ?? ""){\($0)}" }.joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
            <title>\(Self.escaped(title))</title>
            <style>
            text{font:14px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}
            path{fill:none}
            \(styles)
            </style>
            \(body)</svg>

            """
    }

    // MARK: - Parts

    private static func colors(_ cell: EmulatedTerminal.Cell) -> (text: Color, ground: Color) {
        func color(_ value: Face.Value?, _ standard: Color) -> Color {
            switch value {
            case nil: standard
            case .indexed(let index): IndexedPalette.color(index)
            case .direct(let color): color
            }
        }
        let text = color(cell.face.foreground, defaults.text)
        let ground = color(cell.face.background, defaults.ground)
        return cell.face.attributes.contains(.reverse) ? (ground, text) : (text, ground)
    }

    private mutating func name(_ declarations: String) -> String {
        if let known = classes[declarations] { return known }
        let new = "c\(classes.count)"
        classes[declarations] = new
        order.append(declarations)
        return new
    }

    /// Draws the most frequent ground once, and the others as rectangles over adjacent cells, and over equal rows.
    private mutating func drawGrounds(of terminal: EmulatedTerminal) {
        var counts: [Color: Int] = [:]
        for cell in terminal.rows.joined() { counts[Self.colors(cell).ground, default: 0] += 1 }
        let common = counts.max { ($0.value, $0.key.hex) < ($1.value, $1.key.hex) }?.key ?? Self.defaults.ground
        rectangle(common, Rect(column: 0, row: 0, columns: terminal.size.columns, rows: terminal.size.rows), radius: 4)
        var open: [Rect: Color] = [:]
        for row in 0...terminal.size.rows {
            var next: [Rect: Color] = [:]
            if row < terminal.size.rows {
                for run in Self.runs(terminal.rows[row], by: { Self.colors($0).ground }) where run.key != common {
                    let above = open.keys.first {
                        $0.left == run.range.lowerBound && $0.right == run.range.upperBound && open[$0] == run.key
                    }
                    if let above { open[above] = nil }
                    let top = above?.top ?? row
                    next[Rect(column: run.range.lowerBound, row: top, columns: run.range.count, rows: row + 1 - top)] = run.key
                }
            }
            for (rect, color) in open.sorted(by: { ($0.key.top, $0.key.left) < ($1.key.top, $1.key.left) }) { rectangle(color, rect) }
            open = next
        }
    }

    private mutating func rectangle(_ color: Color, _ rect: Rect, radius: Int = 0) {
        let (x, y) = (rect.left * Self.cell.width, rect.top * Self.cell.height)
        let (width, height) = (rect.columns * Self.cell.width, rect.rows * Self.cell.height)
        let place = (x == 0 ? "" : " x=\"\(x)\"") + (y == 0 ? "" : " y=\"\(y)\"") + (radius == 0 ? "" : " rx=\"\(radius)\"")
        body += "<rect class=\"\(name("fill:" + color.hex))\"\(place) width=\"\(width)\" height=\"\(height)\"/>\n"
    }

    private static func runs<Key: Equatable>(
        _ cells: [EmulatedTerminal.Cell], by key: (EmulatedTerminal.Cell) -> Key
    ) -> [(range: Range<Int>, key: Key)] {
        var runs: [(range: Range<Int>, key: Key)] = []
        for (column, cell) in cells.enumerated() {
            let key = key(cell)
            if let last = runs.last, last.key == key {
                runs[runs.count - 1].range = last.range.lowerBound..<column + 1
            } else {
                runs.append((column..<column + 1, key))
            }
        }
        return runs
    }

    /// Draws all lines and blocks of one colour as one path.
    private mutating func drawShapes(of terminal: EmulatedTerminal) {
        var paths: [String: String] = [:]
        for (row, cells) in terminal.rows.enumerated() {
            for (column, cell) in cells.enumerated() {
                guard let shape = GlyphShape(cell.text) else { continue }
                let dim = cell.face.attributes.contains(.dim) ? ";opacity:.6" : ""
                let color = Self.colors(cell).text.hex
                for (weight, path) in shape.paths(x: column * Self.cell.width, y: row * Self.cell.height) {
                    let style = weight == 0 ? "fill:\(color)\(dim)" : "stroke:\(color);stroke-width:\(weight)\(dim)"
                    paths[style, default: ""] += path
                }
            }
        }
        for (style, path) in paths.sorted(by: { $0.key < $1.key }) {
            body += "<path class=\"\(name(style))\" d=\"\(path)\"/>\n"
        }
    }

    private mutating func drawText(_ cells: [EmulatedTerminal.Cell], row: Int) {
        let y = row * Self.cell.height + 13
        for run in Self.runs(cells, by: Self.textStyle) {
            // Two spaces end a run, because viewers may merge them.
            var start = run.range.lowerBound
            while start < run.range.upperBound {
                guard Self.isText(cells[start]) else {
                    start += 1
                    continue
                }
                var end = start + 1
                while end < run.range.upperBound,
                    Self.isText(cells[end]) || cells[end].text.isEmpty
                        || (end + 1 < run.range.upperBound && Self.isText(cells[end + 1]) && cells[end].text == " ")
                { end += 1 }
                let text = cells[start..<end].map(\.text).joined()
                let length = (end - start) * Self.cell.width
                body += "<text class=\"\(name(run.key))\" x=\"\(start * Self.cell.width)\" y=\"\(y)\" textLength=\"\(length)\""
                body += " lengthAdjust=\"spacingAndGlyphs\">\(Self.escaped(text))</text>\n"
                start = end
            }
        }
    }

    private static func isText(_ cell: EmulatedTerminal.Cell) -> Bool {
        !cell.text.isEmpty && cell.text != " " && GlyphShape(cell.text) == nil
    }

    private static func textStyle(_ cell: EmulatedTerminal.Cell) -> String {
        let attributes = cell.face.attributes
        return "fill:\(colors(cell).text.hex)" + (attributes.contains(.bold) ? ";font-weight:700" : "")
            + (attributes.contains(.italic) ? ";font-style:italic" : "")
            + (attributes.contains(.underline) ? ";text-decoration:underline" : "") + (attributes.contains(.dim) ? ";opacity:.6" : "")
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }.joined()
    }
}
