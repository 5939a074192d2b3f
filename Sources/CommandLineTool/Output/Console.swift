internal import AuthModel
internal import Localization
internal import OperatingSystem
internal import TerminalUI

/// The only place where a command writes its output; sanitises all text.
struct Console: Sendable {
    private var streams: Streams
    /// Whether the locale supports more than ASCII.
    let showsUnicode: Bool
    /// Returns the terminal for diagnostics, whose colours warnings and errors have; `nil` without one.
    private var diagnosticsDisplay: @Sendable () -> Display? = { nil }

    init(streams: Streams, environment: [String: String]) {
        self.streams = streams
        showsUnicode = Self.isUTF8(environment)
    }

    /// Returns a console whose diagnostics are written in another way.
    func writing(_ write: @escaping @Sendable ([UInt8]) -> Void) -> Console { Console(self, write) }

    /// Returns a console whose warnings and errors have the colours of a terminal.
    func coloring(_ display: @escaping @Sendable () -> Display?) -> Console {
        var console = self
        console.diagnosticsDisplay = display
        return console
    }

    private init(_ other: Console, _ write: @escaping @Sendable ([UInt8]) -> Void) {
        self = other
        let writeAnswer = other.streams.write
        streams.write = { (output, bytes) throws(SystemError) in
            guard output == .diagnostics else { return try writeAnswer(output, bytes) }
            write(bytes)
        }
    }

