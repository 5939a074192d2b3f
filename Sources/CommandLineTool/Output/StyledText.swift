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
        /// Whether the text is drawn in white on black, for every terminal's colours: a QR code.
        var isPicture = false
    }

    private(set) var parts: [Part]

    init(_ text: String, _ role: Role = .text, link: WebURL? = nil) { parts = [Part(text: text, role: role, link: link)] }

    init(stringLiteral text: String) { self.init(text) }

    private init(parts: [Part]) { self.parts = parts }

    static func + (left: StyledText, right: StyledText) -> StyledText { StyledText(parts: left.parts + right.parts) }

    /// A URL, as a link to itself.
    static func link(_ url: WebURL) -> StyledText { StyledText(url.text, .link, link: url) }

    static func picture(_ row: String) -> StyledText { StyledText(parts: [Part(text: row, role: .text, isPicture: true)]) }

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
}
