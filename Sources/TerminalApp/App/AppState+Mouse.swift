import TerminalUI

extension AppState {
    /// How far the wheel turns a page; in a list it goes row by row.
    private static let wheelRows = 3

    /// What the mouse does is what a key would do: a press on a key, on a row or on a field; the wheel goes up and down.
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
            case nil: return []
            }
        }
    }

    /// Marks a row and presses Enter there.
    mutating func choose(row: Int) -> [Command] {
        notice = nil
        if current.screen.markedRow(in: model) != row { _ = give(.row(row), to: opened.indices.last) }
        return current.screen.markedRow(in: model) == row ? pressed(.enter) : []
    }

    private mutating func turn(_ key: Key) -> [Command] {
        let count = current.screen.markedRow(in: model) == nil ? Self.wheelRows : 1
        return (0..<count).flatMap { _ in pressed(key) }
    }
}
