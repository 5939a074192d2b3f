import AuthModel
import Localization
import TerminalUI

/// The areas of the activity on a large terminal: everything about the selected line beside the list, on a high one the last day above
/// both, and below a list of a few programs what happened last.
struct ActivityLayout {
    var graph = Rect(Size.zero)
    var list: Rect
    var latest = Rect(Size.zero)
    var details: Rect

    private static let minimumSize = Size(columns: 100, rows: 14)
    private static let graphBody = 26
    private static let graphRows = 8
    private static let latestRows = 6

    /// Returns nil if there is too little space.
    ///
    /// - Parameter programs: the number of programs in the list; nil for a list of entries.
    init?(in area: Rect, programs: Int?, model: AppModel) {
        guard !model.isPlain, area.columns >= Self.minimumSize.columns, area.rows >= Self.minimumSize.rows else { return nil }
        var body = area
        if area.rows >= Self.graphBody { (graph, body) = area.splitTop(max(Self.graphRows, area.rows / 4)) }
        let parts = body.split(columns: [.share(5), .share(3)])
        (list, details) = (parts[0], parts[1])
        if let programs, list.rows - programs - 3 >= Self.latestRows { (list, latest) = list.splitTop(programs + 3) }
    }
}

/// Everything about a program, or about an entry of the activity, in a box.
struct ActivityDetails {
    let model: AppModel
    let glyphs: GlyphSet

    /// The newest entries that are shown.
    private static let mostEntries = 40
    private static let mostSessions = 12

    /// Draws a program: its path, its use, its sessions, and what it did.
    func draw(_ use: ProgramUse, in area: Rect, into buffer: inout ScreenBuffer) {
        let entries = model.activity.filter { CallingProgram(of: $0) == use.program }
        var page = document
        page.words(use.program.path, .muted)
        page.blank()
        page.term(ActivityWords.lastDay, ActivityWords.tokens(use.recent(until: model.now).reduce(0, +)), width: width)
        page.term(ActivityWords.total, ActivityWords.tokens(use.tokens), width: width)
        if use.refusals > 0 { page.term("", ActivityWords.refused(use.refusals), .warning, width: width) }
        if use.program.file.map(model.isBlocked) ?? false { page.term("", ActivityWords.blocked, .danger, width: width) }
        page.term(ActivityWords.lastUse, Words.timeInWords(use.last, now: model.now), width: width)
        page.term(ActivityWords.firstUse, Words.timeInWords(use.first, now: model.now), width: width)
        page.heading(ActivityWords.sessions)
        let names = min(36, use.sessions.prefix(Self.mostSessions).reduce(0) { max($0, SafeText.width(of: $1.description)) } + 2)
        for session in use.sessions.prefix(Self.mostSessions) {
            let tokens = entries.reduce(0) { $0 + ($1.session == session && $1.kind == .issued ? $1.count : 0) }
            let state = model.session(session).map { model.state(of: $0) }
            let note = state.map { Document.Span("\(Words.glyph($0, glyphs)) \(Words.state($0))  ", Words.role($0)) }
            page.term(
                session.description, [note].compactMap(\.self) + [Document.Span(ActivityWords.tokens(tokens), .muted)], width: names,
                as: .text)
        }
        page.heading(ActivityWords.title)
        ActivityRows(FoldedActivity.newest(entries, limit: Self.mostEntries), in: model).add(to: &page, glyphs) {
            $0.newest.session?.description ?? ""
        }
        draw(page, titled: use.program.name, in: area, into: &buffer)
    }

    /// Draws an entry: when, what, and for whom, and what else happened to its session.
    func draw(_ line: FoldedActivity, in area: Rect, into buffer: inout ScreenBuffer) {
        let entry = line.newest
        var page = document
        page.term(ActivityWords.time, Words.timeInWords(entry.at, now: model.now), width: width)
        page.term(ActivityWords.what, ActivityWords.event(entry), entry.role, width: width)
        if let session = entry.session { page.term(ActivityWords.session, session.description, width: width) }
        if let program = CallingProgram(of: entry) { page.term(ActivityWords.program, program.path, width: width) }
        if !entry.fullDetails.isEmpty { page.term(ActivityWords.text, entry.fullDetails, width: width) }
        if line.count > 1 {
            page.term("", [Document.Span(ActivityWords.times(of: line, now: model.now), .muted)], width: width)
        }
        if let session = entry.session.flatMap(model.session) {
            page.heading(session.name.description)
            let card = SessionCard(session: session, model: model, glyphs: glyphs, times: .short)
            card.addState(to: &page)
            card.addTimeline(to: &page)
        }
        draw(page, titled: Words.capitalized(ActivityWords.event(entry)), in: area, into: &buffer)
    }

    private func draw(_ page: Document, titled title: String, in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(title, surface: .screen)
        buffer.draw(panel, in: area)
        page.draw(in: panel.content(of: area), into: &buffer)
    }

    private var document: Document {
        var page = Document()
        page.hasMargin = false
        return page
    }

    private var width: Int {
        let terms = [
            ActivityWords.time, ActivityWords.what, ActivityWords.session, ActivityWords.program, ActivityWords.text, ActivityWords.lastDay,
            ActivityWords.total, ActivityWords.lastUse, ActivityWords.firstUse,
        ]
        return min(18, terms.reduce(0) { max($0, SafeText.width(of: $1)) } + 2)
    }
}
