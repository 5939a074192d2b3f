import AuthModel
import TerminalAppModel
import TerminalUI

extension AppState {
    /// Starts the delay after which a session is forgotten.
    mutating func forgetLater(_ name: SessionName) -> [Command] {
        if !model.forgetting.contains(where: { $0.name == name }) { model.forgetting.append(PendingForget(name: name)) }
        return go(.home, from: nil)
    }

    /// Forgets the sessions whose delay is over. The delay starts at the first tick.
    mutating func forgetDueSessions() -> [Command] {
        for index in model.forgetting.indices where model.forgetting[index].until == nil {
            model.forgetting[index].until = model.now + PendingForget.time
        }
        let due = model.forgetting.filter { $0.until.map { $0 <= model.now } ?? false }.map(\.name)
        model.forgetting.removeAll { due.contains($0.name) }
        return due.map { .signOut($0, .localOnly) }
    }

    /// Keeps the session that was removed last.
    mutating func undo() -> [Command] {
        if let kept = model.forgetting.popLast() { notice = Notice(ForgetWords.kept(kept.name), .good) }
        return []
    }

    /// Quits. If a session is still waiting to be forgotten, it first shows a warning, once.
    mutating func quit() -> [Command] {
        guard let first = model.forgetting.first, !hasWarnedOfPendingForgets else { return [.quit] }
        hasWarnedOfPendingForgets = true
        notice = Notice(ForgetWords.stays(first.name), .warning)
        return []
    }

    /// The notice above the footer.
    var displayedNotice: Notice? {
        if let notice { return notice }
        guard let last = model.forgetting.last else { return nil }
        let left = last.until.map { max(.zero, $0 - model.now) } ?? PendingForget.time
        return Notice(ForgetWords.pending(last.name, Words.span(left), others: model.forgetting.count - 1), .warning)
    }
}
