import Testing
import TerminalUI

/// External text that could move the cursor, hide, reverse or forge something never reaches a terminal.
struct SafeTextTests {
    @Test(
        arguments: [
            ("\u{1B}]0;owned\u{7}", "�]0;owned�"), ("\u{1B}[2J", "�[2J"), ("\u{1B}P1$r\u{1B}\\", "�P1$r�\\"), ("a\u{8}b", "a�b"),
            ("a\rb", "a�b"), ("a\u{7F}b", "a�b"), ("\u{9B}31m", "�31m"), ("\u{9D}52;c;x\u{9C}", "�52;c;x�"), ("\u{90}q", "�q"),
            ("\0", "�"), ("\u{1B}c", "�c"),
            ("user\u{202E}gpj.exe", "user�gpj.exe"), ("\u{2066}a\u{2069}", "�a�"), ("\u{200F}\u{061C}\u{200E}", "���"),
            ("a\u{2028}b\u{2029}", "a�b�"), ("\u{E000}\u{F8FF}\u{10FFFD}", "���"), ("\u{378}\u{50000}", "��"),
            ("\u{3164}\u{115F}\u{FFA0}", "���"),
            ("al\u{200B}ice", "alice"), ("al\u{200C}ice", "alice"), ("al\u{200D}ice", "alice"), ("al\u{2060}ice", "alice"),
            ("\u{FEFF}x\u{AD}y", "xy"), ("a\u{FE0F}b\u{FE0E}", "ab"), ("a\u{E0061}\u{E007F}b", "ab"), ("x\u{E0100}", "x"),
            ("a\tb\nc\r\nd\u{A0}e\u{2003}f\u{2800}g", "a b c d e f g"),
            ("Zoë 漢字 שלום مرحبا हिन्दी", "Zoë 漢字 שלום مرحبا हिन्दी"),
            ("👩‍💻 👍🏽 🇩🇪 ❤️", "👩‍💻 👍🏽 🇩🇪 ❤️"),
            ("👩\u{200D}x", "👩x"), ("👩\u{200D}", "👩"),
        ] as [(String, String)])
    func unsafeCharactersAreReplacedOrDropped(text: String, safe: String) {
        #expect(Array(SafeText.line(text).unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test func noScalarOfAnyDangerousClassSurvives() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let kept = SafeText.line("a" + String(scalar) + "b").unicodeScalars
            for left in kept where left != "\u{FFFD}" {
                let properties = left.properties
                let isSafe =
                    switch properties.generalCategory {
                    case .control, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
                    case .format: !properties.isBidiControl && !properties.isDefaultIgnorableCodePoint
                    default: !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
                    }
                if !isSafe { Issue.record("U+\(String(left.value, radix: 16)) survived") }
            }
        }
    }

    @Test func sanitisingTwiceChangesNothing() {
        let hard = "a\u{1B}[0m\u{301}\u{301}\u{301}\u{301}\u{301}\u{301} 👩\u{200D}👩\u{200D}👧 \u{202E}\u{1F1E9}\u{1F1EA}\u{1F1E9} \u{300}"
        let once = SafeText.line(hard)
        #expect(SafeText.line(once) == once)
    }

    @Test func combiningMarksPerCharacterAreLimited() {
        let flood = "e" + String(repeating: "\u{301}", count: 500) + "x"
        let glyphs = SafeText.glyphs(flood)
        #expect(glyphs.count == 2)
        #expect(glyphs[0].text.unicodeScalars.count == 1 + SafeText.markLimit)
        #expect(glyphs.width == 2)
    }

    @Test(
        "no scalar extends a glyph without limit",
        arguments: [
            "\u{FE0F}", "\u{FE0E}", "\u{200D}", "\u{200D}\u{FE0F}", "\u{FE0F}\u{200D}", "\u{20E3}", "\u{FE0F}\u{20E3}", "\u{301}\u{FE0F}",
            "\u{1F3FD}", "\u{200D}\u{1F3FD}", "\u{200D}❤\u{FE0F}", "\u{E0061}", "\u{20DD}\u{200D}",
        ])
    func everyGlyphHasBoundedLength(repeated: String) {
        for base in ["❤", "👩", "e", "1", "\u{1F1E9}", " ", ""] {
            let glyphs = SafeText.glyphs(base + String(repeating: repeated, count: 500), limit: 40)
            #expect(glyphs.count <= 40)
            for glyph in glyphs { #expect(glyph.text.unicodeScalars.count <= 40, "\(base) and \(repeated.unicodeScalars.map(\.value))") }
        }
    }

    @Test(arguments: ["\u{301}x", "\u{1B}\u{301}x", " \u{20DD}x"])
    func combiningMarksAlwaysHaveABase(text: String) {
        let glyphs = SafeText.glyphs(text)
        #expect(glyphs.count == 2)
        #expect(glyphs[0].width == 1)
        #expect(glyphs[1].text == "x")
    }

    @Test(arguments: [(0, ""), (1, "…"), (3, "ab…"), (6, "abcdef"), (7, "abcdef")])
    func truncationAtTheLimitAddsAnEllipsis(limit: Int, text: String) {
        #expect(SafeText.line("abcdef", limit: limit) == text)
    }

    @Test func longTextIsCutAtTheLimit() {
        let text = String(repeating: "\u{1B}[31m", count: 250_000)
        #expect(SafeText.glyphs(text, limit: 10).count == 10)
    }

    @Test func blockKeepsItsLines() {
        #expect(SafeText.lines("a\u{7}b\r\nc\n\nd\re").map(\.text) == ["a�b", "c", "", "d�e"])
        #expect(SafeText.lines("").count == 1)
    }

    @Test(arguments: [
        ("abc", 3), ("漢字", 4), ("é", 1), ("e\u{301}", 1), ("😀", 2), ("👩‍💻", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("👍🏽", 2), ("", 0), ("กำ", 2),
        ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("ｱ", 1), ("Ａ", 2), ("…", 1),
    ])
    func widthCountsCells(text: String, width: Int) {
        #expect(SafeText.width(of: text) == width)
    }
}
