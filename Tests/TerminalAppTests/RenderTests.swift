import TerminalUI
import Testing

@testable import TerminalApp

/// The text of the screens.
@Suite struct RenderTests {
    @Test func wholeURLIsShownAtEveryWidth() throws {
        for columns in [20, 39, 40, 80, 133] {
            let size = Size(columns: columns, rows: 60)
            let text = Given.pressed(try Given.signingIn(), .character("w")).picture(size).text
            #expect(text.split(separator: "\n").joined().contains(Sample.authorization))
        }
    }

    @Test func wideTerminalShowsTheSelectedSessionBesideTheList() throws {
        let text = try Given.sessions().picture(Size(columns: 200, rows: 60)).text
        #expect(text.contains("─ old/marie ─"))
        #expect(text.contains("last used       never"))
    }

    @Test func claimsAreExplainedInWords() throws {
        let text = try Given.session().picture(Size(columns: 200, rows: 60)).text
        #expect(text.contains("exp (expires)                     09:12, in 42 min"))
        #expect(text.contains("auth_time (authenticated)         08:11, 18 min ago"))
        #expect(text.contains("✓ verified with RS256, key 2011-04-29"))
    }

    @Test(arguments: [
        (Duration.seconds(0), "0 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min 00 s"), (.seconds(3599), "59 min 59 s"),
        (.seconds(3600), "1 h 00 min"), (.seconds(90_000), "1 d 1 h"), (.seconds(-5), "0 s"),
    ])
    func durationsShowTheirTwoLargestUnits(span: Duration, words: String) {
        #expect(Words.span(span) == words)
    }
}
