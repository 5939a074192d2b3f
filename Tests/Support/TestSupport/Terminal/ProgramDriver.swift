import Synchronization
public import TerminalUI

/// Drives an application with keys and waits until it is idle, by counting its work and never by sleeping.
///
/// ```swift
/// var driver = ProgramDriver(TerminalApp.self, state: …, size: Size(columns: 80, rows: 24), performer: …)
/// await driver.start()
/// await driver.press("s")
/// #expect(driver.screen.contains("signing in"))
/// ```
public struct ProgramDriver<App: Application> {
    /// The program that runs the application.
    public private(set) var program: AppLoop<App>
    /// The screen that a user sees.
    public private(set) var buffer: ScreenBuffer
    /// Whether the application has quit.
    public private(set) var hasEnded = false
    /// How often the application asked to be suspended.
    public private(set) var suspensions = 0
    /// The application's time; change it with ``advance(by:)``.
    public private(set) var now: ClockReading
    private let bell = Bell()

    /// Creates a driver for an application. The application does not run before ``start()``.
    public init(
        _ app: App.Type = App.self, state: App.State, size: Size = Size(columns: 80, rows: 24), glyphs: GlyphSet = .unicode,
        now: ClockReading = ClockReading(civilMilliseconds: 0, steady: .zero), performer: any CommandPerformer<App.Command, App.Message>
    ) {
        self.now = now
        program = AppLoop(app, state: state, size: size, glyphs: glyphs, now: now, performer: performer)
        buffer = ScreenBuffer(size: size, glyphs: glyphs)
        program.mailbox.connect { [bell] in bell.ring() }
        program.runner.onEnd { [bell] in bell.ring() }
    }

    /// The application's state.
    public var state: App.State { program.state }
    /// The screen's text.
    public var screen: String { buffer.text }

    /// Starts the application and waits until it is idle.
    public mutating func start() async {
        note(program.start())
        await settle()
    }

    /// Sends events and waits until the application is idle.
    public mutating func send(_ events: InputEvent...) async {
        note(program.handle(events, at: now))
        await settle()
    }

    /// Presses keys, one after another.
    public mutating func press(_ keys: Key...) async {
        for key in keys { await send(.key(key)) }
    }

    /// Presses the key of one character.
    public mutating func press(_ character: Character) async { await press(Key.character(character)) }

    /// Types a text, key by key.
    public mutating func type(_ text: String) async {
        for character in text { await press(character) }
    }

    /// Pastes a text.
    public mutating func paste(_ text: String) async { await send(.paste(PastedText(text))) }

    /// Changes the size of the terminal.
    public mutating func resize(columns: Int, rows: Int) async { await send(.resized(Size(columns: columns, rows: rows))) }

    /// Advances both clocks and ticks at most once, if the application wants ticks.
    public mutating func advance(by time: Duration) async {
        now.steady += time
        let (seconds, attoseconds) = time.components
        now.civilMilliseconds += seconds * 1000 + attoseconds / 1_000_000_000_000_000
        note(program.tick(at: now))
        await settle()
    }

    /// Posts a message as a command or another source does.
    public mutating func post(_ message: App.Message) async {
        program.mailbox.post(message)
        await settle()
    }

    /// Waits until no command runs and the mailbox is empty; subscriptions may still run.
    public mutating func settle() async {
        while !hasEnded {
            // Read before the mailbox is emptied, so that each later message changes the count.
            let seen = bell.rings
            note(program.handleMail { [now] in now })
            if !program.mailbox.isEmpty { continue }
            if program.runner.running == 0 {
                if program.mailbox.isEmpty { break }
                continue
            }
            await bell.wait(after: seen)
        }
        draw()
    }

    /// Handles messages, also those of subscriptions, until `condition` holds.
    public mutating func settle(until condition: (App.State) -> Bool) async {
        while !hasEnded {
            let seen = bell.rings
            note(program.handleMail { [now] in now })
            if condition(program.state) { break }
            await bell.wait(after: seen)
        }
        await settle()
    }

    private mutating func draw() {
        if let changes = program.draw() { buffer.apply(changes) }
    }

    private mutating func note(_ outcome: AppLoop<App>.Outcome) {
        switch outcome {
        case .running: break
        case .suspend:
            suspensions += 1
            program.forgetScreen()
        case .ends:
            hasEnded = true
            program.runner.cancelAll()
        }
    }
}
