import OperatingSystem
import Synchronization
import Testing

@testable import CommandLineTool

/// How a response is printed while it arrives.
@Suite struct ContentPrinterTests {
    /// Returns what a terminal shows of a text that arrives in pieces, and the number of searched bytes.
    private func shown(_ text: String, by size: Int) throws -> (text: String, steps: Int) {
        let written = Mutex<[UInt8]>([])
        let streams = Streams(
            isInputTerminal: false, isAnswerTerminal: true, isDiagnosticsTerminal: false,
            write: { (_, bytes) throws(SystemError) in written.withLock { $0 += bytes } }, line: { nil }, hiddenLine: { _ in nil })
        var printer = ContentPrinter(Console(streams: streams, environment: ["LANG": "en_GB.UTF-8"]))
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try printer.write(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        try printer.end()
        return (String(decoding: written.withLock(\.self), as: UTF8.self), printer.stepCount)
    }

    @Test(arguments: [1, 2, 3, 1000]) func linesAreWholeWhateverThePieces(size: Int) throws {
        #expect(try shown("one\ntwo\n\nZo\u{EB}\nlast", by: size).text == "one\ntwo\n\nZo\u{EB}\nlast\n")
    }

    /// Each byte is searched once, also if each arrives alone.
    @Test(arguments: [10_000, 20_000, 40_000]) func workGrowsWithTheBytes(count: Int) throws {
        let line = String(repeating: "a", count: count)
        let (text, steps) = try shown(line, by: 1)
        #expect(text == line + "\n")
        #expect(steps == count)
    }
}
