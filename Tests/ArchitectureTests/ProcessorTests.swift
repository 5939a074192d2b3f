import ProcessHarness
import Testing

/// Nothing in the code works on one processor only. Tests/arm64 compiles what the toolchain can for another one.
struct ProcessorTests {
    /// What names a processor, or is different on another one. A file that names one names the other too, in the branch beside it.
    private static func faults(_ text: String) -> [String] {
        let amd64 = ["x86_64", "amd64", "__SSE", "immintrin.h", "__builtin_ia32"].contains { text.contains($0) }
        let arm64 = ["aarch64", "arm64"].contains { text.contains($0) }
        return [
            amd64 != arm64 ? "one processor only" : nil,
            // On arm64, a char of C has no sign.
            text.contains("UInt8(bitPattern: ") || text.contains("CChar(bitPattern: ") ? "the sign of a char" : nil,
            text.contains("asm(") || text.contains("asm volatile") || text.contains("__asm__") ? "assembly" : nil,
            // On arm64, a page may have 64 KiB.
            text.contains("PAGE_SIZE") ? "the size of a page" : nil,
        ].compactMap(\.self)
    }

    @Test func codeNamesNoSingleProcessor() {
        let files = SourceTree.files(in: "Sources", endingIn: [".swift", ".c", ".h"]).filter { file in
            // A value that the kernel reports, in a comment.
            !file.hasSuffix("App/AppStart.swift")
        }
        #expect(files.count > 500)
        #expect(files.flatMap { file in Self.faults(SourceTree.text(file)).map { "\(file): \($0)" } } == [])
    }

    @Test(arguments: [
        ("#if defined(__x86_64__)", 1), ("#if arch(arm64)", 1), ("\"x86_64\", \"aarch64\"", 0), ("map { UInt8(bitPattern: $0) }", 1),
        ("__asm__(\"pause\")", 1), ("let size = PAGE_SIZE", 1), ("let size = 4096", 0),
    ])
    func faultIsFound(text: String, count: Int) { #expect(Self.faults(text).count == count) }
}
