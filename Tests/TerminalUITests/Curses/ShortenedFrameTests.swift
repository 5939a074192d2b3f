import Testing

@testable import CursesBackend

/// A shorter frame shows the same: each example is what curses writes, and what is left of it.
struct ShortenedFrameTests {
    private func shortened(_ frame: String) -> String {
        let bytes = ShortenedFrame(Array(frame.replacing("^", with: "\u{1B}").utf8)).bytes
        return String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "^")
    }

    @Test(arguments: [
        // The ground of a text that changes its colour.
        ("^[38;2;1;2;3m^[48;2;9;9;9ma^[38;2;4;5;6m^[48;2;9;9;9mb", "^[38;2;1;2;3;48;2;9;9;9ma^[38;2;4;5;6mb"),
        ("^[38;5;7m^[48;5;1ma^[38;5;7m^[48;5;1mb", "^[38;5;7;48;5;1mab"),
        // An attribute ends alone, or with everything else if that is shorter.
        ("^(B^[0;1m^[31ma^(B^[0m^[31mb", "^(B^[0;1;31ma^[22mb"), ("^[0;1;31ma^[0;2;31mb", "^[0;1;31ma^[22;2mb"),
        ("^[0;4;31;44ma^[0;31;44mb", "^[0;4;31;44ma^[24mb"), ("^[0;1;4ma^[0;4mb", "^[0;1;4ma^[22mb"),
        ("^[0;1m^[31ma^[0;1;4m^[31mb", "^[0;1;31ma^[4mb"),
        // Changes that no text shows, around movements of the cursor.
        ("^[31m^[2;3H^[32m^[4;5Ha", "^[2;3H^[4;5H^[32ma"),
        // Erased cells have the background.
        ("^[0m^[41m^[3X^[K", "^[0;41m^[3X^[K"),
        ("^[0ma^[31m^[K", "^[0ma^[31m^[K"),
        // The frame ends as curses leaves it.
        ("^[31ma^[39;49m^(B^[m", "^[31ma^(B^[0m"), ("^[0ma^[m", "^[0ma"),
        // Terminals without `sgr` get an attribute alone, and what it is added to is not known.
        ("^[7mx^[m", "^[7mx^[0m"), ("^[31m^[1ma^[31mb", "^[31m^[1ma^[31mb"), ("^[0m^[7mx^[m", "^[0;7mx^[0m"),
        // Nothing is known before the first sequence, and after an unknown one.
        ("a^[31mb", "a^[31mb"), ("^[31ma^[38:2::1:2:3m^[31mb", "^[31ma^[38:2::1:2:3m^[31mb"),
        ("^(Bq^(0q^(Bq^(Bq", "^(Bq^(0q^(Bqq"), ("^[?25l^[1;24ra^[5Ab", "^[?25l^[1;24ra^[5Ab"), ("ä漢\r\n", "ä漢\r\n"), ("a^", "a^"),
        ("a^[3", "a^[3"),
    ])
    func whatTheTerminalHasIsNotRepeated(frame: String, expected: String) {
        #expect(shortened(frame) == expected)
        // The same once more, because a shorter frame contains nothing that is repeated.
        #expect(shortened(expected) == expected)
    }
}
