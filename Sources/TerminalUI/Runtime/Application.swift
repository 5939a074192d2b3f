/// A terminal application: a state, what can happen to it, and what it wants done.
///
/// Every function is pure. The runtime owns the state, performs commands elsewhere, and brings what comes of them back as messages.
public protocol Application {
    associatedtype State: Equatable & Sendable
    /// What happened.
    associatedtype Message: Equatable & Sendable
    /// What should be done outside.
    associatedtype Command: Equatable & Sendable

    /// What an event of the terminal means; nil when it means nothing.
    static func message(for event: InputEvent, in state: State) -> Message?

    /// The commands to give when the application starts.
    static func start(_ state: State) -> [Command]

    /// Tells the state what time it is, before a message is taken: whoever slept without ticks would reckon with the time of the last one.
    static func note(_ reading: ClockReading, in state: inout State)

    /// Takes the state to the next one.
    static func update(_ state: inout State, _ message: Message) -> [Command]

    /// Draws the state. It must draw something at every size.
    static func render(_ state: State, theme: Theme, into buffer: inout ScreenBuffer)

    /// The theme to draw with.
    static func theme(in state: State) -> Theme

    /// Whether the application wants to know of the mouse.
    static func usesMouse(in state: State) -> Bool

    /// How long after the last tick (or the start) the next one is wanted at the latest; nil sleeps until something happens.
    /// When the time is over already, the tick comes at once.
    static func nextTick(in state: State) -> Duration?

    /// The message of a tick.
    static func message(forTick reading: ClockReading, in state: State) -> Message?

    /// What the runtime does with a command.
    static func directive(for command: Command) -> Directive
}

extension Application {
    public static func start(_ state: State) -> [Command] { [] }
    public static func note(_ reading: ClockReading, in state: inout State) {}
    public static func usesMouse(in state: State) -> Bool { false }
    public static func nextTick(in state: State) -> Duration? { nil }
    public static func message(forTick reading: ClockReading, in state: State) -> Message? { nil }
    public static func directive(for command: Command) -> Directive { .perform(id: nil) }
}
