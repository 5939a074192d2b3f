import AuthModel
import TerminalAppModel
import TerminalUI

/// The number of sessions by state, for the line at the top.
struct SessionCount: Equatable, Sendable {
    var signedIn = 0
    var expiring = 0
    var expired = 0
    var attention = 0
    var guests = 0
    var others = 0

    init(in model: AppModel) {
        for session in model.sessions ?? [] {
            switch model.state(of: session) {
            case .signedIn, .renewing: signedIn += 1
            case .expiring: expiring += 1
            case .expired: expired += 1
            case .needsSignIn, .revoked, .error: attention += 1
            case .guest: guests += 1
            case .signingIn: others += 1
            }
        }
    }

    /// Returns the counts that fit: on a narrow screen the most urgent come first, and counts that do not fit completely are left out.
    func line(_ glyphs: GlyphSet, columns: Int) -> TextLine {
        var items = [TextLine.Span(SessionsWords.signedIn(signedIn), Style(signedIn > 0 ? .success : .muted))]
        if expiring > 0 { items.append(TextLine.Span(SessionsWords.expiring(expiring), Style(.warning))) }
        if expired > 0 { items.append(TextLine.Span(SessionsWords.expired(expired), Style(.muted))) }
        if attention > 0 { items.append(TextLine.Span(SessionsWords.attention(attention), Style(.danger))) }
        if guests > 0 { items.append(TextLine.Span(SessionsWords.guests(guests), Style(.info))) }
        if others > 0 { items.append(TextLine.Span(SessionsWords.others(others), Style(.info))) }
        let whole = Self.line(items, glyphs)
        guard whole.width > columns else { return whole }
        let urgency: [Role] = [.danger, .warning, .success, .info]
        let sorted = urgency.flatMap { role in items.filter { $0.style.role == role } } + items.filter { $0.style.role == .muted }
        let lines = (1...sorted.count).reversed().map { Self.line(Array(sorted.prefix($0)), glyphs) }
        return lines.first { $0.width <= columns } ?? Self.line([sorted[0]], glyphs)
    }

    private static func line(_ items: [TextLine.Span], _ glyphs: GlyphSet) -> TextLine {
        TextLine(items.enumerated().flatMap { $0 == 0 ? [$1] : [TextLine.Span(Words.dot(glyphs), Style(.muted)), $1] })
    }
}
