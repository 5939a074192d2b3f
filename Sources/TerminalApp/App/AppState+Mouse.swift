import TerminalAppModel
import TerminalUI

extension AppState {
    /// The number of rows that one wheel step scrolls a page; in a list it moves the selection by one row.
    private static let wheelRows = 3

    /// Handles a mouse event as the equivalent key: a click on a key, a row or a field; the wheel moves up and down.
    mutating func take(_ mouse: MouseEvent) -> [Command] {
        guard model.usesMouse else { return [] }
        switch mouse.action {
        case .wheelUp: return turn(.up)
        case .wheelDown: return turn(.down)
        case .pressed:
            switch TerminalAppRoot.target(at: mouse.point, in: self) {
            case .key(let key): return pressed(key)
            case .row(let row):
                notice = nil
                return give(.row(row), to: opened.indices.last) ?? []
            case .field(let field):
                notice = nil
                return give(.field(field), to: opened.indices.last) ?? []
            case .part(let part):
                notice = nil
                return give(.part(part), to: opened.indices.last) ?? []
            case .title(let index): return goBack(to: index)
            case nil: return []
            }
        }
    }

    /// Selects a row and presses Enter on it.
    mutating func choose(row: Int) -> [Command] {
        notice = nil
        if current.screen.selectedRow(in: model) != row { _ = give(.row(row), to: opened.indices.last) }
        return current.screen.selectedRow(in: model) == row ? pressed(.enter) : []
    }

    /// Closes the screens above the one whose title in the path was clicked, as Esc does one by one.
    private mutating func goBack(to index: Int) -> [Command] {
        let screens = [home] + opened
        // Adjacent equal titles appear once in the path.
        var titles: [String] = []
        var target = 0
        for (depth, screen) in screens.enumerated() {
            let title = screen.screen.title(in: model)
            if titles.last != title { titles.append(title) }
            if titles.count == index + 1 { target = depth }
        }
        var commands: [Command] = []
        while opened.count > target {
            let count = opened.count
            commands += pressed(.escape)
            // A screen that needs an answer first stays.
            if opened.count >= count { break }
        }
        return commands
    }

    private mutating func turn(_ key: Key) -> [Command] {
        let count = current.screen.selectedRow(in: model) == nil ? Self.wheelRows : 1
        return (0..<count).flatMap { _ in pressed(key) }
    }
}
