import TerminalUI
import TestSupport
import Testing

/// A small application that counts keys, runs commands and ticks.
private enum Counter: Application {
    struct State: Equatable, Sendable {
        var count = 0
        var log: [String] = []
        var ticking: Duration?
        var theme = Theme.uncoloured
        /// The time of the last message.
        var at: Duration?
    }

    enum Message: Equatable, Sendable { case pressed(Key), sized(Size), done(Int), ticked(Duration), ended }
    enum Command: Equatable, Sendable { case load(Int), watch, drop, quit, stop }

    static func message(for event: InputEvent, in state: State) -> Message? {
        switch event {
        case .key(let key): .pressed(key)
        case .resized(let size): .sized(size)
        case .terminated: .ended
        case .paste, .mouse, .focused, .colorsChanged, .resumed: nil
        }
    }

    static func note(_ reading: ClockReading, in state: inout State) { state.at = reading.steady }

    static func update(_ state: inout State, _ message: Message) -> [Command] {
        switch message {
        case .pressed(.character("l")): return [.load(state.count), .load(state.count + 1)]
        case .pressed(.character("w")): return [.watch]
        case .pressed(.character("d")): return [.drop]
        case .pressed(.character("z")): return [.stop]
        case .pressed(.character("t")): state.ticking = .seconds(1)
        case .pressed(.character("q")), .ended: return [.quit]
        case .pressed: state.count += 1
        case .sized(let size): state.log.append("\(size.columns)x\(size.rows)")
        case .done(let number): state.log.append("done \(number)")
        case .ticked(let time): state.log.append("tick \(time.components.seconds)")
        }
        return []
    }

    static func render(_ state: State, theme: Theme, into buffer: inout ScreenBuffer) {
        buffer.write("count \(state.count)", at: .zero, style: Style(.title))
        for (row, line) in state.log.enumerated() { buffer.write(line, at: Point(column: 0, row: row + 1)) }
    }

    static func theme(in state: State) -> Theme { state.theme }
    static func title(in state: State) -> String? { state.count > 0 ? "tens: \(state.count / 10)" : nil }
    static func nextTick(in state: State) -> Duration? { state.ticking }
    static func message(forTick reading: ClockReading, in state: State) -> Message? { .ticked(reading.steady) }
    static func directive(for command: Command) -> Directive {
        switch command {
        case .load: .perform(id: nil)
        case .watch: .subscribe(id: "watch")
        case .drop: .cancel(id: "watch")
        case .quit: .quit
        case .stop: .suspend
        }
    }
}

/// Answers `load` at once; `watch` runs until it is cancelled, and then reports it.
private struct CounterPerformer: CommandPerformer {
    func perform(_ command: Counter.Command, post: @escaping @Sendable (Counter.Message) -> Void) async {
        switch command {
        case .load(let number): post(.done(number))
        case .watch:
            let (stream, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            post(.done(-1))
        case .drop, .quit, .stop: break
        }
    }
}

struct AppLoopTests {
    private let size = Size(columns: 12, rows: 6)

    private func driver() -> ProgramDriver<Counter> {
        ProgramDriver(Counter.self, state: Counter.State(), size: size, performer: CounterPerformer())
    }

    private func run(_ script: [[InputEvent]], state: Counter.State = .init()) -> (terminal: ScriptedTerminal, state: Counter.State) {
        var terminal = ScriptedTerminal(size: size, script: script)
        let clock = { ClockReading(civilMilliseconds: 0, steady: .zero) }
        var program = AppLoop(Counter.self, state: state, size: size, glyphs: .unicode, now: clock(), performer: CounterPerformer())
        let last = program.run(on: &terminal, clock: clock)
        return (terminal, last)
    }

    @Test func keysUpdateTheStateAndTheScreen() async {
        var driver = driver()
        await driver.start()
        await driver.type("abc")
        #expect(driver.screen == "count 3\n12x6\n\n\n\n")
        await driver.press("q")
        #expect(driver.hasEnded)
    }

    @Test func titleIsShownOnlyWhenItChanges() {
        let keys = [[InputEvent]](repeating: [.key(.character("a"))], count: 12)
        #expect(run(keys).terminal.titles == ["tens: 0", "tens: 1"])
        #expect(run([]).terminal.titles == [])
    }

