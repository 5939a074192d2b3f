import AuthModel
import Testing

@testable import TerminalApp

/// Names that keep their spelling on a screen, and values that are shown in readable form.
@Suite struct SpellingTests {
    @Test(arguments: [
        ("mi asks nobody to sign in", "mi asks nobody to sign in."), ("bi2 does not say", "bi2 does not say."),
        ("mine is another word", "Mine is another word."), ("the gate is shut", "The gate is shut."),
    ])
    func providerNamesKeepTheirSpelling(text: String, sentence: String) {
        #expect(Words.$names.withValue(["mi", "bi2"]) { Words.sentence(text) } == sentence)
    }

    /// A form has words where the configuration has names.
    @Test(arguments: [
        ("start_url", "start URL"), ("rp-initiated", "RP initiated"), ("region", "region"), ("publisher_login_url", "publisher login URL"),
        ("oauth-app", "OAuth app"),
    ])
    func namesOfSettingsAreSpelledAsWords(name: String, words: String) { #expect(Words.spelled(name) == words) }

    /// ArcGIS reports times of a user in milliseconds.
    @Test func timesInMillisecondsAreShownAsTimes() {
        let at = Sample.now - .seconds(7200)
        let words = Words.timeInWords(at, now: Sample.now)
        for claim in ["created", "modified", "lastLogin"] {
            #expect(ClaimWords.value(.number(String(at.milliseconds)), of: claim, now: Sample.now) == words)
        }
        #expect(ClaimWords.value(.number("-1"), of: "lastLogin", now: Sample.now) == "-1", "there was no login yet")
    }
}
