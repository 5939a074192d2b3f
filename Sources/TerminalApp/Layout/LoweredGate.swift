import AuthModel
import TerminalUI

/// The iron gate in front of the screen while the store is locked. It comes down when the store is locked, and lifts when it is unlocked.
struct LoweredGate {
    /// How far the gate is down, from 0 to 1.
    let share: Double

    /// How long the gate takes to come down or to lift.
    static let time = Duration.milliseconds(500)

    /// Returns the share of ``time`` that has passed since a moment; 1 where nothing moves.
    static func progress(since moment: Timestamp?, in model: AppModel) -> Double {
        guard let moment, model.motion == .full else { return 1 }
        let passed = max(0, (model.now - moment).wholeMilliseconds)
        return min(1, Double(passed) / Double(time.wholeMilliseconds))
    }

    /// The distances between two upright bars, and between two crossbars.
    private static let columns = 8
    private static let rows = 4

    /// Draws the part of the gate that is down, over what is drawn already.
    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let down = Int((share * Double(area.rows)).rounded())
        for row in 0..<min(down, area.rows) {
            // Counted from the points at the gate's lower end, so that the whole gate moves.
            let height = down - 1 - row
            for column in 0..<area.columns {
                guard let sign = sign(column: column, height: height, glyphs: buffer.glyphs) else { continue }
                let point = Point(column: area.left + column, row: area.top + row)
                buffer.write(sign, at: point, style: Style(.border), clip: area)
            }
        }
    }

    /// Returns the part of the gate in a cell; nil between the bars.
    private func sign(column: Int, height: Int, glyphs: GlyphSet) -> String? {
        let isBar = column % Self.columns == Self.columns / 2
        let isHeavy = column / Self.columns % 2 == 1
        let isCrossbar = height % Self.rows == Self.rows / 2
        guard glyphs != .ascii else { return isBar ? (isCrossbar ? "+" : "|") : isCrossbar ? "-" : nil }
        guard isBar else { return isCrossbar ? "─" : nil }
        if height == 0 { return isHeavy ? "╹" : "╵" }
        return isCrossbar ? (isHeavy ? "╂" : "┼") : isHeavy ? "┃" : "│"
    }
}
