import AuthModel
import Localization
import TerminalUI

extension AppState {
    /// Applies the result of the screen at `index` of ``opened``; nil is the first screen.
    mutating func apply(_ result: ScreenResult, of index: Int?) -> [Command] {
        if let notice = result.notice { self.notice = notice }
        if let chosen = result.chosen { model.recordChoice(of: chosen) }
        for case .renew(let name) in result.commands { model.renewing.insert(name) }
        for case .saveSetting(let change) in result.commands {
            if case .word(let name) = change.value, change.id == .theme { choose(theme: name) }
        }
        if result.commands.contains(where: { $0 == .load || $0 == .reload }) { model.hasLoadFailure = false }
        if result.commands.contains(.startDemo) { wantsDemo = true }
        guard let move = result.move else { return result.commands }
        let commands = result.commands + apply(move, from: index)
        guard let name = result.highlighted else { return commands }
        _ = home.screen.select(.session(name), in: model)
        flash(name)
        return commands + home.screen.commandsForShownContent(in: model)
    }

    mutating func apply(_ move: Move, from index: Int?) -> [Command] {
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
            return dispatch(key)
        case .home:
            let closed = opened.filter { !$0.screen.staysOpenAtHome }
            opened.removeAll { !$0.screen.staysOpenAtHome }
            uncoverTop()
            return closed.flatMap { $0.screen.closingCommands }
        }
    }

    /// Tells the visible screen that no other screen covers it any more.
    private mutating func uncoverTop() {
        if let top = opened.indices.last { _ = opened[top].screen.receive(.uncovered, in: model) }
    }

    /// Opens the screen of a destination: in place of the one at `index`, or above all others.
    private mutating func open(_ destination: Destination, at index: Int?) -> [Command] {
        var context = OpeningContext(model: model, current: current.screen, globalKeys: globalKeys, runs: runs)
        let screen = destination.screen(in: &context)
        runs = context.runs
        if let name = screen.sessionToForget { return forgetLater(name) }
        if let index { opened[index] = OpenScreen(screen) } else { opened.append(OpenScreen(screen)) }
        return screen.traits(in: model).openingCommands
    }

    /// Stops the work of the lowest screen that does some, and closes that screen and those above it; nil if none does any.
    mutating func interrupt() -> [Command]? {
        for index in opened.indices {
            guard let notice = opened[index].screen.interruptionNotice else { continue }
            let closed = opened[index...]
            opened.removeSubrange(index...)
            self.notice = notice
            return closed.flatMap { $0.screen.closingCommands }
        }
        return nil
    }

    /// Chooses the first screen for the current providers and sessions.
    mutating func chooseHomeScreen() {
        guard !home.screen.traits(in: model).staysFirst, let screen = ScreenRegistry.home(in: model) else { return }
        home = OpenScreen(screen)
    }

    /// Opens a problem screen if that interrupts nothing; else shows the problem as a notice.
    mutating func show(_ problem: Problem) -> [Command] {
        guard currentTraits.allowsProblemAbove else {
            notice = Notice(Words.line(problem.failure), .warning)
            return []
        }
        // The notice was about the operation that has ended.
        notice = nil
        return apply(.open(.problem(problem)), of: nil)
    }

    /// Starts the delay after which a session is forgotten.
    mutating func forgetLater(_ name: SessionName) -> [Command] {
        if !model.forgetting.contains(where: { $0.name == name }) { model.forgetting.append(PendingForget(name: name)) }
        return apply(.home, of: nil)
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
    mutating func undo() {
        if let kept = model.forgetting.popLast() { notice = Notice(tr("kept {1}", kept.name), .good) }
    }

    /// Quits. If a session is still waiting to be forgotten, it first shows a warning, once.
    mutating func quit() -> [Command] {
        guard let first = model.forgetting.first, !hasWarnedOfPendingForgets else { return [.quit] }
        hasWarnedOfPendingForgets = true
        notice = Notice(tr("{1} is not forgotten yet, and is kept if you quit now: press q again to quit", first.name), .warning)
        return []
    }

    /// The notice above the footer.
    var displayedNotice: Notice? {
        if let notice { return notice }
        guard let last = model.forgetting.last else { return nil }
        let left = last.until.map { max(.zero, $0 - model.now) } ?? PendingForget.time
        return Notice(ForgetWords.pending(last.name, Words.span(left), others: model.forgetting.count - 1), .warning)
    }

    /// The number of rows that one wheel step scrolls a page; in a list it moves the selection by one row.
    private static let wheelRows = 3

    /// Handles a mouse event as the equivalent key: a click on a key, a row or a field; the wheel moves up and down.
    mutating func dispatch(_ mouse: MouseEvent) -> [Command] {
        guard model.usesMouse else { return [] }
        switch mouse.action {
        case .wheelUp: return turn(.up)
        case .wheelDown: return turn(.down)
        case .pressed:
            switch TerminalAppRoot.target(at: mouse.point, in: self) {
            case .key(let key): return dispatch(key)
            case .row(let row): return click(.row(row))
            case .field(let field): return click(.field(field))
            case .part(let part): return click(.part(part))
            case .title(let index): return goBack(to: index)
            case nil: return []
            }
        }
    }

    private mutating func click(_ element: ScreenElement) -> [Command] {
        notice = nil
        return deliver(.click(element), to: opened.indices.last) ?? []
    }

    /// Selects a row and presses Enter on it.
    mutating func choose(row: Int) -> [Command] {
        notice = nil
        if currentTraits.selectedRow != row { _ = click(.row(row)) }
        return currentTraits.selectedRow == row ? dispatch(.enter) : []
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
            commands += dispatch(.escape)
            // A screen that needs an answer first stays.
            if opened.count >= count { break }
        }
        return commands
    }

    private mutating func turn(_ key: Key) -> [Command] {
        let count = currentTraits.selectedRow == nil ? Self.wheelRows : 1
        return (0..<count).flatMap { _ in dispatch(key) }
    }
}

