internal import CTerminal
public import TerminalUI

extension CursesTerminal {
    /// Passes the changed cells to curses, which sends the shortest output that updates the terminal.
    public func present(_ changes: ScreenChanges) {
        if changes.theme != facesTheme {
            facesTheme = changes.theme
            faces = [:]
        }
        if changes.isComplete { ct_clear(handle) }
        for run in changes.runs {
            for (offset, cell) in run.cells.enumerated() where !cell.isContinuation {
                put(cell, at: Point(column: run.origin.column + offset, row: run.origin.row), theme: changes.theme)
            }
        }
        let cursor = changes.cursor ?? .zero
        ct_cursor(handle, changes.cursor != nil, Int32(cursor.row), Int32(cursor.column))
        ct_flush(handle)
    }

    private func put(_ cell: Cell, at point: Point, theme: Theme) {
        let face = face(for: cell.style, theme: theme)
        let scalars = isASCIIOnly ? CursesTerminal.ascii(cell) : cell.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
        scalars.withUnsafeBufferPointer { text in
            ct_put(
                handle, Int32(point.row), Int32(point.column), text.baseAddress, Int32(text.count), Int32(cell.width), face.attributes,
                face.pair)
        }
    }

    private static func ascii(_ cell: Cell) -> [wchar_t] {
        let scalars = cell.text.unicodeScalars
        // Text that was shortened before gets the same mark as text that is shortened here.
        if cell.text == "…" { return [wchar_t(UInt8(ascii: "~"))] }
        guard scalars.count == 1, let only = scalars.first, only.isASCII else { return [wchar_t(UInt8(ascii: "?"))] }
        return [wchar_t(bitPattern: only.value)]
    }

    private func face(for style: Style, theme: Theme) -> (attributes: UInt32, pair: Int32) {
        if let known = faces[style] { return known }
        let face = theme.face(for: style, depth: depth)
        var attributes = CursesTerminal.flags(face.attributes)
        var colors = PairCache.Colors()
        (colors.foreground, attributes) = number(face.foreground, brightening: attributes)
        colors.background = number(face.background, brightening: 0).0
        let pair = pairs.number(for: colors) { ct_set_pair(handle, $0, $1.foreground, $1.background) }
        faces[style] = (attributes, pair)
        return (attributes, pair)
    }

    /// Returns the curses number of a colour. With eight colours, bright colours are dark ones in bold.
    private func number(_ value: Face.Value?, brightening attributes: UInt32) -> (Int32, UInt32) {
        switch value {
        case nil: return (-1, attributes)
        case .indexed(let index) where index >= 8 && index < 16 && ct_colors(handle) < 16:
            return (Int32(index) - 8, attributes | UInt32(CT_BOLD.rawValue))
        case .indexed(let index): return (Int32(index), attributes)
        case .direct(let color): return (number(of: color), attributes)
        }
    }

    /// Returns the number of a 24-bit colour. The lowest numbers are the ANSI colours, which users change: often, black is a grey or a
    /// blue. So black becomes the darkest grey, and the darkest blues become the next lighter one.
    private func number(of color: Color) -> Int32 {
        let number = Int32(color.red) << 16 | Int32(color.green) << 8 | Int32(color.blue)
        if number == 0 { return 0x01_0101 }
        return number < ansiColors ? ansiColors : number
    }

    private static func flags(_ attributes: Attributes) -> UInt32 {
        let table: [(Attributes, ct_attribute)] = [
            (.bold, CT_BOLD), (.dim, CT_DIM), (.italic, CT_ITALIC), (.underline, CT_UNDERLINE), (.reverse, CT_REVERSE),
        ]
        return table.reduce(0) { $0 | (attributes.contains($1.0) ? UInt32($1.1.rawValue) : 0) }
    }
}
