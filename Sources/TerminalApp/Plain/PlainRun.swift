public import AuthModel
import Localization
import TerminalUI

/// The running plain-prompt mode: the same state and update function as the full screen, with lines instead of cells and keys.
struct PlainRun {
    private enum Event: Sendable {
        case mail
        case line(String?)
        case secret(Secret?)
        case interrupted(PlainStreams.Interruption)
        case tick
    }

    private var program: AppLoop<TerminalAppRoot>
    private let streams: PlainStreams
    private let time: any TimeSource
    private var last: PlainPage?
    /// Whether a line is being read.
    private var isAsking = false
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init(_ program: AppLoop<TerminalAppRoot>, streams: PlainStreams, time: any TimeSource) {
        self.program = program
        self.streams = streams
        self.time = time
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// Runs until the user quits, and returns the last state.
    mutating func run() async -> AppState {
        let (streams, continuation) = (self.streams, self.continuation)
        program.mailbox.connect { continuation.yield(.mail) }
        let watch = Task { for await interruption in streams.interruptions() { continuation.yield(.interrupted(interruption)) } }
        var reader: Task<Void, Never>?
        var ticker: Task<Void, Never>?
        defer {
            program.mailbox.connect(nil)
            program.runner.cancelAll()
            for task in [watch, reader, ticker] { task?.cancel() }
        }
        var outcome = program.start()
        streams.say(wrapped(tr("Plain prompts: type a number or the name of a key, then Enter. ? shows all keys, q quits.")))
        var iterator = events.makeAsyncIterator()
        while outcome != .ends {
            if isReady { show() }
            if isReady, !isAsking, !program.state.current.screen.isBusy { reader = ask() }
            if ticker == nil, let wait = program.untilTick(at: ClockReading(time)) { ticker = tick(after: wait) }
            guard let event = await iterator.next() else { break }
            if case .tick = event { ticker = nil }
            outcome = handle(event)
        }
        // The cursor is still after the question.
        if isAsking { streams.say([""]) }
        return program.state
    }

    /// Whether the session service has answered; before that, the question is unknown.
    private var isReady: Bool { program.state.model.providers != nil || !program.state.opened.isEmpty }

    private mutating func handle(_ event: Event) -> AppLoop<TerminalAppRoot>.Outcome {
        switch event {
        case .mail: return handleMail()
        case .tick: return program.tick(at: ClockReading(time))
        case .interrupted(.interrupt): return program.handle([.key(.control("c"))], at: ClockReading(time))
        case .interrupted(.end), .line(nil): return program.handle([.terminated], at: ClockReading(time))
        case .line(let line?):
            isAsking = false
            return answer(line)
        case .secret(let secret):
            isAsking = false
            return answer(secret)
        }
    }

    private mutating func answer(_ line: String) -> AppLoop<TerminalAppRoot>.Outcome {
        let page = PlainPage(program.state)
        switch PlainLine(line, on: page) {
        case .messages(let messages):
            // An answer repeats the whole page.
            last = nil
            return send([.ticked(time.now), .resized(PlainPage.size(columns: streams.columns()))] + messages)
        case .unknown(let advice):
            streams.say(wrapped(advice))
            return .running
        }
    }

    private mutating func answer(_ secret: Secret?) -> AppLoop<TerminalAppRoot>.Outcome {
        guard case .field(let field) = PlainPage(program.state).prompt, field.kind == .secret else {
            streams.say(wrapped(tr("this input is no longer needed")))
            return .running
        }
        last = nil
        guard let secret else { return send([.keyPressed(.escape)]) }
        return send([.keyPressed(.control("u")), .textPasted(PastedText(secret.reveal())), .keyPressed(.enter)])
    }

    private mutating func send(_ messages: [Message]) -> AppLoop<TerminalAppRoot>.Outcome {
        for message in messages { program.mailbox.post(message) }
        return handleMail()
    }

    // MARK: Output

    /// Writes the whole page if it is a new one, else its new lines. A line in which only numbers change is not new.
    private mutating func show() {
        let page = PlainPage(program.state)
        defer { last = page }
        guard let last, last.title == page.title else {
            let notice = page.notice.map { [""] + wrapped($0) } ?? []
            return streams.say([""] + wrapped(page.title) + [""] + page.lines + notice + [""] + wrapped(Self.keys(of: page)))
        }
        let known = Set(last.lines.map(Self.withoutNumbers))
        var news = page.lines.filter { !$0.isEmpty && !known.contains(Self.withoutNumbers($0)) }
        if let notice = page.notice, last.notice.map(Self.withoutNumbers) != Self.withoutNumbers(notice) { news += wrapped(notice) }
        guard !news.isEmpty || page.prompt != last.prompt else { return }
        streams.say(news)
        if isAsking { streams.ask(Self.question(page.prompt)) }
    }

    /// Wraps the text between words if the width is known. A text with a longer URL is not wrapped, so that it can be copied.
    private func wrapped(_ text: String) -> [String] {
        guard let columns = streams.columns(), text.split(separator: " ").allSatisfy({ $0.count <= columns }) else { return [text] }
        return WrappedText(text, columns: columns).texts
    }

    private static func withoutNumbers(_ line: String) -> String { line.filter { !$0.isNumber && !$0.isWhitespace } }

    private static func keys(of page: PlainPage) -> String {
        PlainWords.keys(page.keys.map { "\($0.name) \($0.label)" }.joined(separator: ", "))
    }

    static func question(_ prompt: PlainPage.Prompt) -> String {
        switch prompt {
        case .choice: ">"
        case .filter: tr("number, or search words") + ">"
        case .field(let field):
            switch field.kind {
            case .text(let current): field.label + (current.isEmpty ? "" : " [\(current)]") + ":"
            case .secret: field.label + ":"
            case .choice(let options, let selected):
                "\(field.label) (\(options.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: ", "))) [\(selected + 1)]:"
            }
        }
    }

    // MARK: Input

    private mutating func ask() -> Task<Void, Never> {
        isAsking = true
        let prompt = PlainPage(program.state).prompt
        let (streams, continuation) = (self.streams, self.continuation)
        if case .field(let field) = prompt {
            streams.say([field.problem.map(Words.sentence), field.help].compactMap(\.self))
        }
        let question = Self.question(prompt)
        if case .field(let field) = prompt, field.kind == .secret {
            return Task {
                let secret = await streams.hiddenLine { streams.ask(question) }
                continuation.yield(.secret(secret))
            }
        }
        streams.ask(question)
        return Task {
            let line = await streams.line()
            continuation.yield(.line(line))
        }
    }

    private func tick(after wait: Duration) -> Task<Void, Never> {
        let (time, continuation) = (self.time, self.continuation)
        return Task {
            try? await time.sleep(until: time.bootTime + wait)
            if !Task.isCancelled { continuation.yield(.tick) }
        }
    }

    private mutating func handleMail() -> AppLoop<TerminalAppRoot>.Outcome {
        let time = self.time
        return program.handleMail { ClockReading(time) }
    }
}

/// The input and output of the plain-prompt mode, line by line.
public struct PlainStreams: Sendable {
    /// An event that ends the app or its current action.
    public enum Interruption: Sendable {
        /// Ctrl-C.
        case interrupt
        /// The terminal has hung up, or the system asks the program to end.
        case end
    }

