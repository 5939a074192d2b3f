import AuthModel
import Testing

struct HTTPDateTests {
    private static let now = Timestamp("2026-11-21T08:30:00Z") ?? .distantFuture

    @Test(
        "all three formats of RFC 9110 section 5.6.7 are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"), ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"), ("Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"),
            ("Sat, 21 Nov 2026 08:30:00 GMT", "2026-11-21T08:30:00Z"), ("Saturday, 21-Nov-26 08:30:05 GMT", "2026-11-21T08:30:05Z"),
        ])
    func readsAllFormats(text: String, moment: String) {
        #expect(Timestamp(httpDate: text, now: Self.now)?.description == moment)
    }

    @Test(
        "a year of two digits is at most 50 years ahead",
        arguments: [
            ("26", "2026"), ("27", "2027"), ("75", "2075"), ("77", "1977"), ("99", "1999"), ("00", "2000"),
        ])
    func readsTwoDigitYears(digits: String, year: String) {
        #expect(Timestamp(httpDate: "Monday, 01-Jan-\(digits) 00:00:00 GMT", now: Self.now)?.description == "\(year)-01-01T00:00:00Z")
    }

    @Test func fiftyYearRuleIsExactToTheSecond() {
        #expect(Timestamp(httpDate: "Saturday, 21-Nov-76 08:30:00 GMT", now: Self.now)?.description == "2076-11-21T08:30:00Z")
        #expect(Timestamp(httpDate: "Saturday, 21-Nov-76 08:30:01 GMT", now: Self.now)?.description == "1976-11-21T08:30:01Z")
        let late = Timestamp("2080-06-01T00:00:00Z") ?? .distantFuture
        #expect(Timestamp(httpDate: "Monday, 01-Jan-10 00:00:00 GMT", now: late)?.description == "2110-01-01T00:00:00Z")
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-+4 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov 06  08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37Z GMT",
    ])
    func rejectsInvalidDates(text: String) {
        #expect(Timestamp(httpDate: text, now: Self.now) == nil)
    }
}
