import TerminalUI

/// A box in the middle of the screen, above the screen below, which is dimmed. A preview of a theme is at the right, and the screen below
/// keeps its colours.
struct FloatingBox {
    /// The area of the box with its lines.
    let rect: Rect
    private let body: Rect
    /// Whether the box is a card, with buttons at its bottom.
    private let isCard: Bool
    private let isPreview: Bool

    /// The minimum size of the body; on a smaller one, the upper screen takes all the space.
    private static let minimum = Size(columns: 64, rows: 16)
    private static let most = Size(columns: 84, rows: 22)
    private static let previewColumns = 36
    /// The buttons of a card, with the empty row above them.
    private static let buttonRows = 2

    /// A part that no screen has: a click on the box itself does nothing.
    private static let noPart = -1

    /// Creates a box; nil if the body is too small for one.
    ///
    /// - Parameters:
    ///   - cardRows: the rows of the text of a card; nil for a box of a fixed size.
    ///   - isPreview: whether the box is narrow and leaves the screen below in its colours.
    init?(in body: Rect, cardRows: Int? = nil, isPreview: Bool = false) {
        guard body.columns >= Self.minimum.columns, body.rows >= Self.minimum.rows else { return nil }
        let columns = isPreview ? Self.previewColumns : min(Self.most.columns, body.columns - 8)
        let rows = cardRows.map { min($0 + Self.buttonRows + 2, body.rows - 2) } ?? min(Self.most.rows, body.rows - 4)
        self.body = body
        isCard = cardRows != nil
        self.isPreview = isPreview
        // A list is above the middle, where the eye looks first; a card is in it.
        let top = isPreview ? 1 : isCard ? (body.rows - rows) / 2 : min(4, (body.rows - rows) / 2)
        let left = isPreview ? body.columns - columns - Document.margin : (body.columns - columns) / 2
        rect = Rect(column: body.left + left, row: body.top + top, columns: columns, rows: rows)
    }

    /// Whether a terminal has space for cards.
    static func hasCards(in model: AppModel) -> Bool { !model.isPlain && FloatingBox(in: Frame.body(model.size)) != nil }

    /// Returns the size of the largest text of a card on a terminal; that of the whole body where there are no cards.
    static func cardSize(in model: AppModel) -> Size {
        let body = Frame.body(model.size)
        guard !model.isPlain, let box = FloatingBox(in: body, cardRows: body.rows) else { return body.size }
        let inside = Panel().content(of: box.rect)
        return Size(columns: inside.columns, rows: inside.rows - buttonRows)
    }

    /// Returns the number of rows of a card's text.
    static func cardRows(of page: Document, in model: AppModel) -> Int { page.rows(columns: cardSize(in: model).columns).count }

    /// Dims what is drawn already, and draws a screen into the box. A click beside the box closes it.
    func draw(_ screen: any Screen, in model: AppModel, into buffer: inout ScreenBuffer) {
        if !isPreview {
            buffer.restyle(buffer.bounds) { $0 = Style(.muted, on: $0.surface == .screen ? .screen : .panel, attributes: .dim) }
        }
        buffer.cursor = nil
        buffer.forgetTargets()
        if let share = screen.traits(in: model).loweredGate { LoweredGate(share: share).draw(in: body, into: &buffer) }
        buffer.mark(body, as: .key(.escape))
        buffer.mark(rect, as: .part(Self.noPart))
        let panel = Panel(screen.title(in: model), isFocused: true)
        buffer.draw(panel, in: rect)
        let inside = panel.content(of: rect)
        guard isCard else { return screen.render(in: model, area: inside, into: &buffer) }
        let (content, bottom) = inside.splitBottom(Self.buttonRows)
        screen.render(in: model, area: content, into: &buffer)
        buffer.restyle(content) { if $0.surface == .screen { $0.surface = .panel } }
        drawButtons(screen.keyHints(in: model), in: bottom.row(bottom.rows - 1).inset(columns: Document.margin), into: &buffer)
    }

    /// Draws the keys that fit as buttons. The one that Enter presses is emphasized; without one, the first.
    private func drawButtons(_ hints: [KeyHint], in row: Rect, into buffer: inout ScreenBuffer) {
        var column = row.left
        let chosen = hints.firstIndex { $0.keys.first == .enter } ?? 0
        for (index, hint) in hints.enumerated() {
            guard let key = hint.keys.first else { continue }
            let isChosen = index == chosen
            let surface: Surface = isChosen ? .selection : .panel
            let button = TextLine([
                TextLine.Span(" \(key.label(buffer.glyphs)) ", Style(.key, on: surface)),
                TextLine.Span(Words.capitalized(hint.label) + " ", Style(isChosen ? .title : .text, on: surface)),
            ])
            guard column + button.width <= row.right else { return }
            let place = Rect(column: column, row: row.top, columns: button.width, rows: 1)
            buffer.draw(button, in: place)
            buffer.mark(place, as: .key(key))
            column = place.right + 1
        }
    }
}
