import AuthModel
import Testing

@testable import CommandLineTool

/// Times in the output for people.
@Suite struct LocalTimeTests {
    @Test(arguments: [
        (Int64(0), "UTC", "2026-10-24 23:30:00 UTC"), (7_200, "CEST", "2026-10-25 01:30:00 CEST"),
        (-16_200, "-0430", "2026-10-24 19:00:00 -0430"),
    ])
    func timeIsInTheZone(offset: Int64, name: String, text: String) throws {
        let moment = try #require(Timestamp("2026-10-24T23:30:00Z"))
        #expect(moment.text(in: (.seconds(offset), name)) == text)
    }
}
