/// A running application: its state, its mailbox, its running commands, and the last drawn screen.
///
/// It never blocks and reads no clock. ``run(on:clock:)`` drives it with a terminal; tests drive it step by step.
public struct AppLoop<App: Application> {
    /// The continuation of the loop after a step.
    public enum Outcome: Equatable, Sendable {
        /// The loop continues.
        case running
        /// The application asked to stop the process, as Ctrl-Z does.
        case suspend
        /// The application has ended.
        case ends
    }

    /// The current state.
    public private(set) var state: App.State
    /// The messages for the application.
    public let mailbox: Mailbox<App.Message>
    /// The runner of the application's commands.
    public let runner: CommandRunner<App.Command, App.Message>
    /// The last drawn screen.
    public private(set) var shown: ScreenBuffer?
    private var displayedTheme: Theme?
    private var size: Size
    private let beginning: ClockReading
    private var lastTick: Duration
    private let glyphs: GlyphSet

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - now: the start time, from which the first tick is counted.
    ///   - mailbox: where other sources post messages; the same loop handles them.
    public init(
        _ app: App.Type = App.self, state: App.State, size: Size, glyphs: GlyphSet, now: ClockReading,
        performer: any CommandPerformer<App.Command, App.Message>, mailbox: Mailbox<App.Message> = Mailbox()
    ) {
        self.state = state
        self.size = size
        self.glyphs = glyphs
        self.mailbox = mailbox
        beginning = now
        lastTick = now.steady
        runner = CommandRunner(performer: performer, mailbox: mailbox)
    }

    /// Runs the start commands, and tells the application its size.
    public mutating func start() -> Outcome {
        let first = execute(App.start(state))
        return first == .running ? handle([.resized(size)], at: beginning) : first
    }

    /// Handles events in order; stops when one of them ends the application.
    ///
    /// - Parameter now: the current time.
    public mutating func handle(_ events: [InputEvent], at now: ClockReading) -> Outcome {
        var outcome = Outcome.running
        if !events.isEmpty { App.note(now, in: &state) }
        for event in events {
            switch event {
            case .resized(let size): self.size = size
            case .resumed: shown = nil
            case .key, .paste, .mouse, .focused, .colorsChanged, .terminated: break
            }
            guard let message = App.message(for: event, in: state) else { continue }
            outcome = outcome.joined(with: update(message))
            if outcome == .ends { break }
        }
        return outcome
    }

    /// Handles the messages in the mailbox.
    ///
    /// - Parameter clock: read after the messages are taken, so that no message is later than the time.
    public mutating func handleMail(clock: () -> ClockReading) -> Outcome {
        var outcome = Outcome.running
        let messages = mailbox.drain()
        if !messages.isEmpty { App.note(clock(), in: &state) }
        for message in messages {
            outcome = outcome.joined(with: update(message))
            if outcome == .ends { break }
        }
        return outcome
    }

    /// Returns the time until the next tick; zero if it is due, nil if none is wanted.
    public func untilTick(at now: ClockReading) -> Duration? {
        App.nextTick(in: state).map { max(.zero, lastTick + $0 - now.steady) }
    }

    /// Sends a tick to the application if one is due.
    public mutating func tick(at now: ClockReading) -> Outcome {
        guard untilTick(at: now) == .zero else { return .running }
        lastTick = now.steady
        return App.message(forTick: now, in: state).map { update($0) } ?? .running
    }

    /// Draws the state; nil if the terminal already shows it.
    public mutating func draw() -> ScreenChanges? {
        let theme = App.theme(in: state)
        var buffer = ScreenBuffer(size: size, glyphs: glyphs)
        App.render(state, theme: theme, into: &buffer)
        let base = theme == displayedTheme ? shown : nil
        if let base, base == buffer { return nil }
        let changes = ScreenChanges(from: base, to: buffer, theme: theme)
        shown = buffer
        displayedTheme = theme
        return changes
    }

    /// Forgets the last drawn screen, so that every cell is drawn again.
    public mutating func forgetScreen() { shown = nil }

    private mutating func update(_ message: App.Message) -> Outcome {
        execute(App.update(&state, message))
    }

    private func execute(_ commands: [App.Command]) -> Outcome {
        var outcome = Outcome.running
        for command in commands {
            switch App.directive(for: command) {
            case .perform(let id): runner.start(command, id: id)
            case .subscribe(let id): runner.start(command, id: id, isCounted: false)
            case .cancel(let id): runner.cancel(id: id)
            case .suspend: outcome = outcome.joined(with: .suspend)
            case .quit: outcome = .ends
            }
        }
        return outcome
    }

    /// Runs until the application quits; blocks the calling thread, which must own `terminal`.
    ///
    /// The loop draws if the state changed, then waits for input, the mailbox, or the next tick. Nothing else wakes an application that
    /// needs no tick. At the end, every running command is cancelled.
    ///
    /// - Returns: the last state.
    public mutating func run<T: Terminal>(on terminal: inout T, clock: () -> ClockReading) -> App.State {
        mailbox.connect(terminal.wake)
        defer {
            mailbox.connect(nil)
            runner.cancelAll()
        }
        var outcome = start()
        var drawn: App.State?
        var usesMouse = false
        var shownTitle: String?
        while outcome != .ends {
            if outcome == .suspend {
                terminal.stop()
                forgetScreen()
                drawn = nil
            }
            outcome = tick(at: clock())
            guard outcome == .running else { continue }
            if drawn != state, let changes = draw() { terminal.present(changes) }
            drawn = state
            if let title = App.title(in: state), title != shownTitle {
                shownTitle = title
                terminal.show(title: title)
            }
            if App.usesMouse(in: state) != usesMouse {
                usesMouse.toggle()
                terminal.useMouse(usesMouse)
            }
            let events = terminal.wait(atMost: untilTick(at: clock()))
            outcome = handle(events, at: clock())
            if events.contains(where: \.needsDrawing) { drawn = nil }
            if outcome != .ends { outcome = outcome.joined(with: handleMail(clock: clock)) }
        }
        return state
    }
}

extension AppLoop.Outcome {
    /// Returns the stronger of two outcomes.
    func joined(with other: Self) -> Self {
        if self == .ends || other == .ends { return .ends }
        return self == .suspend || other == .suspend ? .suspend : .running
    }
}

extension InputEvent {
    /// Whether the screen must be redrawn even if the state is unchanged.
    fileprivate var needsDrawing: Bool {
        switch self {
        case .resized, .resumed: true
        case .key, .paste, .mouse, .focused, .colorsChanged, .terminated: false
        }
    }
}
