internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import OperatingSystem
internal import TerminalUI

/// `yett status --watch`: prints the sessions again when they change, until it is interrupted.
///
/// On a terminal, the list stays in its place and its times count down. Elsewhere, each change of a session or its state is printed once:
/// as a table after an empty line, or as one JSON object on a line.
struct StatusWatch {
    let name: SessionName?
    let asJSON: Bool
    let context: CommandContext

    /// An event that ends a wait.
    private enum Wake: Sendable {
        case changed
        /// A time on the screen or a state changes.
        case due
        /// The session service ended.
        case ended
        /// The terminal was resized, or the process continues after a stop.
        case redraw
        /// The user stops the process.
        case suspend
        /// The user ends the command with a key.
        case quit
        /// Ctrl-C was pressed, or a signal asks the process to end.
        case interrupted(Interruption)
    }

    /// The wait for another agent after one has ended.
    private static let pause = Duration.seconds(1)

    func run() async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Wake.self)
        var iterator = wakes.makeAsyncIterator()
        let interruptions = context.edges.interruptions()
        let signals = Task { [context] in
            var isFirst = true
            for await interruption in interruptions {
                // The second signal ends the process at once, as in other commands.
                if !isFirst { context.edges.exitNow(interruption.exitCode) }
                isFirst = false
                wake.yield(.interrupted(interruption))
            }
        }
        defer { signals.cancel() }
        guard !asJSON, context.display != nil, let terminal = context.edges.keyTerminal() else {
            var last: String?
            return try await watch(&iterator, wake, show: { try show($0, after: &last) }, leave: {})
        }
        let screen = WatchScreen(terminal: terminal)
        let keys = Task { await Self.read(terminal, wake) }
        let result = await Result<Void, any Error>.of {
            try await watch(&iterator, wake, show: { draw($0, on: screen) }, leave: screen.leave)
        }
        screen.leave()
        keys.cancel()
        await keys.value
        terminal.close()
        try result.get()
    }

    private func watch(
        _ wakes: inout AsyncStream<Wake>.Iterator, _ wake: AsyncStream<Wake>.Continuation, show: ([SessionSummary]) throws -> Void,
        leave: () -> Void
    ) async throws {
        while try await follow(&wakes, wake, show: show, leave: leave) {
            try await context.edges.time.sleep(until: context.edges.time.bootTime + Self.pause)
        }
    }

    /// Passes on what is typed.
    private static func read(_ terminal: KeyTerminal, _ wake: AsyncStream<Wake>.Continuation) async {
        var reader = TypedKeyReader()
        while true {
            switch await terminal.next(nil) {
            case .ended, .late: return
            case .redraw: wake.yield(.redraw)
            case .typed(let bytes):
                for key in reader.keys(in: bytes) {
                    switch key {
                    case .control("c"): wake.yield(.interrupted(.interrupt))
                    case .character("q"), .escape, .control("d"): wake.yield(.quit)
                    case .control("z"): wake.yield(.suspend)
                    default: break
                    }
                }
            }
        }
    }

    /// Shows the sessions of a service until the service ends. Returns `false` if the user ended the command.
    private func follow(
        _ wakes: inout AsyncStream<Wake>.Iterator, _ wake: AsyncStream<Wake>.Continuation, show: ([SessionSummary]) throws -> Void,
        leave: () -> Void
    ) async throws -> Bool {
        let service = try await context.service()
        let watch = Task {
            for await event in await service.events() {
                switch event {
                case .sessionsChanged, .storeStateChanged: wake.yield(.changed)
                case .activity, .asked, .settled: break
                }
            }
            wake.yield(.ended)
        }
        var timer: Task<Void, Never>?
        defer {
            watch.cancel()
            timer?.cancel()
        }
        var sessions = try await known(to: service)
        try show(sessions)
        timer = alarm(sessions, wake)
        while let event = await wakes.next() {
            timer?.cancel()
            switch event {
            case .ended: return !Task.isCancelled
            case .quit: return false
            case .interrupted(let interruption): throw ExitStatus(code: interruption.exitCode)
            case .suspend:
                leave()
                raise(SIGTSTP)
            case .due, .redraw: break
            case .changed: sessions = try await known(to: service)
            }
            try show(sessions)
            timer = alarm(sessions, wake)
        }
        throw CancellationError()
    }

    private func known(to service: any SessionService) async throws(AuthFailure) -> [SessionSummary] {
        let sessions = try await service.sessions()
        guard let name else { return sessions }
        // A session that was signed out may come back.
        return sessions.filter { $0.name == name || name.account == nil && $0.name.provider == name.provider }
    }

    private func alarm(_ sessions: [SessionSummary], _ wake: AsyncStream<Wake>.Continuation) -> Task<Void, Never>? {
        let countsDown = !asJSON && context.display != nil
        guard let wait = Self.untilNextChange(of: sessions, at: context.now, countsDown: countsDown) else { return nil }
        let time = context.edges.time
        return Task {
            guard (try? await time.sleep(until: time.bootTime + wait)) != nil else { return }
            wake.yield(.due)
        }
    }

    /// Returns the time until a session's state changes, or the text of its time left; `nil` if that is never.
    ///
    /// Times that count down change together, at a whole second of the clock: the ends of many sessions have as many fractions of a second.
    static func untilNextChange(of sessions: [SessionSummary], at now: Timestamp, countsDown: Bool) -> Duration? {
        let changes = sessions.compactMap { countsDown ? $0.untilTextChanges(at: now) : $0.untilStateChanges(at: now) }
        guard let next = changes.min(), countsDown else { return changes.min() }
        let fraction = (now + next).milliseconds % 1_000
        return fraction == 0 ? next : next + .milliseconds(1_000 - fraction)
    }

    private func draw(_ sessions: [SessionSummary], on screen: WatchScreen) {
        guard let display = context.display else { return }
        let room = WatchScreen.room(in: display.rows)
        let list = context.sessionList(sessions, asJSON: false)
        let lines = sessions.isEmpty ? ["not signed in"] : list.rows(on: display, atMost: room)
        let keys = StyledText("Changes appear by themselves. q quits.", .muted).cut(to: display.columns, display.glyphs)
        screen.draw(lines.map { context.console.rendered($0, on: display) }, keys: context.console.rendered(keys, on: display))
    }

    /// Prints sessions, unless `last` is the same output.
    private func show(_ sessions: [SessionSummary], after last: inout String?) throws {
        let list = context.sessionList(sessions, asJSON: asJSON)
        let json = list.json.text
        guard json != last else { return }
        let isFirst = last == nil
        last = json
        if !isFirst, !asJSON { try context.console.lines([""]) }
        if sessions.isEmpty, !asJSON { return try context.console.lines(["not signed in"]) }
        try context.console.answer(list, asJSON: asJSON)
    }
}