    /// Writes lines.
    public var say: @Sendable ([String]) -> Void
    /// Writes a question, without a line end.
    public var ask: @Sendable (String) -> Void
    /// Reads the next line; nil at the end of the input, or if the task is cancelled.
    public var line: @Sendable () async -> String?
    /// Reads the next line without showing it. `ask` writes the question, and is called once the echo is off.
    public var hiddenLine: @Sendable (_ ask: @Sendable () -> Void) async -> Secret?
    /// Returns a stream of interruptions.
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// Returns the current width in columns; nil if the output is not a terminal.
    public var columns: @Sendable () -> Int?

    /// Creates streams; by default the output is not a terminal.
    public init(
        say: @escaping @Sendable ([String]) -> Void, ask: @escaping @Sendable (String) -> Void,
        line: @escaping @Sendable () async -> String?, hiddenLine: @escaping @Sendable (_ ask: @Sendable () -> Void) async -> Secret?,
        interruptions: @escaping @Sendable () -> AsyncStream<Interruption>, columns: @escaping @Sendable () -> Int? = { nil }
    ) {
        self.say = say
        self.ask = ask
        self.line = line
        self.hiddenLine = hiddenLine
        self.interruptions = interruptions
        self.columns = columns
    }
}

/// The texts that only the plain-prompt mode uses; it shares all others with the screens.
package enum PlainWords {
    package static func keys(_ keys: String) -> String { tr("Keys: {1}", keys) }
    package static func number(_ count: Int) -> String { tr("type a number from 1 to {1}, or the name of a key", count) }
    package static var seen: String { tr("the input was visible and was not accepted: type it again") }
    package static var noReveal: String { tr("text shown here cannot be masked again: use yett token") }
}
