import OIDCAgentProtocol
import Testing

/// Text of other programs on one line.
struct OneLineTests {
    @Test func limitCountsBytes() {
        let giant = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(giant.oneLine(limit: 64).utf8.count <= 64)
        #expect("a\nb\u{202E}c".oneLine(limit: 64) == "a?b?c")
    }
}
