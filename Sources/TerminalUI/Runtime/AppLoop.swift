import Synchronization

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

/// Runs commands in tasks and counts them, so that a test can wait until no command runs.
public final class CommandRunner<Command: Equatable & Sendable, Message: Equatable & Sendable>: Sendable {
    private struct Work {
        var serial: UInt64 = 0
        /// The running tasks by serial number.
        var tasks: [UInt64: Task<Void, Never>] = [:]
        /// Tasks that ended before they were added to `tasks`.
        var early: Set<UInt64> = []
        var serials: [String: UInt64] = [:]
        var counted: Set<UInt64> = []
        var wake: (@Sendable () -> Void)?
    }

    private let performer: any CommandPerformer<Command, Message>
    private let mailbox: Mailbox<Message>
    private let work = Mutex(Work())

    /// Creates a runner that posts the performer's messages to `mailbox`.
    public init(performer: any CommandPerformer<Command, Message>, mailbox: Mailbox<Message>) {
        self.performer = performer
        self.mailbox = mailbox
    }

    /// The number of running commands, without subscriptions.
    public var running: Int { work.withLock { $0.counted.count } }

    /// Sets a function to call, on an arbitrary thread, whenever a counted command ends.
    public func onEnd(_ wake: (@Sendable () -> Void)?) { work.withLock { $0.wake = wake } }

    /// Starts a command. It is counted before its task begins.
    ///
    /// - Parameters:
    ///   - id: cancels the task that runs under the same id.
    ///   - isCounted: false for a subscription, which runs as long as the application.
    public func start(_ command: Command, id: String? = nil, isCounted: Bool = true) {
        let serial = work.withLock { work in
            work.serial += 1
            if isCounted { work.counted.insert(work.serial) }
            if let id, let former = work.serials.updateValue(work.serial, forKey: id) { work.tasks[former]?.cancel() }
            return work.serial
        }
        let task = Task { [performer, mailbox] in
            await performer.perform(command) { mailbox.post($0) }
            self.ended(serial, id: id)
        }
        work.withLock { work in
            if work.early.remove(serial) == nil { work.tasks[serial] = task }
        }
    }

    /// Cancels the task that runs under `id`.
    public func cancel(id: String) {
        work.withLock { work in work.serials[id].flatMap { work.tasks[$0] } }?.cancel()
    }

    /// Cancels every task.
    public func cancelAll() {
        for task in work.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    private func ended(_ serial: UInt64, id: String?) {
        let wake = work.withLock { work in
            if work.tasks.removeValue(forKey: serial) == nil { work.early.insert(serial) }
            if let id, work.serials[id] == serial { work.serials[id] = nil }
            return work.counted.remove(serial) == nil ? nil : work.wake
        }
        wake?()
    }
}

/// A queue of messages for the loop. Any thread may post.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct Box {
        var messages: [Message] = []
        var wake: (@Sendable () -> Void)?
    }

    private let box = Mutex(Box())

    /// Creates an empty mailbox.
    public init() {}

    /// Adds a message. It wakes the loop only if the queue was empty, because the loop takes all messages together.
    public func post(_ message: Message) {
        let wake = box.withLock { box in
            box.messages.append(message)
            return box.messages.count == 1 ? box.wake : nil
        }
        wake?()
    }

    /// Returns all messages in order, and empties the mailbox.
    public func drain() -> [Message] {
        box.withLock { box in
            defer { box.messages = [] }
            return box.messages
        }
    }

    /// Whether no message is waiting.
    public var isEmpty: Bool { box.withLock { $0.messages.isEmpty } }

    /// Sets the function that wakes the loop, and calls it at once if messages are waiting. Nil disconnects.
    public func connect(_ wake: (@Sendable () -> Void)?) {
        let isWaiting = box.withLock { box in
            box.wake = wake
            return !box.messages.isEmpty
        }
        if isWaiting { wake?() }
    }
}
