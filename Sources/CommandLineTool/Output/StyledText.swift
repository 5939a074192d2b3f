internal import AuthModel
internal import TerminalUI

/// One line for a terminal, in parts that have a role or a link each.
struct StyledText: Equatable, ExpressibleByStringInterpolation {
    /// A text in one style.
    struct Part: Equatable {
        var text: String
        var role: Role
        /// The address that the text opens. Only a checked URL can be one, so no text of a server becomes a link by itself.
        var link: WebURL?
        /// The escape sequence of colours that are not those of the role: of a QR code, or of another theme.
        var colors: String?
        /// Whether a line is never broken inside the text: a picture, or a command to copy.
        var isWhole = false
    }

    private(set) var parts: [Part]

    init(_ text: String, _ role: Role = .text, link: WebURL? = nil) { parts = [Part(text: text, role: role, link: link)] }

    init(stringLiteral text: String) { self.init(text) }

    private init(parts: [Part]) { self.parts = parts }

    static func + (left: StyledText, right: StyledText) -> StyledText { StyledText(parts: left.parts + right.parts) }

    /// A URL, as a link to itself.
    static func link(_ url: WebURL) -> StyledText { StyledText(url.text, .link, link: url) }

    /// A row of a QR code, in white on black for every terminal's colours.
    static func picture(_ row: String) -> StyledText {
        StyledText(parts: [Part(text: row, role: .text, colors: Paint.picture, isWhole: true)])
    }

    /// A text in colours of its own.
    static func colored(_ text: String, with colors: String) -> StyledText {
        StyledText(parts: [Part(text: text, role: .text, colors: colors)])
    }

    /// A command that the user can copy.
    ///
    /// - Parameter isWhole: whether it stays on one row.
    static func command(_ text: String, isWhole: Bool = true) -> StyledText {
        StyledText(parts: [Part(text: text, role: .key, isWhole: isWhole)])
    }

    /// Returns a hint, in which each command of yett has the role of what a user can type, and stays on one row if it fits into the
    /// columns.
    static func hint(_ text: String, _ role: Role = .text, columns: Int) -> StyledText {
        guard let found = text.firstRange(of: ": yett ") else { return StyledText(text, role) }
        let start = text.index(found.lowerBound, offsetBy: 2)
        let end = text[start...].firstIndex { ";,?)".contains($0) } ?? text.endIndex
        let command = String(text[start..<end])
        let line = StyledText(String(text[..<start]), role) + .command(command, isWhole: SafeText.width(of: command) < columns)
        return end == text.endIndex ? line : line + hint(String(text[end...]), role, columns: columns)
    }

    /// An address, as a link if it is a URL.
    static func address(_ text: String, _ role: Role = .text) -> StyledText {
        WebURL(text).map(StyledText.link) ?? StyledText(text, role)
    }

    /// Returns a text of the program or the configuration whose URLs are links.
    static func linked(_ text: String, _ role: Role = .text) -> StyledText {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word -> StyledText in
            let address = word.hasPrefix("https://") || word.hasPrefix("http://") ? word.prefix(upTo: Self.end(of: word)) : ""
            guard let url = WebURL(String(address)) else { return StyledText(String(word), role) }
            return .link(url) + StyledText(String(word[address.endIndex...]), role)
        }
        return words.dropFirst().reduce(words[0]) { $0 + StyledText(" ", role) + $1 }
    }

    /// Returns where the URL at the beginning of a word ends: before the punctuation of the sentence.
    private static func end(of word: Substring) -> Substring.Index {
        word.index(after: word.lastIndex { !".,;:)".contains($0) } ?? word.startIndex)
    }

    /// The text without styles.
    var text: String { parts.map(\.text).joined() }

    /// The width in terminal cells.
    var width: Int { parts.reduce(0) { $0 + SafeText.width(of: $1.text) } }

    /// Returns the line with spaces at its end, or before it, up to a width.
    func padded(to columns: Int, before: Bool = false) -> StyledText {
        let missing = columns - width
        guard missing > 0 else { return self }
        let spaces = StyledText(String(repeating: " ", count: missing))
        return before ? spaces + self : self + spaces
    }

    /// Returns the line, cut to a number of columns. An ellipsis marks the cut; a link keeps its whole address.
    func cut(to columns: Int, _ glyphs: GlyphSet) -> StyledText {
        guard width > columns else { return self }
        var room = max(columns - 1, 0)
        var kept: [Part] = []
        for var part in parts {
            let glyphs = SafeText.glyphs(part.text).prefix { glyph in
                room -= glyph.width
                return room >= 0
            }
            part.text = glyphs.text
            if !part.text.isEmpty { kept.append(part) }
            if room < 0 { break }
        }
        guard columns > 0 else { return StyledText(parts: []) }
        if kept.isEmpty { return StyledText(glyphs.ellipsis) }
        kept[kept.count - 1].text += glyphs.ellipsis
        return StyledText(parts: kept)
    }

    /// The fewest columns for the rows after the first of a folded line.
    private static let narrowest = 20

    /// Returns the line in rows of at most a number of columns, broken at spaces. A longer word, such as a URL, stays whole, so that it can
    /// be copied.
    ///
    /// - Parameter indent: the number of spaces before each row but the first; fewer on a narrow terminal.
    func folded(to columns: Int, indent: Int = 0) -> [StyledText] {
        guard width > columns else { return [self] }
        let indent = max(0, min(indent, columns - Self.narrowest))
        let cells: [(glyph: Glyph, part: Int)] = parts.enumerated().flatMap { index, part in
            SafeText.glyphs(part.text).map { (glyph: $0, part: index) }
        }
        func isSpace(_ index: Int) -> Bool { cells[index].glyph == .space && !parts[cells[index].part].isWhole }
        var rows: [StyledText] = []
        var row = 0..<0
        var end = 0
        while true {
            let gap = end
            while end < cells.count, isSpace(end) { end += 1 }
            guard end < cells.count else { break }
            let start = end
            while end < cells.count, !isSpace(end) { end += 1 }
            let room = rows.isEmpty ? columns : columns - indent
            // The first word of a row is never moved, and the spaces before a word that is moved are left out.
            let isMoved = gap > row.lowerBound && cells[row.lowerBound..<end].reduce(0) { $0 + $1.glyph.width } > room
            if isMoved { rows.append(line(cells[row], indent: rows.isEmpty ? 0 : indent)) }
            row = (isMoved ? start : row.lowerBound)..<end
        }
        return rows + [line(cells[row], indent: rows.isEmpty ? 0 : indent)]
    }

    /// Returns a part of the line after spaces.
    private func line(_ cells: ArraySlice<(glyph: Glyph, part: Int)>, indent: Int) -> StyledText {
        var line = indent > 0 ? [Part(text: String(repeating: " ", count: indent), role: .text)] : []
        var last: Int?
        for cell in cells {
            if cell.part != last {
                line.append(parts[cell.part])
                line[line.count - 1].text = ""
                last = cell.part
            }
            line[line.count - 1].text += cell.glyph.text
        }
        return StyledText(parts: line)
    }
}