/// A list that is drawn again in its place, below the command line.
///
/// The cursor rests at the start of the first row, and is hidden. So what is erased is always the list, even if the terminal was resized
/// and has wrapped it.
final class WatchScreen {
    let terminal: KeyTerminal
    /// The number of rows on the terminal.
    private var height = 0

    init(terminal: KeyTerminal) { self.terminal = terminal }

    /// Returns the number of rows for the list: so many that nothing scrolls, and the keys have a row below it.
    static func room(in rows: Int) -> Int { max(1, rows - 2) }

    /// Draws rows in place of the former ones, and the keys below them.
    func draw(_ rows: [String], keys: String) {
        height = rows.count + 1
        terminal.write(Self.frame(rows + [keys]))
    }

    /// Returns the bytes of a frame. The terminal shows it at once when it is complete (mode 2026), so that nothing flickers.
    ///
    /// Each row is erased on its own, and what is below with the last one: tmux keeps a screen that is erased from its first cell on in its
    /// history, so each frame would fill it.
    static func frame(_ rows: [String]) -> [UInt8] {
        let up = rows.count > 1 ? "\u{1B}[\(rows.count - 1)A" : ""
        let erased = rows.enumerated().map { ($0 == rows.count - 1 ? "\u{1B}[J" : "\u{1B}[K") + $1 }
        return Array("\u{1B}[?2026h\u{1B}[?25l\r\(erased.joined(separator: "\r\n"))\r\(up)\u{1B}[?2026l".utf8)
    }

    /// Leaves the list where it is, and moves the cursor to the row of the keys, which are erased.
    func leave() {
        let down = height > 1 ? "\u{1B}[\(height - 1)B" : ""
        terminal.write(Array("\(down)\r\u{1B}[J\u{1B}[?25h".utf8))
    }
}
