import Synchronization
public import TerminalUI

/// Drives an application by keys and waits for it to come to rest, by counting its work and never by sleeping.
///
/// ```swift
/// var driver = ProgramDriver(TerminalApp.self, state: …, size: Size(columns: 80, rows: 24), performer: …)
/// await driver.start()
/// await driver.press("s")
/// #expect(driver.screen.contains("signing in"))
/// ```
public struct ProgramDriver<App: Application> {
    public private(set) var program: Program<App>
    /// What a person sees.
    public private(set) var buffer: ScreenBuffer
    /// Whether the application has quit.
    public private(set) var hasEnded = false
    /// How often it asked to be stopped.
    public private(set) var suspensions = 0
    /// The time that ticks see; move it with ``advance(by:)``.
    public private(set) var now: ClockReading
    private let bell = Bell()

    public init(
        _ app: App.Type = App.self, state: App.State, size: Size = Size(columns: 80, rows: 24), glyphs: GlyphSet = .unicode,
        now: ClockReading = ClockReading(civilMilliseconds: 0, steady: .zero), performer: any CommandPerformer<App.Command, App.Message>
    ) {
        self.now = now
        program = Program(app, state: state, size: size, glyphs: glyphs, now: now, performer: performer)
        buffer = ScreenBuffer(size: size, glyphs: glyphs)
        program.mailbox.connect { [bell] in bell.ring() }
        program.runner.onEnd { [bell] in bell.ring() }
    }

    public var state: App.State { program.state }
    public var screen: String { buffer.text }

    /// Starts the application and waits for rest.
    public mutating func start() async {
        note(program.start())
        await settle()
    }

    public mutating func send(_ events: InputEvent...) async {
        note(program.handle(events, at: now))
        await settle()
    }

    /// Presses keys one after the other.
    public mutating func press(_ keys: Key...) async {
        for key in keys { await send(.key(key)) }
    }

    /// Presses the key of one character.
    public mutating func press(_ character: Character) async { await press(Key.character(character)) }

    /// Types a text, key by key.
    public mutating func type(_ text: String) async {
        for character in text { await press(character) }
    }

    public mutating func paste(_ text: String) async { await send(.paste(PastedText(text))) }

    public mutating func resize(columns: Int, rows: Int) async { await send(.resized(Size(columns: columns, rows: rows))) }

    /// Moves both clocks on, and ticks as often as the application wants meanwhile at most once.
    public mutating func advance(by time: Duration) async {
        now.steady += time
        let (seconds, attoseconds) = time.components
        now.civilMilliseconds += seconds * 1000 + attoseconds / 1_000_000_000_000_000
        note(program.tick(at: now))
        await settle()
    }

    /// Posts a message as a command or another source would.
    public mutating func post(_ message: App.Message) async {
        program.mailbox.post(message)
        await settle()
    }

    /// Waits until no command runs and the mailbox is empty; subscriptions do not count.
    public mutating func settle() async {
        while !hasEnded {
            // Read before the mailbox is emptied: whatever comes later rings.
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

    /// Waits for messages, of subscriptions too, until `condition` holds.
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

    private mutating func note(_ outcome: Program<App>.Outcome) {
        switch outcome {
        case .goesOn: break
        case .suspend:
            suspensions += 1
            program.forgetScreen()
        case .ends:
            hasEnded = true
            program.runner.cancelAll()
        }
    }
}
