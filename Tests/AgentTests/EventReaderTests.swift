import AuthModel
import TestSupport
import Testing

@testable import Agent

/// Reads the agent's events as they arrive; the agent may be on another machine.
@Suite(.startsPrograms) struct EventReaderTests {
    private func events(
        _ bytes: some RandomAccessCollection<UInt8>, by size: Int, _ reader: inout EventReader
    ) throws -> [JSONValue] {
        var rest = bytes[...]
        var found: [JSONValue] = []
        while !rest.isEmpty {
            found += try reader.read(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return found
    }

    @Test(arguments: [1, 2, 7, 1000]) func readsAnyPortions(size: Int) throws {
        var reader = EventReader()
        let found = try events(Array("event: a\ndata: {\"x\":1}\n\n: c\ndata: 2\n\ndata: 3".utf8), by: size, &reader)
        #expect(found == [.members(("x", 1)), .number("2")])
    }

    /// Each byte is searched once and moved once, also if each arrives alone, and if many events arrive at once.
    @Test(arguments: [1_000, 2_000, 4_000]) func workGrowsWithTheBytes(count: Int) throws {
        let long = "data: \"\(String(repeating: "a", count: count))\"\n\n"
        let many = String(repeating: "data: 1\n\n", count: count)
        for (text, size, expected) in [(long, 1, 1), (many, 1 << 20, count)] {
            var reader = EventReader()
            let bytes = CountedReads(Array(text.utf8))
            #expect(try events(bytes, by: size, &reader).count == expected)
            #expect(bytes.readCount <= 2 * bytes.count)
        }
    }
}
