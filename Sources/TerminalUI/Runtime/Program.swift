/// An application at work: its state, its mailbox, the commands under way, and the picture shown last.
///
/// It never blocks and reads no clock. ``run(on:clock:)`` drives it with a terminal; tests drive it step by step.
public struct Program<App: Application> {
    /// What the loop has to do after a step.
    public enum Outcome: Equatable, Sendable {
        case goesOn
        /// The application asked to be stopped like by Ctrl-Z.
        case suspend
        case ends
    }

    public private(set) var state: App.State
    public let mailbox: Mailbox<App.Message>
    public let runner: CommandRunner<App.Command, App.Message>
    /// The picture shown last.
    public private(set) var shown: ScreenBuffer?
    private var shownTheme: Theme?
    private var size: Size
    private let beginning: ClockReading
    private var lastTick: Duration
    private let glyphs: GlyphSet

    /// - Parameters:
    ///   - now: the time of the start, from which the first tick is counted.
    ///   - mailbox: where other sources post messages; they are taken in the same loop.
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

    /// Gives the commands of the start, and tells the application the size it has.
    public mutating func start() -> Outcome {
        let first = execute(App.start(state))
        return first == .goesOn ? handle([.resized(size)], at: beginning) : first
    }

    /// Takes events, in order; ends early when one of them ends the application.
    ///
    /// - Parameter now: the time at which they are taken.
    public mutating func handle(_ events: [InputEvent], at now: ClockReading) -> Outcome {
        var outcome = Outcome.goesOn
        if !events.isEmpty { App.note(now, in: &state) }
        for event in events {
            switch event {
            case .resized(let size): self.size = size
            case .resumed: shown = nil
            case .key, .paste, .mouse, .terminated: break
            }
            guard let message = App.message(for: event, in: state) else { continue }
            outcome = outcome.joined(with: take(message))
            if outcome == .ends { break }
        }
        return outcome
    }

    /// Takes what waits in the mailbox.
    ///
    /// - Parameter clock: read once the messages are at hand, so that none tells of a later time.
    public mutating func handleMail(clock: () -> ClockReading) -> Outcome {
        var outcome = Outcome.goesOn
        let messages = mailbox.take()
        if !messages.isEmpty { App.note(clock(), in: &state) }
        for message in messages {
            outcome = outcome.joined(with: take(message))
            if outcome == .ends { break }
        }
        return outcome
    }

    /// How long to wait for the next tick; zero when it is due, nil when none is wanted.
    public func untilTick(at now: ClockReading) -> Duration? {
        App.nextTick(in: state).map { max(.zero, lastTick + $0 - now.steady) }
    }

    /// Ticks when a tick is due.
    public mutating func tick(at now: ClockReading) -> Outcome {
        guard untilTick(at: now) == .zero else { return .goesOn }
        lastTick = now.steady
        return App.message(forTick: now, in: state).map { take($0) } ?? .goesOn
    }

    /// Draws the state; nil when the terminal shows it already.
    public mutating func draw() -> ScreenChanges? {
        let theme = App.theme(in: state)
        var buffer = ScreenBuffer(size: size, glyphs: glyphs)
        App.render(state, theme: theme, into: &buffer)
        let base = theme == shownTheme ? shown : nil
        if let base, base == buffer { return nil }
        let changes = ScreenChanges(from: base, to: buffer, theme: theme)
        shown = buffer
        shownTheme = theme
        return changes
    }

    /// Forgets what the terminal shows, so that all of it is drawn anew.
    public mutating func forgetScreen() { shown = nil }

    private mutating func take(_ message: App.Message) -> Outcome {
        execute(App.update(&state, message))
    }

    private func execute(_ commands: [App.Command]) -> Outcome {
        var outcome = Outcome.goesOn
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
}

extension Program.Outcome {
    /// The stronger of two.
    func joined(with other: Self) -> Self {
        if self == .ends || other == .ends { return .ends }
        return self == .suspend || other == .suspend ? .suspend : .goesOn
    }
}
