import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

/// The line below the list of sessions: what happens next, the last use of a token, and the last failure.
struct SessionsStrip {
    let model: AppModel
    let glyphs: GlyphSet

    /// Returns the items that fit; a failure goes before the last use, and the next event stays.
    func line(columns: Int) -> TextLine? {
        let items = [next, lastUse, lastFailure]
        let choices = [[0, 1, 2], [0, 2], [2], [0, 1], [0], [1]]
        let lines = choices.lazy.map { choice in joined(choice.compactMap { items[$0] }) }
        return lines.first { $0.width <= columns && $0.width > 0 }
    }

    /// The session that ends next; if all renew by themselves, the next renewal.
    private var next: TextLine.Span? {
        if let end = model.overview.nextEnd {
            let isSoon = end.at - model.now < SessionOverview.noticeTime
            return TextLine.Span(
                PresenceWords.nextEnd(end.session.name, Words.relative(end.at, to: model.now)), Style(isSoon ? .warning : .muted))
        }
        return model.overview.nextRenewal.map { renewal in
            TextLine.Span(PresenceWords.nextRenewal(renewal.session.name, Words.relative(renewal.at, to: model.now)), Style(.muted))
        }
    }

    private var lastUse: TextLine.Span? {
        model.overview.lastUse.map { use in
            let program = use.session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? SessionWords.aProgram
            return TextLine.Span(PresenceWords.lastUse(program, use.session.name, Words.relative(use.at, to: model.now)), Style(.muted))
        }
    }

    /// The newest failure of the last day.
    private var lastFailure: TextLine.Span? {
        let kinds: [Activity.Kind] = [.renewalFailed, .signInFailed, .tokenRefused]
        let entry = model.activity.last { kinds.contains($0.kind) && !$0.isCancelled }
        guard let entry, model.now - entry.at < .seconds(86_400) else { return nil }
        let name = entry.session.map { " \($0)" } ?? ""
        return TextLine.Span(
            "\(glyphs.cross) \(ActivityWords.event(entry))\(name) \(Words.relative(entry.at, to: model.now))", Style(.danger))
    }

    private func joined(_ items: [TextLine.Span]) -> TextLine {
        TextLine(items.enumerated().flatMap { $0 == 0 ? [$1] : [TextLine.Span(Words.dot(glyphs), Style(.muted)), $1] })
    }
}
