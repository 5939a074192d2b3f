import TerminalAppModel
import TerminalUI

/// The areas of the sessions screen: the list alone on a small terminal; with the details of the selected session below it where there is
/// space, or at its right on a wide one; and with a timeline and the activity on a high one.
struct SessionsLayout: Equatable {
    /// Where the details of the selected session are.
    enum PanePlace: Equatable {
        /// At the right of the list.
        case beside
        /// Below the list.
        case below
    }

    /// Where the details are; nil if there is no space for them.
    let place: PanePlace?
    /// The line with the counts or the filter; empty where the box around the list has them.
    var top = Rect(Size.zero)
    /// The list, with its box if there are details beside it.
    var list: Rect
    var timeline = Rect(Size.zero)
    var activity = Rect(Size.zero)
    /// The details of the selected session.
    var pane = Rect(Size.zero)

    /// The minimum size of the body for the details beside the list.
    private static let paneSize = Size(columns: 100, rows: 10)
    /// The minimum size of the details below the list.
    private static let lowPaneSize = Size(columns: 70, rows: 9)
    /// The rows of the details below the list if other panels follow.
    private static let lowPaneRows = 13
    /// The minimum number of columns for the list beside the details.
    private static let minimumList = 54
    /// The minimum number of rows for the panels below a list without details.
    private static let minimumRows = 22
    /// The rows of the frame, the time axis and the legend; and the maximum number of sessions in the timeline.
    private static let timelineFrame = 4
    private static let most = 12
    private static let minimumActivityRows = 5

    /// Returns where the details of the selected session are; nil if there is no space for them. A filter does not change that.
    static func panePlace(_ model: AppModel) -> PanePlace? {
        guard !model.isPlain, model.hasSessions, let count = model.sessions?.count else { return nil }
        let body = Frame.bodySize(model.size)
        if body.columns >= paneSize.columns && body.rows >= paneSize.rows { return .beside }
        let banner = model.guest == nil ? 0 : 2
        let room = body.rows - banner - topRows - count - 1
        return body.columns >= lowPaneSize.columns && room >= lowPaneSize.rows ? .below : nil
    }

    /// The rows of the counts above a list without a box, and of the space below them.
    private static let topRows = 2

    /// - Parameters:
    ///   - count: the number of rows of the list.
    ///   - hasFilter: whether the filter takes a row.
    init(in area: Rect, count: Int, hasFilter: Bool, model: AppModel) {
        place = Self.panePlace(model)
        guard place == .beside else {
            let margin = area.columns >= 60 ? 1 : 0
            let rows = area.inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : Self.topRows), .rest])
            list = rows[1]
            top = rows[0].row(0)
            guard place == nil else {
                addPane(below: count + 1, count, model, area)
                return
            }
            guard !model.isPlain, list.rows >= Self.minimumRows, list.columns >= 60 else { return }
            addPanels(below: count + 2, count, model)
            return
        }
        let left = max(Self.minimumList, area.columns * 11 / 20)
        let parts = area.split(columns: [.cells(left), .rest])
        list = parts[0]
        pane = parts[1]
        addPanels(below: count + (hasFilter ? 4 : 3), count, model)
        // The box around the last panel reaches down to the keys, as the one around the details does.
        if !activity.isEmpty {
            activity = Self.extended(activity, to: area.bottom)
        } else if !timeline.isEmpty {
            timeline = Self.extended(timeline, to: area.bottom)
        } else {
            list = Self.extended(list, to: area.bottom)
        }
    }

    /// Puts the details below a list of `needed` rows; on a high terminal between a timeline and the activity.
    private mutating func addPane(below needed: Int, _ count: Int, _ model: AppModel, _ area: Rect) {
        let (top, below) = list.splitTop(needed)
        list = top
        var rest = Rect(column: area.left, row: below.top, columns: area.columns, rows: below.rows)
        let rows = min(count, Self.most) + Self.timelineFrame
        if rest.rows >= rows + Self.lowPaneRows { (timeline, rest) = rest.splitTop(rows) }
        let hasActivity = rest.rows >= Self.lowPaneRows + Self.minimumActivityRows && !model.activity.isEmpty
        (pane, activity) = rest.splitTop(hasActivity ? Self.lowPaneRows : rest.rows)
    }

    /// Divides the list's area if the list needs only `needed` rows.
    private mutating func addPanels(below needed: Int, _ count: Int, _ model: AppModel) {
        let room = list.rows - needed
        guard room >= Self.minimumActivityRows else { return }
        let (top, rest) = list.splitTop(needed)
        let rows = min(count, Self.most) + Self.timelineFrame
        let (first, second) = rest.splitTop(rows <= room ? rows : 0)
        let lines = min(max(1, model.activity.count), second.rows - 2)
        let hasActivity = pane.isEmpty ? !model.activity.isEmpty && lines + 2 >= Self.minimumActivityRows : second.rows >= 4
        list = top
        timeline = first
        activity = second.splitTop(hasActivity ? lines + 2 : 0).top
    }

    private static func extended(_ rect: Rect, to bottom: Int) -> Rect {
        Rect(column: rect.left, row: rect.top, columns: rect.columns, rows: bottom - rect.top)
    }
}
