import AuthModel
import Localization
import TerminalUI

/// The number of sessions by state, for the line at the top.
struct SessionCounts {
    let overview: SessionOverview

    init(in model: AppModel) { overview = model.overview }

    /// A count that can be clicked.
    enum Chip: Int {
        case signedIn, expiring, expired, attention, guests, others

        /// The state to filter by; nil for a count of several states.
        var state: SessionState? {
            switch self {
            case .signedIn: .signedIn
            case .expiring: .expiring
            case .expired: .expired
            case .guests: .guest
            case .attention, .others: nil
            }
        }
    }

    /// A count as it is drawn.
    typealias Item = (chip: Chip, span: TextLine.Span)

    /// Returns the counts, the most urgent first: in words, with those that expire among the signed in if they do not fit apart; or as
    /// numbers with the glyphs of the states; where that does not fit either, those that fit in words.
    func items(_ glyphs: GlyphSet, columns: Int) -> [Item] {
        let (attention, guests, others) = (overview.needsAction, overview.count(.guest), overview.count(.signingIn))
        let (signedIn, expiring, expired) = (overview.count(.signedIn, .renewing), overview.count(.expiring), overview.count(.expired))
        let counts: [(chip: Chip, count: Int, words: String, sign: SessionState, role: Role)] = [
            (.attention, attention, SessionListWords.attention(attention), .needsSignIn, .danger),
            (.expiring, expiring, SessionListWords.expiring(expiring), .expiring, .warning),
            (.signedIn, signedIn, SessionListWords.signedIn(signedIn), .signedIn, signedIn > 0 ? .success : .muted),
            (.guests, guests, SessionListWords.guests(guests), .guest, .info),
            (.others, others, plural(others, "{1} other", "{1} others"), .signingIn, .info),
            (.expired, expired, SessionListWords.expired(expired), .expired, .muted),
        ]
        let shown = counts.filter { $0.count > 0 || $0.chip == .signedIn }
        let words = shown.map { (chip: $0.chip, span: TextLine.Span($0.words, Style($0.role))) }
        // What is urgent is said in words at every size.
        let signs = zip(shown, words).map { count, inWords in
            count.chip == .attention
                ? inWords : (count.chip, TextLine.Span("\(Words.glyph(count.sign, glyphs)) \(count.count)", Style(count.role)))
        }
        let brief = words.filter { $0.chip != .expiring }.map { item in
            item.chip == .signedIn ? (item.chip, TextLine.Span(SessionListWords.signedIn(signedIn + expiring), item.span.style)) : item
        }
        let choices = [words, brief, signs] + (1...words.count).reversed().map { Array(words.prefix($0)) }
        return choices.first { Self.width($0, glyphs) <= columns } ?? [words[0]]
    }

    /// Draws the counts, and records a click on each.
    func draw(in row: Rect, into buffer: inout ScreenBuffer) {
        let items = items(buffer.glyphs, columns: row.columns)
        let dot = TextLine.Span(Words.dot(buffer.glyphs), Style(.muted))
        var column = row.left
        for (index, item) in items.enumerated() {
            let spans = index == 0 ? [item.span] : [dot, item.span]
            let width = TextLine(spans).width
            buffer.draw(TextLine(spans), in: Rect(column: column, row: row.top, columns: min(width, row.right - column), rows: 1))
            column += width
            let own = SafeText.width(of: item.span.text)
            buffer.mark(
                Rect(column: column - own, row: row.top, columns: own, rows: 1), as: .part(SessionsScreen.firstChip + item.chip.rawValue))
        }
    }

    private static func width(_ items: [Item], _ glyphs: GlyphSet) -> Int {
        items.reduce(0) { $0 + SafeText.width(of: $1.span.text) } + max(0, items.count - 1) * SafeText.width(of: Words.dot(glyphs))
    }
}
