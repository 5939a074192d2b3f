import AuthModel
import Localization
import TerminalUI

/// The frame around every screen: the header, the notice, the keys.
struct Frame {
    /// The titles of the open screens, the visible one last; never empty.
    var titles: [String]
    var status: String
    /// The right end of the header.
    var presence: Presence
    var notice: Notice?
    /// The line above the keys while there is no notice.
    var strip: TextLine?
    var hints: [KeyHint]
    /// The hints for the global keys. They follow where there is space, and the last one always stays.
    var everywhere: [KeyHint]
    /// Whether the last but one, which finds anything, stays as well.
    var keepsFind = false

    /// Returns the body area, where a screen draws, for a terminal of `size`.
    static func body(_ size: Size) -> Rect {
        guard size.rows >= 4 else { return Rect(size) }
        let isLow = size.rows < 14
        return Rect(
            column: 0, row: isLow ? 1 : 2, columns: size.columns, rows: size.rows - (isLow ? 2 : 4))
    }

    static func bodySize(_ size: Size) -> Size { body(size).size }

    /// Draws the frame around the body. With fewer than four rows there is no frame, because the screen's content is more important.
    func draw(into buffer: inout ScreenBuffer) {
        let all = buffer.bounds
        guard all.rows >= 4 else { return }
        drawHeader(in: all.row(0), into: &buffer)
        let footer = all.row(all.rows - 1)
        buffer.fill(footer, style: Style(.muted, on: .footer))
        buffer.draw(
            Footer(hints + everywhere, kept: min(keepsFind ? 2 : 1, everywhere.count)), in: footer.inset(left: footer.columns >= 60 ? 1 : 0)
        )
        guard let notice else {
            if let strip, Self.body(buffer.size).bottom < footer.top { buffer.draw(strip, in: all.row(all.rows - 2).inset(columns: 1)) }
            return
        }
        // On a low terminal the notice covers the last line of the body.
        let row = all.row(all.rows - 2)
        let style = Style(notice.tone.role, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(notice.text, in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }

    private func drawHeader(in row: Rect, into buffer: inout ScreenBuffer) {
        let style = Style(.text, on: .header)
        buffer.fill(row, style: style)
        let inner = row.inset(columns: row.columns >= 30 ? 1 : 0)
        // The title and the status have priority, then the parent titles, as many as fit, then the presence.
        func width(_ titles: [String]) -> Int { ([Words.program] + titles).reduce(-3) { $0 + SafeText.width(of: $1) + 3 } }
        let statusWidth = SafeText.width(of: status)
        // What one of the titles says already is said once.
        let isTitle = titles.contains(status) && width(titles) <= inner.columns
        let hasStatus = !status.isEmpty && !isTitle && width(titles.suffix(1)) + Self.gap + statusWidth <= inner.columns
        let place = hasStatus ? inner.inset(right: statusWidth + Self.gap) : inner
        let trail = (0..<titles.count).map { Array(titles.dropFirst($0)) }
        let fitting = trail.first { width($0) <= place.columns } ?? Array(titles.suffix(1))
        let dot = hasStatus ? [TextLine.Span(Words.dot(buffer.glyphs), style.with(.muted))] : []
        let room = inner.columns - width(fitting) - Self.gap - (hasStatus ? statusWidth + TextLine(dot).width : 0)
        var right = hasStatus ? [TextLine.Span(status, style.with(.muted))] : []
        if let line = presence.line(columns: room) { right += dot + line.spans }
        buffer.draw(Breadcrumbs([Words.program] + fitting), in: place)
        markTitles(fitting, in: place, into: &buffer)
        buffer.draw(TextLine(right, alignment: .right), in: inner)
        guard titles.count == 1 else { return }
        let start = width(fitting) + Self.gap
        let free = inner.columns - start - TextLine(right).width - Self.gap
        guard let text = [Words.tagline, Words.taglineInShort].first(where: { SafeText.width(of: $0) <= free }) else { return }
        buffer.write(text, in: inner.inset(left: start), style: style.with(.muted))
    }

    /// The minimum number of columns between the titles and the status.
    private static let gap = 2

    /// Records that a click on a title goes back to its screen.
    private func markTitles(_ shown: [String], in row: Rect, into buffer: inout ScreenBuffer) {
        var column = row.left + SafeText.width(of: Words.program) + 3
        for (index, title) in shown.enumerated().dropLast() {
            let width = SafeText.width(of: title)
            let place = Rect(column: column, row: row.top, columns: width, rows: 1).intersection(row)
            buffer.mark(place, as: .title(titles.count - shown.count + index))
            column += width + 3
        }
    }
}

extension Notice.Tone {
    var role: Role {
        switch self {
        case .plain: .info
        case .good: .success
        case .warning: .warning
        }
    }
}

/// The right end of the header on every screen: whether the agent runs, the time, and how many sessions need the user.
struct Presence {
    let model: AppModel
    let glyphs: GlyphSet

    /// The line that fits into a number of columns, the most important parts first; nil if none fits.
    func line(columns: Int) -> TextLine? {
        let parts = [counts, clock, agent].filter { !$0.isEmpty }
        let dot = [TextLine.Span(Words.dot(glyphs), Style(.muted, on: .header))]
        let lines = (1...max(1, parts.count)).reversed().map { TextLine(Array(parts.prefix($0).reversed().joined(separator: dot))) }
        return lines.first { $0.width <= columns && $0.width > 0 }
    }

    private var agent: [TextLine.Span] {
        let isRunning = model.usesAgent && !model.isServiceGone
        return [
            TextLine.Span(tr("agent") + " ", Style(.muted, on: .header)),
            TextLine.Span(isRunning ? glyphs.disc : glyphs.circle, Style(isRunning ? .success : .muted, on: .header)),
        ]
    }

    private var clock: [TextLine.Span] { [TextLine.Span(Words.hourAndMinute(model.now), Style(.muted, on: .header))] }

    private var counts: [TextLine.Span] {
        if model.isLocked { return [TextLine.Span(LockWords.isLocked, Style(.warning, on: .header))] }
        guard model.hasSessions else { return [] }
        let overview = model.overview
        let troubles = [(SessionState.expiring, overview.endingSoon), (.needsSignIn, overview.needsAction)].filter { $0.1 > 0 }
        // All sessions, so that the number is the sum of those by state, which the list shows.
        let words = plural(overview.count, "{1} session", "{1} sessions")
        let all = TextLine.Span(words, Style(troubles.isEmpty ? .success : .muted, on: .header))
        return [all]
            + troubles.map { state, count in
                TextLine.Span(" \(Words.glyph(state, glyphs))\(count)", Style(Words.role(state), on: .header))
            }
    }
}
