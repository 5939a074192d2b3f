import TerminalUI
import Synchronization
import Testing

@testable import CursesBackend

struct KeyDecoderTests {
    private func items(_ text: String) -> [KeyDecoder.Item] { text.unicodeScalars.map { .character($0.value) } }

    @Test func terminalReplyInPiecesIsDiscardedToItsEnd() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{1B}[12;4")) == [])
        #expect(decoder.decode(items("0Rx")) == [.key(.character("x"))])
        #expect(decoder.decode(items("\u{1B}]10;rgb:q")) == [])
        #expect(decoder.decode(items("q/q\u{1B}\\y")) == [.key(.character("y"))])
        #expect(decoder.decode(items("\u{1B}P" + String(repeating: "q", count: 10_000) + "\u{1B}\\z")) == [.key(.character("z"))])
    }

    /// A program that crashed may leave the terminal in the mode of the kitty keyboard protocol, where Esc is no longer one byte.
    @Test(arguments: [
        ("27u", Key.escape), ("27;1u", .escape), ("27;129u", .escape), ("13u", .enter), ("9;2u", .backTab), ("127u", .backspace),
        ("99;5u", .control("c")), ("67;6u", .control("c")), ("97;3u", .alt("a")), ("97;2u", .character("A")), ("97:65;2u", .character("A")),
        ("49:33;2u", .character("!")), ("228u", .character("ä")), ("97;1:1u", .character("a")), ("97;;97u", .character("a")),
        ("57419u", .up), ("57400u", .character("1")), ("27;5;99~", .control("c")), ("27;2;13~", Key(.enter, .shift)),
    ])
    func keysThatAreReportedByNumberAreDecoded(sequence: String, key: Key) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{1B}[\(sequence)x")) == [.key(key), .key(.character("x"))])
        #expect(decoder.decode(items("\u{1B}[\(sequence.prefix(1))")) == [])
        #expect(decoder.decode(items(String(sequence.dropFirst()))) == [.key(key)], "in two pieces")
    }

    @Test(arguments: [
        "97;1:3u", "97;9u", "7u", "155u", "57358u", "?1u", "u", ";u", "99999999u", "1114112u", "55296u", "27;5~", "26;5;99~",
        String(repeating: "1;", count: 100) + "u",
    ])
    func otherNumberedSequencesAreIgnored(sequence: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{1B}[\(sequence)y")) == [.key(.character("y"))])
    }

    @Test(arguments: [
        ("I", InputEvent.focused(true)), ("O", .focused(false)), ("?997;1n", .colorsChanged(isLight: false)),
        ("?997;2n", .colorsChanged(isLight: true)),
    ])
    func reportsOfModesAreDecoded(report: String, event: InputEvent) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{1B}[\(report)x")) == [event, .key(.character("x"))])
        #expect(decoder.decode(items("\u{1B}[?997;3n\u{1B}[?996n\u{1B}[1Iy")) == [.key(.character("y"))])
    }

    @Test func escapeAloneAndAltAreKeys() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{1B}")) == [.key(.escape)])
        #expect(decoder.decode(items("\u{1B}\u{1B}")) == [.key(.escape), .key(.escape)])
        #expect(decoder.decode(items("\u{1B}b")) == [.key(.alt("b"))])
        #expect(decoder.decode(items("\u{1B}[")) == [.key(.alt("["))])
    }

    @Test func eightBitControlCharactersAreNotKeys() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(items("\u{85}\u{9B}31mx\u{9D}52;c;q\u{9C}y")) == [.key(.character("x")), .key(.character("y"))])
    }

    @Test(arguments: [
        ("0;1;1M", MouseEvent(.pressed, at: .zero)), ("0;300;100M", MouseEvent(.pressed, at: Point(column: 299, row: 99))),
        ("64;5;7M", MouseEvent(.wheelUp, at: Point(column: 4, row: 6))), ("65;5;7M", MouseEvent(.wheelDown, at: Point(column: 4, row: 6))),
        ("4;2;2M", MouseEvent(.pressed, at: Point(column: 1, row: 1))),
    ])
    func sgrMouseReportsAreDecoded(report: String, event: MouseEvent) {
        var decoder = KeyDecoder()
        #expect(decoder.decode([.key(16)] + items(report + "x")) == [.mouse(event), .key(.character("x"))])
        #expect(decoder.decode([.key(16)] + items(String(report.prefix(3)))) == [])
        #expect(decoder.decode(items(String(report.dropFirst(3)))) == [.mouse(event)], "in two pieces")
    }

    @Test(arguments: ["0;1;1m", "2;1;1M", "32;1;1M", "0;0;1M", "0;1M", "0;1;1;1M", ";;M", "M", "0;9999999;1M"])
    func otherMouseReportsAreIgnored(report: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode([.key(16)] + items(report + "x")) == [.key(.character("x"))])
    }

    /// An invalid mouse report produces keys only from the point where it becomes invalid.
    @Test func invalidMouseReportIsBounded() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([.key(16)] + items("0;1q")) == [.key(.character("q"))])
        let events = decoder.decode([.key(16)] + items(String(repeating: "1", count: 5000)) + items("M"))
        #expect(events.allSatisfy { if case .mouse = $0 { false } else { true } })
    }

    @Test func x10MouseReportsAreDecoded() {
        var decoder = KeyDecoder()
        #expect(
            decoder.decode([.key(17)] + items(" !\"x")) == [
                .mouse(MouseEvent(.pressed, at: Point(column: 0, row: 1))), .key(.character("x")),
            ])
        #expect(decoder.decode([.key(17)] + items("#!!x")) == [.key(.character("x"))], "a release")
    }

    @Test func pasteContinuesAcrossReads() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([.key(14)] + items("one\r")) == [])
        #expect(
            decoder.decode([.key(1)] + items("two\u{1B}") + [.key(15)] + items("q")) == [
                .paste(PastedText("one\ntwo\u{1B}")), .key(.character("q")),
            ])
    }

    @Test func pasteIsTruncatedAtItsLimit() {
        var decoder = KeyDecoder()
        let events = decoder.decode([.key(14)] + items(String(repeating: "x", count: KeyDecoder.pasteLimit + 9)) + [.key(15)])
        // Compares lengths only: a failure must not print a megabyte.
        #expect(events.count == 1)
        guard case .paste(let pasted)? = events.first else {
            Issue.record("no paste")
            return
        }
        #expect(pasted.text.utf8.count == KeyDecoder.pasteLimit)
    }
}

