import TerminalUI
import Testing

@testable import CursesBackend

struct GlyphWidthAgreementTests {
    /// Compares every scalar that can reach a cell, that is, every scalar that the sanitiser keeps.
    @Test func glyphWidthsMatchTheCLibrary() {
        LibraryWidth.prepare()
        var compared = 0
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let kept = SafeText.glyphs("a" + String(scalar)).text.unicodeScalars.last
            guard kept == scalar, let theirs = LibraryWidth.of(scalar) else { continue }
            compared += 1
            // A vowel sign of Ahom that Unicode made a spacing mark after the tables of the C library were built.
            if value == 0x1171E { continue }
            if GlyphWidth.of(scalar) != theirs { Issue.record("U+\(String(value, radix: 16)): \(GlyphWidth.of(scalar)), not \(theirs)") }
        }
        #expect(compared > 130_000, "the comparison was one: \(compared)")
    }
}
