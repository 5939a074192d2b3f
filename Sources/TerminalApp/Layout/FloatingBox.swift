import TerminalUI

extension Rect {
    /// Returns the part of a large screen in which a page stands that needs only `columns` and `rows`: in the middle, a little above the
    /// centre. A screen that is hardly larger is used from its top left corner.
    func middle(columns: Int, rows: Int) -> Rect {
        let (side, above) = ((self.columns - columns) / 2, (self.rows - rows) / 3)
        return splitTop(above > 1 ? above : 0).rest.inset(left: side > 4 ? side : 0, right: side > 4 ? side : 0)
    }
}

/// A box in the middle of the screen, above the screen below, which is dimmed. A preview of a theme is at the right, and the screen below
/// keeps its colours.
struct FloatingBox {
    /// The content of a box, with the rows that it needs.
    enum Content: Equatable {
        /// A list with a filter. The box ends below the last row that matches; its top stays where it is.
        case list(rows: Int)
        /// A text with the screen's most important keys as buttons below it.
        case card(rows: Int)

        /// Returns a card with a text.
        static func card(_ page: Document, in model: AppModel) -> Content {
            .card(rows: page.rows(columns: FloatingBox.cardSize(in: model).columns).count)
        }
    }

    /// The area of the box with its lines.
    let rect: Rect
    private let body: Rect
    /// Whether the box is a card, with buttons at its bottom.
    private let isCard: Bool
    private let isPreview: Bool

    /// The minimum size of the body; on a smaller one, the upper screen takes all the space.
    private static let minimum = Size(columns: 64, rows: 16)
    private static let most = Size(columns: 84, rows: 22)
    /// The largest width of a list: its rows have a name, an explanation and a key.
    private static let mostListColumns = 110
    /// The width of the preview of a theme: with the description beside its name where enough of the screen below stays in sight.
    private static let previewColumns = (narrow: 36, wide: 66)
    /// The minimum width of the body for the wide one.
    private static let widePreviewBody = 110
    /// The rows of a list's box beside the list: its lines, and the filter with the space below it.
    private static let rowsAroundList = 4
    /// The minimum rows of a list's box, so that a message instead of the list has space around it.
    private static let leastListRows = 9
    /// The buttons of a card, with the empty row above them.
    private static let buttonRows = 2

    /// The widest part of the screen below beside the box that is left out.
    private static let fringe = 8

    /// A part that no screen has: a click on the box itself does nothing.
    private static let noPart = -1

    /// Creates a box; nil if the body is too small for one.
    ///
    /// - Parameter isPreview: whether the box is narrow and leaves the screen below in its colours.
    init?(in body: Rect, _ content: Content, isPreview: Bool = false) {
        guard body.columns >= Self.minimum.columns, body.rows >= Self.minimum.rows else { return nil }
        let highest = min(max(Self.most.rows, body.rows / 2), body.rows - 4)
        let (widest, rows): (Int, Int)
        switch content {
        case .list(let count):
            isCard = false
            widest = min(max(Self.most.columns, min(Self.mostListColumns, body.columns * 3 / 4)), body.columns - 4)
            rows = min(max(count + Self.rowsAroundList, Self.leastListRows), highest)
        case .card(let count):
            isCard = true
            widest = min(Self.most.columns, body.columns - 8)
            rows = min(count + Self.buttonRows + 2, body.rows - 2)
        }
        let preview = body.columns >= Self.widePreviewBody ? Self.previewColumns.wide : Self.previewColumns.narrow
        let columns = isPreview ? preview : widest
        self.body = body
        self.isPreview = isPreview
        // A list is above the middle, where the eye looks first; a card is in it.
        let top = isPreview ? 1 : isCard ? (body.rows - rows) / 2 : min(4, (body.rows - highest) / 2)
        let left = isPreview ? body.columns - columns - Document.margin : (body.columns - columns) / 2
        rect = Rect(column: body.left + left, row: body.top + top, columns: columns, rows: rows)
    }

    /// Whether a terminal has space for boxes: a screen that has a box is then drawn in it.
    static func hasSpace(in model: AppModel) -> Bool { !model.isPlain && FloatingBox(in: Frame.body(model.size), .card(rows: 0)) != nil }

