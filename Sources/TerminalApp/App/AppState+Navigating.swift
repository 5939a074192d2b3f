import AuthModel
import TerminalAppModel
import TerminalUI

extension AppState {
    /// Applies the result of the screen at `index` of ``opened``; nil is the first screen.
    mutating func carryOut(_ result: ScreenResult, of index: Int?) -> [Command] {
        if let notice = result.notice { self.notice = notice }
        if let chosen = result.chosen { model.noteChoice(of: chosen) }
        for case .renew(let name) in result.commands { model.renewing.insert(name) }
        for case .saveSetting(let change) in result.commands {
            if case .word(let name) = change.value, change.id == .theme { choose(theme: name) }
        }
        if result.commands.contains(where: { $0 == .load || $0 == .reload }) { model.hasLoadFailure = false }
        if result.commands.contains(.startDemo) { requestDemo() }
        guard let move = result.move else { return result.commands }
        let commands = result.commands + go(move, from: index)
        guard let name = result.highlighted else { return commands }
        home.screen.select(name, in: model)
        flash(name)
        return commands + home.screen.settle(in: model)
    }

    mutating func go(_ move: Move, from index: Int?) -> [Command] {
        switch move {
        case .open(let destination): return open(destination, at: nil)
        case .replace(let destination): return open(destination, at: index)
        case .back:
            guard let index else { return [] }
            let closed = opened.remove(at: index)
            if index == opened.count { uncoverTop() }
            return closed.screen.closingCommands
        case .press(let key):
            if let index { opened.removeSubrange(index...) }
            return pressed(key)
        case .home:
            let closed = opened.filter { !$0.screen.staysOpenAtHome }
            opened.removeAll { !$0.screen.staysOpenAtHome }
            uncoverTop()
            return closed.flatMap(\.screen.closingCommands)
        }
    }

    /// Tells the visible screen that no other screen covers it any more.
    private mutating func uncoverTop() {
        if let top = opened.indices.last { opened[top].screen.uncover() }
    }

    /// Opens the screen of a destination: in place of the one at `index`, or above all others.
    private mutating func open(_ destination: Destination, at index: Int?) -> [Command] {
        var context = OpeningContext(model: model, current: current.screen, globalKeys: globalKeys, runs: runs)
        let screen = destination.screen(in: &context)
        runs = context.runs
        if let name = screen.sessionToForget { return forgetLater(name) }
        if let index { opened[index] = OpenScreen(screen) } else { opened.append(OpenScreen(screen)) }
        return screen.openingCommands
    }

    /// Stops the work of the lowest screen that does some, and closes that screen and those above it; nil if none does any.
    mutating func interrupt() -> [Command]? {
        for index in opened.indices {
            guard let notice = opened[index].screen.interruptionNotice else { continue }
            let closed = opened[index...]
            opened.removeSubrange(index...)
            self.notice = notice
            return closed.flatMap(\.screen.closingCommands)
        }
        return nil
    }

    /// Chooses the first screen for the current providers and sessions.
    mutating func chooseHomeScreen() {
        guard !home.screen.staysHome(in: model), let screen = ScreenRegistry.home(in: model) else { return }
        home = OpenScreen(screen)
    }

    /// Opens a problem screen if that interrupts nothing; else shows the problem as a notice.
    mutating func show(_ problem: Problem) -> [Command] {
        guard current.screen.allowsProblemAbove else {
            notice = Notice(Words.line(problem.failure), .warning)
            return []
        }
        // The notice was about the operation that has ended.
        notice = nil
        return go(.open(.problem(problem)), from: nil)
    }
}
