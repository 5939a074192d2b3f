import AuthModel
import TerminalAppModel
import TerminalUI

/// The right end of the header on every screen: whether the agent runs, the time, and how many sessions need the user.
struct Presence {
    let model: AppModel
    let glyphs: GlyphSet

    /// The line that fits into a number of columns, the most important parts first; nil if none fits.
    func line(columns: Int) -> TextLine? {
        let parts = [counts, clock, agent].filter { !$0.isEmpty }
        let lines = (1...max(1, parts.count)).reversed().map { Self.joined(parts.prefix($0).reversed(), glyphs) }
        return lines.first { $0.width <= columns && $0.width > 0 }
    }

    private var agent: [TextLine.Span] {
        let isRunning = model.usesAgent && !model.isServiceGone
        return [
            TextLine.Span(PresenceWords.agent + " ", Style(.muted, on: .header)),
            TextLine.Span(isRunning ? glyphs.disc : glyphs.circle, Style(isRunning ? .success : .muted, on: .header)),
        ]
    }

    private var clock: [TextLine.Span] { [TextLine.Span(Words.hourAndMinute(model.now), Style(.muted, on: .header))] }

    private var counts: [TextLine.Span] {
        if model.isLocked { return [TextLine.Span(PresenceWords.locked, Style(.warning, on: .header))] }
        guard model.hasSessions else { return [] }
        let working = model.overview.working
        let attention = SessionCount(in: model).attention
        var spans: [TextLine.Span] = []
        if working > 0 { spans.append(TextLine.Span(PresenceWords.working(working), Style(.success, on: .header))) }
        if attention > 0 {
            let gap = spans.isEmpty ? "" : " "
            spans.append(
                TextLine.Span("\(gap)\(Words.glyph(.needsSignIn, glyphs))\(attention)", Style(.danger, on: .header)))
        }
        return spans
    }

    private static func joined(_ parts: [[TextLine.Span]], _ glyphs: GlyphSet) -> TextLine {
        TextLine(
            parts.enumerated().flatMap { index, part in
                index == 0 ? part : [TextLine.Span(Words.dot(glyphs), Style(.muted, on: .header))] + part
            })
    }
}