    /// Whether the preview of a theme has no space for a description beside its name.
    static func hasNarrowPreview(in model: AppModel) -> Bool {
        hasSpace(in: model) && Frame.bodySize(model.size).columns < widePreviewBody
    }

    /// Returns the size of the largest text of a card on a terminal; that of the whole body where there are no cards.
    static func cardSize(in model: AppModel) -> Size {
        let body = Frame.body(model.size)
        guard !model.isPlain, let box = FloatingBox(in: body, .card(rows: body.rows)) else { return body.size }
        let inside = Panel().content(of: box.rect)
        return Size(columns: inside.columns, rows: inside.rows - buttonRows)
    }

    /// Dims what is drawn already, and draws a screen into the box. A click beside the box closes it.
    func draw(_ screen: any Screen, in model: AppModel, into buffer: inout ScreenBuffer) {
        if !isPreview {
            buffer.restyle(buffer.bounds) { $0 = Style(.muted, on: $0.surface == .screen ? .screen : .panel, attributes: .dim) }
        }
        buffer.cursor = nil
        buffer.forgetTargets()
        if let gate = screen.traits(in: model).loweredGate {
            LoweredGate(share: gate).draw(in: body, into: &buffer)
            // The bars end before the card, so that no line runs into its frame. Ends of crossbars alone would look like noise.
            let sides = rect.left - body.left < LoweredGate.columns ? body.columns : 2
            buffer.fill(rect.inset(left: -sides, top: -1, right: -sides, bottom: -1).intersection(body), style: .plain)
        }
        buffer.mark(body, as: .key(.escape))
        buffer.mark(rect, as: .part(Self.noPart))
        // Some letters at both sides would be noise.
        if !isPreview, rect.left - body.left <= Self.fringe {
            buffer.fill(Rect(column: body.left, row: rect.top, columns: body.columns, rows: rect.rows), style: .plain)
        }
        let panel = Panel(screen.title(in: model), isFocused: true)
        buffer.draw(panel, in: rect)
        let inside = panel.content(of: rect)
        let (content, bottom) = inside.splitBottom(isCard ? Self.buttonRows : 0)
        screen.render(in: model, area: content, into: &buffer)
        buffer.restyle(content) { if $0.surface == .screen { $0.surface = .panel } }
        guard isCard else { return }
        // The emphasis depends on the screen alone, not on what can be pressed at the moment.
        let waits = screen.keys(in: model).bindings.contains { $0.keepsPlace }
        drawButtons(
            screen.keyHints(in: model), emphasizesFirst: !waits, in: bottom.row(bottom.rows - 1).inset(columns: Document.margin),
            into: &buffer)
    }

    /// Draws the keys that fit as buttons. The one that Enter presses is emphasized; without one, the first, unless it waits: an emphasis
    /// that moves from one answer to the other would mislead. Keys that only move are no buttons, and are named as in the footer.
    private func drawButtons(_ hints: [KeyHint], emphasizesFirst: Bool, in row: Rect, into buffer: inout ScreenBuffer) {
        var column = row.left
        let first: Int? = emphasizesFirst ? 0 : nil
        let chosen = hints.firstIndex { $0.keys.first == .enter } ?? first
        for (index, hint) in hints.enumerated() {
            guard let key = hint.keys.first else { continue }
            let isButton = hint.keys.count == 1
            let keys = hint.keys.map { $0.label(buffer.glyphs) }.joined(separator: "/")
            let button = TextLine(
                isButton
                    ? Button(Words.capitalized(hint.label), key: keys, isChosen: index == chosen, isEnabled: hint.isEnabled).spans
                    : [TextLine.Span(" \(keys) ", Style(.key, on: .panel)), TextLine.Span(hint.label + " ", Style(.muted, on: .panel))])
            guard column + button.width <= row.right else { return }
            let place = Rect(column: column, row: row.top, columns: button.width, rows: 1)
            buffer.draw(button, in: place)
            if isButton, hint.isEnabled { buffer.mark(place, as: .key(key)) }
            column = place.right + 1
        }
    }
}
