import CursesBackend
import Glibc
import TerminalUI

// A program for tests in a pseudo-terminal. It shows each event in a row of its own. These keys control it:
// - q: normal end
// - x: exit(3) while the screen is up
// - t: a trap
// - s: a segmentation fault
// - o: copies "hi"; O: copies "hi" as a secret
// - m, n: mouse on, mouse off
// - T: sets the title; N: shows a notice
// - &: changes one cell

let clipboard = Clipboard()
let term = getenv("TERM").map { String(cString: $0) } ?? ""
let notices = TerminalNotices(term: term, environment: [:])

/// One colour for titles if PROBE_COLOR is set.
let theme =
    getenv("PROBE_COLOR").flatMap { Color(hex: String(cString: $0)) }.map { color in
        Theme(name: "probe", summary: "", roles: [.title: Theme.Entry(color: ThemeColor(color))], surfaces: [:])
    } ?? .uncoloured

func describe(_ event: InputEvent) -> String {
    switch event {
    case .key(let key): "key \(key)"
    case .paste(let paste): "paste \(paste.text.count) \(paste.text.prefix(20))"
    case .mouse(let event): "mouse \(event.action) \(event.point.column),\(event.point.row)"
    case .focused(let isFocused): "focused \(isFocused)"
    case .colorsChanged(let isLight): "light \(isLight)"
    case .resized(let size): "resized \(size.columns)x\(size.rows)"
    case .resumed: "resumed"
    case .terminated: "terminated"
    }
}

func show(_ lines: [String], dots: Int, _ shown: inout ScreenBuffer?, on terminal: CursesTerminal) {
    var buffer = ScreenBuffer(size: terminal.size, glyphs: terminal.glyphs)
    if dots > 0 { buffer.write(dots % 2 == 0 ? "." : ":", at: Point(column: 40, row: 8)) }
    for (row, line) in lines.suffix(max(1, terminal.size.rows)).enumerated() {
        buffer.write("[\(line)]", at: Point(column: 0, row: row), style: Style(.title))
    }
    terminal.present(ScreenChanges(from: shown, to: buffer, theme: theme))
    shown = buffer
}

func act(on key: Key, _ terminal: CursesTerminal) {
    switch key {
    case .character("x"): exit(3)
    case .character("t"):
        let none: [Int] = []
        print(none[CommandLine.arguments.count])
    case .character("s"): raise(SIGSEGV)
    case .character("T"): terminal.show(title: "title\u{7}\u{1B}[31m")
    case .character("N"): notices.notify("notice; \u{1B}\u{7}")
    case .character("m"): terminal.useMouse(true)
    case .character("n"): terminal.useMouse(false)
    case .character("o"): _ = clipboard.copy(Array("hi".utf8))
    case .character("O"): _ = clipboard.copy(Array("hi".utf8), isSecret: true)
    default: break
    }
}

do {
    let limit: ColorDepth = getenv("NO_COLOR") == nil ? .trueColor : .mono
    let report = getenv("PROBE_REPORT").map { CursesOptions.CrashReport(path: String(cString: $0), text: "probe 1.2 crashed\n") }
    let description = getenv("PROBE_TERMINFO").map { String(cString: $0) }
    // The value is how many milliseconds to wait for an answer.
    let background = getenv("PROBE_ASK").flatMap { Int32(String(cString: $0)) }.flatMap {
        TerminalBackground.ask(term: term, environment: ["COLORTERM": "truecolor"], timeoutMilliseconds: $0)
    }
    var options = CursesOptions(
        description: description, colorLimit: limit, clipboard: clipboard, notices: notices, crashReport: report)
    options.typed = background?.typed ?? []
    try await CursesTerminal.run(options) { terminal in
        var lines = ["ready \(terminal.depth) \(terminal.glyphs)"]
        if background?.isLight == true { lines.append("light") }
        var shown: ScreenBuffer?
        // How often the "&" key was pressed.
        var dots = 0
        while true {
            show(lines, dots: dots, &shown, on: terminal)
            for event in terminal.wait(atMost: nil) {
                if event == .resumed { shown = nil }
                if event == .key(.character("q")) || event == .terminated { return }
                if event == .key(.character("&")) {
                    dots += 1
                    continue
                }
                if case .key(let key) = event { act(on: key, terminal) }
                lines.append(describe(event))
            }
        }
    }
    print("ended")
} catch let failure as CursesFailure {
    print("failure: \(failure.summary)")
    exit(9)
}
