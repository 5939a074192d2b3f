@testable import TOML
import TestSupport
import Testing

/// Work grows linearly with the text, not quadratically. The tests count reads, so a slow machine cannot fail them.
struct ComplexityTests {
    private static let texts: [@Sendable (Int) -> String] = [
        { count in (0..<count).map { "k\($0) = 1\n" }.joined() },
        { count in (0..<count).map { "[t\($0)]\nx.y = 1\n" }.joined() },
        { count in (0..<count).map { _ in "[[t]]\nx = { y = 1, z = { a = 2 } }\n" }.joined() },
        { count in "t = [" + (0..<count).map { "{ x = \($0) }, " }.joined() + "]\n" },
        { count in "t = {" + (0..<count).map { "x\($0) = 1" }.joined(separator: ", ") + "}\n" },
        { count in (0..<count).map { "t.x\($0).y = 1\n" }.joined() },
    ]

    @Test(arguments: 0..<6) func parentsOfEntriesAreFoundInOnePass(number: Int) throws {
        for count in [100, 200, 400, 800] {
            let document = try TOMLDocument(Self.texts[number](count))
            let entries = CountedReads(document.entries)
            #expect(TOMLDocument.parents(of: entries) == document.parents)
            #expect(entries.readCount == entries.count)
        }
    }

    /// The pass finds the parent that the definition gives: the innermost braces around an entry, else the header above it.
    @Test(arguments: 0..<6) func entriesHaveTheParentTheyAreWrittenIn(number: Int) throws {
        let document = try TOMLDocument(Self.texts[number](12))
        for (index, entry) in document.entries.enumerated() {
            let braces = document.entries.last {
                $0.place != .header && $0.range != entry.range && $0.value.contains(entry.range.lowerBound)
            }
            let header = document.entries.last { $0.place == .header && $0.range.lowerBound < entry.range.lowerBound }
            #expect(document.parents[index] == braces?.path ?? header?.path ?? [])
        }
    }

    @Test(arguments: [100, 200, 400, 800]) func removalTakesOnePass(count: Int) {
        let text = Array("t = {" + (0..<count).map { "x\($0) = 1" }.joined(separator: ",    ") + "}\n")
        let bytes = text.flatMap { String($0).utf8 }
        let counted = CountedReads(bytes)
        var removal = TOMLRemoval(from: counted)
        var end = bytes.count
        while let comma = bytes[..<end].lastIndex(of: UInt8(ascii: ",")) {
            removal.remove(comma + 5..<comma + 7, withComma: true)
            end = comma
        }
        _ = removal.finish()
        #expect(counted.readCount <= 3 * bytes.count)
    }

    @Test(
        "what is left between braces is a table after any removal",
        arguments: [
            ("{ a.x = 1, a.y = 2 }", "{  }"), ("{ b = 1, a.x = 1, a.y = 2 }", "{ b = 1 }"), ("{ a.x = 1, b = 1, a.y = 2 }", "{ b = 1 }"),
            ("{ a.x = 1, a.y = 2, b = 1 }", "{ b = 1 }"), ("{a.x=1,b=1,a.y=2,c=1}", "{b=1,c=1}"), ("{ a = 1 }", "{  }"),
        ])
    func keepsCommasValid(before: String, after: String) throws {
        var editor = TOMLEditor("t = \(before)\n")
        try editor.remove(table: ["t", "a"])
        #expect(editor.text == "t = \(after)\n")
        #expect(throws: Never.self) { try TOMLDocument(editor.text) }
    }
}
