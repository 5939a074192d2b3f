import AuthModel
import TerminalUI

extension AppState {
    /// Puts off what a move would forget; `nil` for a move that forgets nothing.
    mutating func postponed(_ move: Move) -> [Command]? {
        switch move {
        case .open(.signingOut(let name, .localOnly)), .replace(.signingOut(let name, .localOnly)):
            if !world.forgetting.contains(where: { $0.name == name }) { world.forgetting.append(Forgetting(name: name)) }
            return go(.home, from: nil)
        default: return nil
        }
    }

    /// Forgets what the time is up for. The first look at the clock begins to count.
    mutating func forgetInTime() -> [Command] {
        for index in world.forgetting.indices where world.forgetting[index].until == nil {
            world.forgetting[index].until = world.now + Forgetting.time
        }
        let due = world.forgetting.filter { $0.until.map { $0 <= world.now } ?? false }.map(\.name)
        world.forgetting.removeAll { due.contains($0.name) }
        return due.map { .signOut($0, .localOnly) }
    }

    /// Keeps the session that was given up last.
    mutating func undo() -> [Command] {
        if let kept = world.forgetting.popLast() { notice = Notice(ForgetWords.kept(kept.name), .good) }
        return []
    }

    /// Leaves; where something is still to be forgotten, that is said first, once.
    mutating func quit() -> [Command] {
        guard let first = world.forgetting.first, !saidWhatStays else { return [.quit] }
        saidWhatStays = true
        notice = Notice(ForgetWords.stays(first.name), .warning)
        return []
    }

    /// What the line above the footer says.
    var shownNotice: Notice? {
        if let notice { return notice }
        guard let last = world.forgetting.last else { return nil }
        let left = last.until.map { max(.zero, $0 - world.now) } ?? Forgetting.time
        return Notice(ForgetWords.pending(last.name, Words.span(left), others: world.forgetting.count - 1), .warning)
    }
}