    /// Returns whether the locale is UTF-8 by the POSIX rule: `LC_ALL`, else `LC_CTYPE`, else `LANG`; an empty variable counts as not set.
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let codeset = locale.uppercased()
        return codeset.contains("UTF-8") || codeset.contains("UTF8")
    }

    // MARK: Standard output

    var isAnswerTerminal: Bool { streams.isAnswerTerminal }

    /// Writes a command's result.
    func answer(_ answer: some Answer, asJSON: Bool) throws(OutputError) {
        if asJSON {
            try write(.answer, Array((answer.json.text + "\n").utf8))
        } else {
            try lines(answer.lines)
        }
    }

    /// Writes lines for the user.
    func lines(_ lines: [String]) throws(OutputError) {
        guard !lines.isEmpty else { return }
        try write(.answer, Array((lines.map { printable($0) }.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes text of the program itself that contains line breaks, such as its help.
    func page(_ text: String) throws(OutputError) {
        try lines(Self.lines(of: text))
    }

    /// Writes lines for a terminal, with its colours and links.
    func show(_ lines: [StyledText], on display: Display) throws(OutputError) {
        guard !lines.isEmpty else { return }
        try write(.answer, Array(lines.map { rendered($0, on: display) + "\n" }.joined().utf8))
    }

    /// Returns a line with the escape sequences of its styles and links around its safe text.
    func rendered(_ line: StyledText, on display: Display) -> String {
        line.parts.map { part in
            let sequence = part.colors ?? display.paint[part.role]
            let text = sequence.isEmpty ? printable(part.text) : sequence + printable(part.text) + "\u{1B}[0m"
            guard display.showsLinks, let link = part.link else { return text }
            return "\u{1B}]8;;\(link.text)\u{1B}\\" + text + "\u{1B}]8;;\u{1B}\\"
        }.joined()
    }

    /// Writes lines with escape sequences of the program's own around them.
    func styledLines(_ lines: [(text: String, style: String)]) throws(OutputError) {
        let text = lines.map { $0.style.isEmpty ? printable($0.text) : $0.style + printable($0.text) + "\u{1B}[0m" }
        try write(.answer, Array((text.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes a requested secret and a line break.
    func secret(_ secret: Secret) throws(OutputError) {
        var bytes: [UInt8] = []
        secret.withBytes { bytes += $0 }
        bytes.append(UInt8(ascii: "\n"))
        try write(.answer, bytes)
    }

    /// Writes a resource's response body: unchanged if standard output is not a terminal, as sanitised text otherwise.
    func content(_ bytes: [UInt8]) throws(OutputError) {
        guard streams.isAnswerTerminal else { return try write(.answer, bytes) }
        var lines = Self.lines(of: String(decoding: bytes, as: UTF8.self))
        if lines.last == "" { lines.removeLast() }
        try write(.answer, Array(lines.map { printable($0, limit: .max) + "\n" }.joined().utf8))
    }

    /// Splits text at LF and CR LF; Swift treats "\r\n" as one character, different from "\n".
    private static func lines(of text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }

    private func write(_ output: Streams.Output, _ bytes: [UInt8]) throws(OutputError) {
        do throws(SystemError) {
            try streams.write(output, bytes)
        } catch {
            throw OutputError(error)
        }
    }

    // MARK: Standard error

    /// Writes a progress line; on a terminal, in rows that are broken at spaces and begin where the first one does.
    func note(_ text: String) {
        guard let display = diagnosticsDisplay() else { return diagnose(text) }
        note(StyledText(text), indent: Display.indent(of: text), on: display)
    }

    func note(_ message: UserMessage) { note(message.english) }

    func warning(_ message: UserMessage) { warning(message.english) }

    func warning(_ text: String) { diagnose("warning", .warning, text) }

    func hint(_ text: String) { diagnose("hint", .info, text) }

    /// Writes a progress line, and what the user can do next.
    func note(_ text: String, hint: String) {
        note(text)
        self.hint(hint)
    }

    /// Writes a warning, and what the user can do next if that is known.
    func warning(_ text: String, hint: String?) {
        warning(text)
        if let hint { self.hint(hint) }
    }

    /// Writes that a command has done what it was asked for.
    func done(_ text: String) {
        guard let display = diagnosticsDisplay() else { return diagnose(text) }
        for row in display.marked(display.good, text) { note(row, on: display) }
    }

    /// Writes a command for the user to copy.
    func command(_ text: String) {
        guard let display = diagnosticsDisplay() else { return diagnose("  " + text) }
        note(StyledText("  ") + .command(text), on: display)
    }

    /// Writes JSON for a program that reads standard error.
    func object(_ value: JSONValue) { diagnose(value.text) }

    func failure(_ failure: AuthFailure) {
        diagnose("error", .danger, failure.summary)
        if let hint = failure.hintText { self.hint(hint) }
    }

    /// Writes a message after the word for its kind, on a terminal in the role's colour.
    private func diagnose(_ kind: String, _ role: Role, _ text: String) {
        guard let display = diagnosticsDisplay() else { return diagnose("yett: \(kind): " + text) }
        let head = StyledText("yett: ", .muted) + StyledText("\(kind):", role) + StyledText(" ")
        note(head + .hint(text, columns: display.columns - head.width), indent: head.width, on: display)
    }

    /// Writes a question and leaves the cursor after it.
    func ask(_ question: String) {
        guard let display = diagnosticsDisplay() else { return write(question + " ") }
        let rows = StyledText(question).folded(to: display.columns - 1)
        control(rows.map { rendered($0, on: display) }.joined(separator: "\n") + " ")
    }

    /// Writes a text in place of the last line on standard error, if that is a terminal and results go elsewhere.
    func overwrite(_ text: String, clearing columns: Int) {
        guard streams.isDiagnosticsTerminal, !streams.isAnswerTerminal else { return }
        let blank = String(repeating: " ", count: max(0, columns - text.utf8.count))
        try? streams.write(.diagnostics, Array("\r\(printable(text))\(blank)\r\(text.isEmpty ? "" : printable(text))".utf8))
    }

    /// Writes a line to standard error in place of the cursor's line, and leaves the cursor behind it.
    func rewrite(_ line: StyledText, on display: Display) { control("\r\u{1B}[K" + rendered(line, on: display)) }

    /// Erases the line above the cursor on standard error.
    func eraseLineAbove() { control("\u{1B}[A\r\u{1B}[J") }

    /// Writes a line to standard error with its styles and links.
    func note(_ line: StyledText, on display: Display) { control(rendered(line, on: display) + "\n") }

    /// Writes a line to standard error in as many rows as it needs.
    ///
    /// - Parameter indent: where the rows after the first begin.
    func note(_ line: StyledText, indent: Int, on display: Display) {
        for row in line.folded(to: display.columns, indent: indent) { note(row, on: display) }
    }

    private func control(_ text: String) { try? streams.write(.diagnostics, Array(text.utf8)) }

    /// Writes a line to standard error. Ignores errors, because there is nowhere left to report them.
    private func diagnose(_ line: String) { write(line + "\n") }

    private func write(_ text: String) {
        let hasEnd = text.last == "\n"
        let line = printable(hasEnd ? String(text.dropLast()) : text) + (hasEnd ? "\n" : "")
        try? streams.write(.diagnostics, Array(line.utf8))
    }

    /// Returns text that is safe to print on a terminal.
    func printable(_ text: String, limit: Int = SafeText.defaultLimit) -> String {
        let safe = SafeText.line(text, limit: limit)
        guard !showsUnicode, !safe.utf8.allSatisfy({ $0 < 0x80 }) else { return safe }
        return String(String.UnicodeScalarView(safe.unicodeScalars.map { $0.isASCII ? $0 : Self.ascii($0) }))
    }

    private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "–", "—", "·", "─": "-"
        case "…": "."
        case "’", "‘": "'"
        default: "?"
        }
    }
}

/// An error while writing a result.
struct OutputError: Error, Equatable {
    /// Whether the reader closed the pipe, which needs no message.
    let isBrokenPipe: Bool
    let reason: String

    init(_ error: SystemError) {
        isBrokenPipe = error.isBrokenPipe
        reason = error.isClosed ? "it is closed" : error.text
    }

    var failure: AuthFailure {
        AuthFailure(.bug, text: "cannot write to standard output: \(reason)", hint: "check the file or pipe that it goes to")
    }
}
