import TerminalAppModel
import TerminalUI

/// The areas of the sessions screen: the list alone on a small terminal; with a timeline and the activity below it on a high one; and with
/// the details of the selected session at its right on a wide one.
struct SessionsLayout: Equatable {
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
    /// The minimum number of columns for the list beside the details.
    private static let minimumList = 54
    /// The minimum number of rows for the panels below a list without details.
    private static let minimumRows = 22
    /// The rows of the frame, the time axis and the legend; and the maximum number of sessions in the timeline.
    private static let timelineFrame = 4
    private static let most = 12
    private static let minimumActivityRows = 5

    /// Returns whether the details of the selected session are beside the list.
    static func hasPane(_ model: AppModel) -> Bool {
        let body = Frame.bodySize(model.size)
        return !model.isPlain && model.hasSessions && body.columns >= paneSize.columns && body.rows >= paneSize.rows
    }

    /// - Parameters:
    ///   - count: the number of rows of the list.
    ///   - hasFilter: whether the filter takes a row.
    init(in area: Rect, count: Int, hasFilter: Bool, model: AppModel) {
        guard Self.hasPane(model) else {
            let margin = area.columns >= 60 ? 1 : 0
            let rows = area.inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : 2), .rest])
            list = rows[1]
            top = rows[0].row(0)
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
