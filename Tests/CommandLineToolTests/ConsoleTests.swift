import AuthModel
import Synchronization
import OperatingSystem
import Testing

@testable import CommandLineTool

/// How a console writes bytes and lines.
struct ConsoleTests {
    private func printed(
        toTerminal: Bool = true, locale: String = "en_GB.UTF-8", _ body: (Console) throws -> Void
    ) rethrows -> String {
        let written = Mutex<[UInt8]>([])
        let streams = Streams(
            isInputTerminal: false, isAnswerTerminal: toTerminal, isDiagnosticsTerminal: false,
            write: { (_, bytes) throws(SystemError) in written.withLock { $0 += bytes } }, line: { nil }, hiddenLine: { _ in nil })
        try body(Console(streams: streams, environment: ["LANG": locale]))
        return String(decoding: written.withLock(\.self), as: UTF8.self)
    }

    @Test(arguments: ["one\ntwo", "one\r\ntwo", "one\r\ntwo\r\n", "one\ntwo\n"])
    func contentKeepsItsLinesWithAnyLineEnding(content: String) throws {
        #expect(try printed { try $0.content(Array(content.utf8)) } == "one\ntwo\n")
    }

    @Test func longContentIsNotTruncated() throws {
        let long = String(repeating: "0123456789", count: 5_000)
        #expect(try printed { try $0.content(Array(long.utf8)) } == long + "\n")
    }

    @Test func controlCharactersAreReplacedOnATerminal() throws {
        let shown = try printed { try $0.content(Array("\u{1B}]0;owned\u{7}\rfine".utf8)) }
        #expect(shown == "\u{FFFD}]0;owned\u{FFFD}\u{FFFD}fine\n")
    }

    @Test func contentForAProgramIsUnchanged() throws {
        let bytes = Array("\u{1B}[31m\r\n\r\n".utf8)
        #expect(try Array(printed(toTerminal: false) { try $0.content(bytes) }.utf8) == bytes)
    }

    @Test func linesInAPlainLocaleAreASCII() throws {
        #expect(try printed(locale: "C") { try $0.lines(["a – b…", "plain", "Zoë"]) } == "a - b.\nplain\nZo?\n")
    }
}
