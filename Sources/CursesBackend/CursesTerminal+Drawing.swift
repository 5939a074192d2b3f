import CTerminal
public import TerminalUI

extension CursesTerminal {
    /// Passes the changed cells to curses, which sends the shortest output that updates the terminal.
    public func present(_ changes: ScreenChanges) {
        if changes.theme != facesTheme {
            facesTheme = changes.theme
            faces = [:]
        }
        if changes.isComplete {
            ct_clear(handle)
            shown = Array(repeating: ColorOrderedFrame.Cell(text: "", look: ""), count: changes.size.columns * changes.size.rows)
        }
        var changed: [Int]? = depth >= .indexed256 && !isASCIIOnly ? [] : nil
        for run in changes.runs {
            var last: DrawnFace?
            for (offset, cell) in run.cells.enumerated() where !cell.isContinuation {
                var face = face(for: cell.style, theme: changes.theme)
                // A space looks the same in any colour of text, and a change of colours costs about forty bytes.
                if cell.text == " ", let last, last.showsOnlyGround, face.showsOnlyGround, last.background == face.background {
                    face = last
                }
                let place = Point(column: run.origin.column + offset, row: run.origin.row)
                put(cell, at: place, face)
                note(cell, at: place, face, columns: changes.size.columns, &changed)
                last = face
            }
        }
        let cursor = changes.cursor ?? .zero
        ct_cursor(handle, changes.cursor != nil, Int32(cursor.row), Int32(cursor.column))
        var drawn = draw()
        // Curses writes the last cell of the screen so that no terminal scrolls.
        if let changed, changed.last != shown.count - 1, !changes.isComplete, !drawn.isWhole {
            let ordered = ColorOrderedFrame(changed: changed, screen: shown, columns: changes.size.columns, end: drawn.cursor).bytes
            if ordered.count < drawn.bytes.count { drawn.bytes = ordered }
        }
        let links = showsLinks ? changes.links.flatMap { bytes(of: $0, theme: changes.theme) } : []
        // Curses knows neither the cursor nor the colours that the links leave: DECSC saves both, and DECRC restores them.
        let frame = drawn.bytes + (links.isEmpty ? [] : [0x1B, UInt8(ascii: "7")] + links + [0x1B, UInt8(ascii: "8")])
        frame.withUnsafeBytes { ct_show(handle, $0.baseAddress, $0.count) }
    }

    /// Returns what curses writes for its changed cells, where its cursor is then, and whether it draws all cells again.
    private func draw() -> (bytes: [UInt8], cursor: (row: Int, column: Int), isWhole: Bool) {
        var result = ct_frame_info()
        let bytes = ct_draw(handle, &result)
        return (
            ShortenedFrame(Array(UnsafeBufferPointer(start: bytes, count: result.count))).bytes, (Int(result.row), Int(result.column)),
            result.is_whole
        )
    }

    /// Notes what the terminal shows in a cell, and that it changed; nil in `changed` if curses alone knows what a cell becomes.
    private func note(_ cell: Cell, at point: Point, _ face: DrawnFace, columns: Int, _ changed: inout [Int]?) {
        let index = point.row * columns + point.column
        guard shown.indices.contains(index) else { return }
        let new = ColorOrderedFrame.Cell(text: cell.text, look: face.look)
        guard shown[index] != new else { return }
        shown[index] = new
        let scalars = cell.text.unicodeScalars
        guard cell.width == 1, scalars.count == 1, let scalar = scalars.first, ct_cells(scalar.value) == 1 else {
            if cell.width == 2, shown.indices.contains(index + 1) { shown[index + 1] = ColorOrderedFrame.Cell(text: "", look: "") }
            changed = nil
            return
        }
        changed?.append(index)
    }

