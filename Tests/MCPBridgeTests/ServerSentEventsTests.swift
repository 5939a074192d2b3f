import Testing

@testable import MCPBridge

@Suite struct ServerSentEventsTests {
    private func events(_ text: String, by size: Int = 1 << 20) -> [ServerSentEvents.Event] {
        var reader = ServerSentEvents()
        var rest = Array(text.utf8)[...]
        var found: [ServerSentEvents.Event] = []
        while !rest.isEmpty {
            found += reader.read(rest.prefix(size)) ?? []
            rest = rest.dropFirst(size)
        }
        return found
    }

    private static let text =
        "\u{FEFF}: a comment\nid: 1\ndata: a\ndata:b\n\nevent: ping\r\ndata\r\n\r\ndata:  c\rid:\0\r\rid: 9\n\nretry: 20\ndata: lost"

    /// The bytes may arrive in any portions, and lines may end in three ways.
    @Test(arguments: [1, 2, 3, 7, 1000])
    func readsAnyPortions(size: Int) {
        let found = events(Self.text, by: size)
        #expect(found.map { String(decoding: $0.data, as: UTF8.self) } == ["a\nb", "", " c", ""])
        #expect(found.map(\.type) == ["message", "ping", "message", "message"])
        #expect(found.map(\.id) == ["1", nil, nil, "9"])
    }

    /// Single bytes make the same events, and no more of them.
    @Test(arguments: [10_000, 20_000, 40_000]) func singleBytesMakeTheSameEvents(count: Int) {
        let text = (0..<count / 10).map { "data:\($0)\n\n" }.joined() + "data:" + String(repeating: "a", count: count) + "\n\n"
        #expect(events(text, by: 1) == events(text))
    }

    @Test(arguments: [("retry: 20\n", 20), ("retry: -1\n", nil), ("retry: 1x\n", nil), ("retry: 9999999999\n", nil)] as [(String, Int?)])
    func retryIsANumber(text: String, milliseconds: Int?) {
        var reader = ServerSentEvents()
        _ = reader.read(text.utf8)
        #expect(reader.retry == milliseconds.map { .milliseconds($0) })
    }

    /// An identifier becomes a header field.
    @Test(arguments: ["a\u{7F}", "ä", "\t"]) func identifierIsSafeInAField(id: String) {
        #expect(events("id: \(id)\ndata: x\n\n").first?.id == nil)
    }
}
