import TerminalAppModel
import TerminalUI

/// A box in the middle of the screen, above the screen below, which is dimmed.
struct FloatingBox {
    /// The area of the box with its lines.
    let rect: Rect
    private let body: Rect

    /// The minimum size of the body; on a smaller one, the upper screen takes all the space.
    private static let minimum = Size(columns: 64, rows: 16)
    private static let most = Size(columns: 84, rows: 22)

    /// A part that no screen has: a click on the box itself does nothing.
    private static let noPart = -1

    /// Creates a box; nil if the body is too small for one.
    init?(in body: Rect) {
        guard body.columns >= Self.minimum.columns, body.rows >= Self.minimum.rows else { return nil }
        let columns = min(Self.most.columns, body.columns - 8)
        let rows = min(Self.most.rows, body.rows - 4)
        self.body = body
        // Above the middle, where the eye looks first.
        rect = Rect(
            column: body.left + (body.columns - columns) / 2, row: body.top + min(4, (body.rows - rows) / 2), columns: columns, rows: rows)
    }

    /// Dims what is drawn already, and draws a screen into the box. A click beside the box closes it.
    func draw(_ screen: any Screen, in model: AppModel, into buffer: inout ScreenBuffer) {
        buffer.restyle(buffer.bounds) { $0 = Style(.muted, on: $0.surface == .screen ? .screen : .panel, attributes: .dim) }
        buffer.cursor = nil
        buffer.forgetTargets()
        buffer.mark(body, as: .key(.escape))
        buffer.mark(rect, as: .part(Self.noPart))
        let panel = Panel(screen.title(in: model), isFocused: true)
        buffer.draw(panel, in: rect)
        screen.render(in: model, area: panel.content(of: rect), into: &buffer)
    }
}