    /// Returns the bytes that write the cells of a link, which curses has written without it: curses knows no links, and leaves those alone
    /// that are on the screen. The cells look the same as before.
    private func bytes(of link: ScreenChanges.Link, theme: Theme) -> [UInt8] {
        var text = ""
        for (offset, cell) in link.run.cells.enumerated() {
            // The width of other characters is the terminal's own decision.
            guard cell.text.utf8.count == 1 || cell.text == "…" else { return [] }
            let style = shownFace(cell.style, theme).sequence
            if offset == 0 || cell.style != link.run.cells[offset - 1].style { text += "\u{1B}[m" + style }
            text += isASCIIOnly && cell.text == "…" ? "~" : cell.text
        }
        let place = "\u{1B}[\(link.run.origin.row + 1);\(link.run.origin.column + 1)H"
        guard let address = link.address?.text else { return Array((place + text).utf8) }
        // The rows of one address have one identifier, so that the terminal marks them together.
        let id = address.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Array((place + "\u{1B}]8;id=\(String(id, radix: 36));\(address)\u{1B}\\" + text + "\u{1B}]8;;\u{1B}\\").utf8)
    }

    private func put(_ cell: Cell, at point: Point, _ face: DrawnFace) {
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

    private func face(for style: Style, theme: Theme) -> DrawnFace {
        if let known = faces[style] { return known }
        let face = shownFace(style, theme)
        var attributes = Self.attributes.reduce(0) { $0 | (face.attributes.contains($1.name) ? UInt32($1.flag.rawValue) : 0) }
        var colors = ColorPairCache.Colors()
        (colors.foreground, attributes) = number(face.foreground, brightening: attributes)
        colors.background = number(face.background, brightening: 0).0
        let pair = pairs.number(for: colors) { ct_set_pair(handle, $0, $1.foreground, $1.background) }
        let drawn = DrawnFace(
            attributes: attributes, pair: pair, background: colors.background, look: look(attributes, colors))
        faces[style] = drawn
        return drawn
    }

    /// The look of a style, as curses takes it.
    struct DrawnFace {
        var attributes: UInt32
        var pair: Int32
        /// The colour's number; -1 is the terminal's default.
        var background: Int32
        /// The look on a terminal with at least 256 colours.
        var look: ColorOrderedFrame.Look

        /// Whether a space in it shows nothing but the background.
        var showsOnlyGround: Bool { attributes & UInt32(CT_UNDERLINE.rawValue | CT_REVERSE.rawValue) == 0 }
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

    /// Returns attributes and colours as the parameters that curses writes for them.
    private func look(_ attributes: UInt32, _ colors: ColorPairCache.Colors) -> ColorOrderedFrame.Look {
        func color(_ number: Int32, _ dark: Int32, _ bright: Int32) -> [String] {
            switch number {
            case ..<0: []
            case ansiColors... where depth == .trueColor:
                ["\(dark + 8);2;\(number >> 16);\(number >> 8 & 255);\(number & 255)"]
            case 0..<8: ["\(dark + number)"]
            case 8..<16: ["\(bright + number - 8)"]
            default: ["\(dark + 8);5;\(number)"]
            }
        }
        return
            (Self.attributes.filter { attributes & UInt32($0.flag.rawValue) != 0 }.map(\.parameter) + color(colors.foreground, 30, 90)
            + color(colors.background, 40, 100)).joined(separator: ";")
    }

    /// Returns the face of a style without the attributes that the terminal does not have, and that curses leaves out: in screen, the
    /// sequence for italics is that for standing out.
    private func shownFace(_ style: Style, _ theme: Theme) -> Face {
        var face = theme.face(for: style, depth: depth)
        face.attributes.formIntersection(knownAttributes)
        return face
    }

    /// The attributes, as curses names them, and their parameters of SGR.
    private static let attributes: [(name: Attributes, flag: ct_attribute, parameter: String)] = [
        (.bold, CT_BOLD, "1"), (.dim, CT_DIM, "2"), (.italic, CT_ITALIC, "3"), (.underline, CT_UNDERLINE, "4"), (.reverse, CT_REVERSE, "7"),
    ]

    /// Returns the attributes that the terminal's description has.
    static func known() -> Attributes {
        attributes.reduce(into: []) { if ct_has_attribute($1.flag) { $0.formUnion($1.name) } }
    }
}

/// A bounded table of colour pairs. Colours without a pair are drawn in the terminal's default colours.
struct ColorPairCache {
    struct Colors: Hashable {
        /// The colour's number; -1 is the terminal's default.
        var foreground: Int32 = -1
        var background: Int32 = -1
    }

    /// The maximum number of pairs: more than all themes together need.
    private static let most = 1024

    private var numbers: [Colors: Int32] = [:]
    private let limit: Int

    /// Creates an empty table.
    ///
    /// - Parameter available: the number of pairs that the terminal has, including the one for its default colours.
    init(available: Int) { limit = min(ColorPairCache.most, max(0, available - 1)) }

    /// Returns the pair for `colors`; 0 if no pair is free. `define` creates a new pair and returns whether it succeeded.
    mutating func number(for colors: Colors, define: (Int32, Colors) -> Bool) -> Int32 {
        if colors == Colors() { return 0 }
        if let number = numbers[colors] { return number }
        let next = Int32(numbers.count + 1)
        guard numbers.count < limit, define(next, colors) else { return 0 }
        numbers[colors] = next
        return next
    }
}

/// Decides whether a terminal gets 24-bit colours although its description has only 256.
public enum DirectColors {
    /// Returns the terminal's description with 24-bit colours, for ``CursesOptions/description``; `nil` if the terminal does not take such
    /// colours, or its description already has them.
    ///
    /// - Parameter read: returns the content of a file; `nil` if it cannot be read.
    public static func description(term: String, environment: [String: String], read: (String) -> [UInt8]?) -> String? {
        guard var description = file(term: term, environment: environment, read: read).flatMap(TerminalDescription.init),
            (256..<(1 << 24)).contains(description.colors), description.namesDirectColors || areTaken(by: term, environment)
        else { return nil }
        description.useDirectColors()
        return description.encoded.map { "hex:" + hexadecimal($0) }
    }

    /// Returns whether the terminal says by its name, or by the variables that it sets, that it takes 24-bit colours.
    static func areTaken(by term: String, _ environment: [String: String]) -> Bool {
        func value(_ name: String) -> String { environment[name] ?? "" }
        let isInTmux = !value("TMUX").isEmpty
        // screen ignores these colours, and passes on the variables of the terminal around it.
        if term.hasPrefix("screen"), !isInTmux { return false }
        if ["truecolor", "24bit"].contains(value("COLORTERM").lowercased()) { return true }
        // These variables are those of the terminal around tmux. tmux replaces a colour that it cannot pass on by the nearest of 256, which
        // is worse than the theme's own choice.
        if isInTmux { return false }
        let terms = ["xterm-kitty", "foot", "alacritty", "wezterm", "xterm-ghostty", "contour"]
        return terms.contains { term == $0 || term.hasPrefix($0 + "-") }
            || ["iTerm.app", "WezTerm", "ghostty", "vscode"].contains(value("TERM_PROGRAM"))
            // VTE 0.36, of GNOME Terminal and others.
            || (Int(value("VTE_VERSION")) ?? 0) >= 3600 || !value("KITTY_WINDOW_ID").isEmpty
    }

    /// Returns the description's file from the first of the folders in which curses looks for it (terminfo(5)).
    private static func file(term: String, environment: [String: String], read: (String) -> [UInt8]?) -> [UInt8]? {
        guard let first = term.utf8.first, !term.contains("/") else { return nil }
        // A whole description in the variable.
        if let own = environment["TERMINFO"], own.hasPrefix("hex:") || own.hasPrefix("b64:") { return nil }
        let standard = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"]
        let listed = environment["TERMINFO_DIRS"]?.split(separator: ":", omittingEmptySubsequences: false).flatMap {
            $0.isEmpty ? standard : [String($0)]
        }
        let folders = [environment["TERMINFO"], environment["HOME"].map { $0 + "/.terminfo" }].compactMap(\.self) + (listed ?? standard)
        for folder in folders {
            // By the first character, or by its code on file systems that do not distinguish case.
            for place in ["\(folder)/\(term.prefix(1))/\(term)", "\(folder)/\(hexadecimal([first]))/\(term)"] {
                if let file = read(place) { return file }
            }
        }
        return nil
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
