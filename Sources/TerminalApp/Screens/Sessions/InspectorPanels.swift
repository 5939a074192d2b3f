import AuthModel
import TerminalUI

/// The boxes of the inspector on a large terminal: the token and its claims side by side, and where they leave space, the session and what
/// happened to it below them.
struct InspectorPanels: Equatable {
    var token: Rect
    var claims: Rect
    var session = Rect(Size.zero)
    var activity = Rect(Size.zero)

    /// The minimum size of the area for boxes.
    private static let minimum = Size(columns: 150, rows: 20)
    /// The minimum number of rows for the session below its token.
    private static let minimumSessionRows = 15

    /// Returns nil if there is too little space.
    init?(in area: Rect, isPlain: Bool) {
        guard !isPlain, area.columns >= Self.minimum.columns, area.rows >= Self.minimum.rows else { return nil }
        let parts = area.split(columns: [.share(2), .share(3)])
        (token, claims) = (parts[0], parts[1])
    }

    /// Uses the rows that a content of `rows` leaves for the session.
    mutating func addSession(below rows: Int) {
        let height = rows + 2
        guard token.rows - height >= Self.minimumSessionRows else { return }
        (token, session) = token.splitTop(height)
        (claims, activity) = claims.splitTop(height)
    }

    func draw(_ screen: InspectorScreen, in model: AppModel, into buffer: inout ScreenBuffer) {
        let kind = screen.token.map { Words.capitalized(Words.token($0.kind)) } ?? InspectorWords.title
        let header = screen.parts.first { $0.kind == .header }?.members.count ?? 0
        let isInHeader = screen.selectedClaim < header
        buffer.draw(Panel(kind, surface: .screen, isFocused: isInHeader), in: token)
        buffer.draw(Panel(InspectorWords.claims, surface: .screen, isFocused: !isInHeader), in: claims)
        guard !session.isEmpty, let summary = model.session(screen.name) else { return }
        let panel = Panel(screen.name.description, surface: .screen)
        buffer.draw(panel, in: session)
        let inside = panel.content(of: session)
        page(of: summary, in: model, columns: inside.columns, glyphs: buffer.glyphs).draw(in: inside, into: &buffer)
        LatestActivity(entries: model.activity.filter { $0.session == screen.name }, model: model).draw(
            in: activity, key: nil, into: &buffer)
    }

    /// Returns what the session says of its tokens: how long they live, and who uses them.
    private func page(of session: SessionSummary, in model: AppModel, columns: Int, glyphs: GlyphSet) -> Document {
        let card = SessionCard(session: session, model: model, glyphs: glyphs, times: .short)
        let page = SessionDetailsView(screen: SessionScreen(session.name), model: model, glyphs: glyphs, isPane: true, columns: columns)
        var document = Document()
        document.hasMargin = false
        card.addState(to: &document)
        document.heading(SessionWords.lifetime)
        card.addLifetime(to: &document)
        document.heading(SessionWords.use)
        card.addLastUse(to: &document)
        page.addHistory(of: session, to: &document)
        page.addPrograms(of: session, to: &document)
        return document
    }
}