    @Test func driverWaitsForEveryCommand() async {
        var driver = driver()
        await driver.start()
        for _ in 0..<50 { await driver.press("l") }
        #expect(driver.state.log.count == 101)
        #expect(driver.program.runner.running == 0)
    }

    @Test func subscriptionIsIdleAndEndsWhenCancelled() async {
        var driver = driver()
        await driver.start()
        await driver.press("w")
        #expect(driver.state.log == ["12x6"])
        await driver.press("d")
        await driver.settle { $0.log.contains("done -1") }
        #expect(driver.state.log == ["12x6", "done -1"])
    }

    @Test func resizeRedrawsAtOnce() async {
        var driver = driver()
        await driver.start()
        await driver.resize(columns: 1, rows: 1)
        #expect(driver.screen == "c")
    }

    @Test func ticksArriveOnlyWhenTheStateRequestsThem() async {
        var driver = driver()
        await driver.start()
        await driver.advance(by: .seconds(60))
        #expect(driver.state.log == ["12x6"])
        await driver.press("t")
        await driver.advance(by: .milliseconds(400))
        #expect(driver.state.log == ["12x6", "tick 60"], "overdue since the start, so it comes at once")
        await driver.advance(by: .milliseconds(400))
        await driver.advance(by: .milliseconds(700))
        #expect(driver.state.log == ["12x6", "tick 60", "tick 61"])
    }

    /// An application that slept without ticks still knows the current time when a key or a message arrives.
    @Test func messagesCarryTheCurrentTime() async {
        var driver = driver()
        await driver.start()
        await driver.advance(by: .seconds(50))
        #expect(driver.state.at == .zero, "nothing happened, so the program was not woken")
        await driver.press("a")
        #expect(driver.state.at == .seconds(50))
        await driver.advance(by: .seconds(10))
        await driver.post(.done(1))
        #expect(driver.state.at == .seconds(60))
    }

    @Test func idleApplicationSleepsAndDrawsNothing() {
        let (terminal, _) = run([[], [], [.key(.character("q"))]])
        #expect(terminal.waits == [nil, nil, nil])
        #expect(terminal.presented.count == 1)
    }

    @Test func onlyChangedCellsArePresented() {
        let (terminal, state) = run([[.key(.up)], [.key(.up), .key(.up)]])
        #expect(state.count == 3)
        #expect(terminal.presented.dropFirst().map { $0.runs.flatMap { $0.cells.map(\.text) } } == [["1"], ["3"]])
        #expect(terminal.screen.text.hasPrefix("count 3"))
    }

    @Test func tickingApplicationWaitsForItsTick() {
        let (terminal, state) = run([[]], state: Counter.State(ticking: .seconds(5)))
        #expect(terminal.waits == [.seconds(5), .seconds(5)])
        #expect(state.log == ["12x6"])
    }

    @Test func suspendAndResumeRedrawEverything() {
        let (terminal, _) = run([[.key(.character("z"))], [.resumed]])
        #expect(terminal.suspensions == 1)
        #expect(terminal.presented.map(\.isComplete) == [true, true, true])
    }

    @Test func messagesPostedBeforeTheStartWakeTheLoop() {
        var terminal = ScriptedTerminal(size: size, script: [[]])
        let clock = { ClockReading(civilMilliseconds: 0, steady: .zero) }
        var program = AppLoop(Counter.self, state: .init(), size: size, glyphs: .unicode, now: clock(), performer: CounterPerformer())
        program.mailbox.post(.done(1))
        program.mailbox.post(.done(2))
        let state = program.run(on: &terminal, clock: clock)
        #expect(state.log == ["12x6", "done 1", "done 2"])
        #expect(terminal.wakeCount == 1)
    }
}

struct MailboxTests {
    @Test func mailboxLosesNothingAndWakesOnlyWhenItWasEmpty() async {
        let mailbox = Mailbox<Int>()
        let terminal = ScriptedTerminal(size: .zero, script: [])
        mailbox.connect(terminal.wake)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 { group.addTask { mailbox.post(number) } }
        }
        #expect(terminal.wakeCount == 1)
        #expect(mailbox.drain().sorted() == Array(0..<1000))
        #expect(mailbox.isEmpty)
        mailbox.post(1)
        #expect(terminal.wakeCount == 2)
    }
}