/// The target of a navigation: a value that creates a screen at the time it opens.
///
/// Each screen declares its destinations in its own file, as static members of this type.
struct Destination: Equatable, Sendable {
    private let request: any ScreenRequest

    /// Creates a destination whose screen is made from the app's state when it opens.
    init(_ request: some ScreenRequest) { self.request = request }

    /// Creates a destination whose screen needs nothing of the app's state.
    init(_ screen: some Screen) { self.init(ReadyScreen(screen: screen)) }

    static func == (left: Destination, right: Destination) -> Bool { left.request.isEqual(to: right.request) }

    func screen(in context: inout OpeningContext) -> any Screen { request.screen(in: &context) }

    private struct ReadyScreen<S: Screen>: ScreenRequest {
        var screen: S

        func screen(in context: inout OpeningContext) -> S { screen }
    }
}

/// A request to open a screen, with its arguments.
protocol ScreenRequest: Equatable, Sendable {
    /// The screen that the request opens.
    associatedtype Opened: Screen

    func screen(in context: inout OpeningContext) -> Opened
}

/// The state of the app that a screen can use when it opens.
struct OpeningContext {
    let model: AppModel
    /// The screen that is visible now.
    let current: any Screen
    /// The keys that work on every screen.
    let globalKeys: KeyMap<String>
    /// The number of sign-ins started.
    private(set) var runs: Int

    /// Returns the identifier of a new sign-in run.
    mutating func startRun() -> RunID {
        runs += 1
        return RunID(number: runs)
    }
}

/// An open screen of any type, with its state. Two are equal if their types and their values are.
struct OpenScreen: Equatable, Sendable {
    /// The screen as its common protocol.
    var screen: any Screen

    init(_ screen: any Screen) { self.screen = screen }

    static func == (left: OpenScreen, right: OpenScreen) -> Bool { left.screen.isEqual(to: right.screen) }

    /// Returns the screen as a value of its own type; nil if it has another type.
    func `as`<S: Screen>(_ type: S.Type) -> S? { screen as? S }
}

extension Equatable {
    /// Returns whether `other` has the same type and the same value.
    func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}
