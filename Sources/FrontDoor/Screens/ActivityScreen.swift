import AuthModel
import TerminalUI

/// What happened, before the program started too, the newest first.
struct ActivityScreen: Screen {
    var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case open
        case back
    }

    /// The entry on the marked line; the list is shown backwards.
    func selection(in world: World) -> Activity? {
        let index = world.activity.count - 1 - selected
        return world.activity.indices.contains(index) ? world.activity[index] : nil
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, .right, .character("l"), action: Action.open, label: ActivityWords.keyOpen),
            KeyBinding(.escape, .left, .character("h"), action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        if action == .back { return nil }
        if world.activity.isEmpty { return ActivityWords.nothingYet }
        guard action == .open else { return nil }
        guard let entry = selection(in: world) else { return ActivityWords.nothingYet }
        guard let name = entry.session, world.session(name) != nil else { return ActivityWords.noSession }
        return world.isLocked ? LockWords.locked : nil
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: world.activity.count, page: max(1, world.size.rows - 9))
            return .none
        case .open: return selection(in: world)?.session.map { .open(.session($0)) } ?? .none
        case .back: return .back
        }
    }

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { selected = row }

    mutating func receive(_ message: Message, in world: World) -> Step {
        // A line was added at the top: the mark stays on the line it was on, unless it was on the top.
        if case .keeperReported(.activity) = message, selected > 0 { selected = min(selected + 1, max(0, world.activity.count - 1)) }
        return .none
    }

    /// "3 min ago" moves on by itself.
    func isTimed(in world: World) -> Bool { !world.activity.isEmpty }
}