struct PairCacheTests {
    @Test func colourPairsAreReusedAndBounded() {
        var defined: [Int32] = []
        var cache = ColorPairCache(available: 3)
        func number(_ foreground: Int32) -> Int32 {
            cache.number(for: .init(foreground: foreground)) { number, _ in
                defined.append(number)
                return true
            }
        }
        #expect([1, 2, 1, 3, 2].map { number($0) } == [1, 2, 1, 0, 2])
        #expect(defined == [1, 2])
        #expect(number(-1) == 0, "the terminal's own colours need no pair")
    }

    @Test func rejectedPairFallsBackToTheTerminalColours() {
        var cache = ColorPairCache(available: 64)
        #expect(cache.number(for: .init(foreground: 9)) { _, _ in false } == 0)
    }
}

struct ClipboardTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
        ("é\u{1B}\u{7}", "w6kbBw=="),
    ])
    func clipboardTextIsEncodedAsBase64(text: String, encoded: String) {
        #expect(Clipboard.sequence(for: Array(text.utf8)) == Array("\u{1B}]52;c;\(encoded)\u{7}".utf8))
    }

    @Test func refusesWithoutATerminalAndBeyondItsLimit() {
        let clipboard = Clipboard()
        #expect(!clipboard.copy(Array("x".utf8)))
        clipboard.open()
        #expect(!clipboard.copy([UInt8](repeating: 0, count: Clipboard.limit + 1)))
        clipboard.close { _ in }
        #expect(!clipboard.copy(Array("x".utf8)))
    }

    /// Returns what `close` writes to the terminal.
    private func written(by clipboard: Clipboard) -> String {
        var text = ""
        clipboard.close { text += String(decoding: $0, as: UTF8.self) }
        return text
    }

    private static let clearingSequences = "\u{1B}]52;c;IA==\u{7}\u{1B}]52;c;\u{7}"

    @Test func clearsASecretOnceAndWhenTheTerminalCloses() {
        let clipboard = Clipboard()
        clipboard.open()
        #expect(clipboard.copy(Array("x".utf8), isSecret: true))
        #expect(clipboard.clearSecret())
        #expect(!clipboard.clearSecret())
        #expect(clipboard.copy(Array("y".utf8), isSecret: true))
        #expect(
            written(by: clipboard) == "\u{1B}]52;c;eA==\u{7}" + Self.clearingSequences + "\u{1B}]52;c;eQ==\u{7}" + Self.clearingSequences)
    }

    /// A secret without an app is on the clipboard for as long as the command waits.
    @Test func heldSecretIsClearedAfterTheWait() async {
        let written = Mutex<[String]>([])
        var bytes = Array("x".utf8)
        let isCopied = await Clipboard.hold(&bytes) { sequence in
            written.withLock { $0.append(String(decoding: sequence, as: UTF8.self)) }
        } while: {
            #expect(written.withLock { $0 } == ["\u{1B}]52;c;eA==\u{7}"])
            await Task.yield()
        }
        #expect(isCopied && bytes == [0])
        #expect(written.withLock { $0 } == ["\u{1B}]52;c;eA==\u{7}", Self.clearingSequences])
        var long = [UInt8](repeating: 1, count: Clipboard.limit + 1)
        #expect(
            await !Clipboard.hold(&long) { _ in
                Issue.record("written")
            } while: {
                Issue.record("waited")
            })
        #expect(long.allSatisfy { $0 == 0 })
    }

    @Test func keepsWhatWasCopiedAfterASecret() {
        let clipboard = Clipboard()
        clipboard.open()
        #expect(clipboard.copy(Array("x".utf8), isSecret: true))
        #expect(clipboard.copy(Array("y".utf8)))
        #expect(!clipboard.clearSecret())
        #expect(!written(by: clipboard).contains(Self.clearingSequences))
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.seconds(2), 2000), (.seconds(-5), 0),
            (.seconds(1 << 40), 86_400_000),
        ] as [(Duration, Int32)])
    func waitsAreRoundedUpAndBounded(duration: Duration, milliseconds: Int32) {
        #expect(CursesTerminal.milliseconds(duration) == milliseconds)
    }
}
