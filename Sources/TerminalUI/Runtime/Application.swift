/// A terminal application: a state, its messages and its commands.
///
/// Every function is pure. The runtime owns the state, runs the commands elsewhere, and posts their results as messages.
public protocol Application {
    /// The whole state; equal states draw the same screen.
    associatedtype State: Equatable & Sendable
    /// An event that the application handles.
    associatedtype Message: Equatable & Sendable
    /// A side effect for the runtime to run.
    associatedtype Command: Equatable & Sendable

    /// Returns the message for a terminal event; nil if the event has no meaning.
    static func message(for event: InputEvent, in state: State) -> Message?

    /// Returns the commands to run when the application starts.
    static func start(_ state: State) -> [Command]

    /// Tells the state the current time before a message is handled. Without ticks, the state would otherwise use the time of the last one.
    static func note(_ reading: ClockReading, in state: inout State)

    /// Applies a message to the state, and returns the commands to run.
    static func update(_ state: inout State, _ message: Message) -> [Command]

    /// Draws the state. It must draw something at every size.
    static func render(_ state: State, theme: Theme, into buffer: inout ScreenBuffer)

    /// Returns the theme to draw with.
    static func theme(in state: State) -> Theme

    /// Returns the title of the terminal's window; nil leaves it as it is.
    static func title(in state: State) -> String?

    /// Returns whether the application wants mouse events.
    static func usesMouse(in state: State) -> Bool

    /// Returns the maximum time from the last tick (or the start) to the next one; nil waits for other events. If the time is already over,
    /// the tick comes at once.
    static func nextTick(in state: State) -> Duration?

    /// Returns the message for a tick.
    static func message(forTick reading: ClockReading, in state: State) -> Message?

    /// Returns how the runtime handles a command.
    static func directive(for command: Command) -> Directive
}

extension Application {
    /// Returns no commands.
    public static func start(_ state: State) -> [Command] { [] }
    /// Ignores the time.
    public static func note(_ reading: ClockReading, in state: inout State) {}
    /// Returns nil: no title.
    public static func title(in state: State) -> String? { nil }
    /// Returns false: no mouse events.
    public static func usesMouse(in state: State) -> Bool { false }
    /// Returns nil: no ticks.
    public static func nextTick(in state: State) -> Duration? { nil }
    /// Returns nil: ticks have no meaning.
    public static func message(forTick reading: ClockReading, in state: State) -> Message? { nil }
    /// Returns a directive to perform the command without an id.
    public static func directive(for command: Command) -> Directive { .perform(id: nil) }
}

/// The runtime's handling of a command.
public enum Directive: Hashable, Sendable {
    /// Performs the command in a new task. A command with an `id` cancels the task that runs under the same id.
    case perform(id: String?)
    /// Performs the command like ``perform(id:)``, but as a subscription that lasts as long as the application, such as a watch: it does
    /// not count as running.
    case subscribe(id: String)
    /// Cancels the task that runs under this id.
    case cancel(id: String)
    /// Stops the process, as Ctrl-Z does in a shell.
    case suspend
    /// Ends the loop.
    case quit
}

/// Performs commands: the only asynchronous part of an application.
public protocol CommandPerformer<Command, Message>: Sendable {
    /// The application's commands.
    associatedtype Command: Equatable & Sendable
    /// The application's messages.
    associatedtype Message: Equatable & Sendable

    /// Performs one command to its end, and posts messages on the way. It runs in a task that is cancelled when the application ends or
    /// asks for it. Messages posted after that are still delivered, so the state must be able to ignore them.
    func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async
}

/// The terminal interface that the runtime uses. It belongs to one thread.
public protocol Terminal {
    /// The current size.
    var size: Size { get }
    /// The glyphs that it can show.
    var glyphs: GlyphSet { get }
    /// Makes ``wait(atMost:)`` return; may be called from any thread. A wake between two waits ends the next one.
    var wake: @Sendable () -> Void { get }

    /// Waits for events, a wake, or until `limit` has passed. Nil waits without a limit.
    mutating func wait(atMost limit: Duration?) -> [InputEvent]

    /// Shows the changes.
    mutating func present(_ changes: ScreenChanges)

    /// Sets the title of the terminal's window; does nothing without one.
    mutating func show(title: String)

    /// Turns mouse events on or off; does nothing without a mouse.
    mutating func useMouse(_ isWanted: Bool)

    /// Stops the process, as Ctrl-Z does in a shell; returns when it continues. Does nothing where that is impossible.
    mutating func stop()
}

extension Terminal {
    /// Does nothing, for terminals without a title.
    public mutating func show(title: String) {}
    /// Does nothing, for terminals without a mouse.
    public mutating func useMouse(_ isWanted: Bool) {}
}

/// The current time, passed in by the runtime.
public struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, for display.
    public var civilMilliseconds: Int64
    /// Monotonic time from any origin, for measuring.
    public var steady: Duration

    /// Creates a reading of both clocks.
    public init(civilMilliseconds: Int64, steady: Duration) {
        self.civilMilliseconds = civilMilliseconds
        self.steady = steady
    }
}
