import AuthModel
import Testing

@testable import TerminalApp

/// What keeps its spelling on a screen, and what is written as people read it.
@Suite struct SpellingTests {
    @Test(arguments: [
        ("mi asks nobody to sign in", "mi asks nobody to sign in."), ("bi2 does not say", "bi2 does not say."),
        ("mine is another word", "Mine is another word."), ("the gate is shut", "The gate is shut."),
    ])
    func namesOfProvidersKeepTheirs(text: String, sentence: String) {
        #expect(Words.$names.withValue(["mi", "bi2"]) { Words.sentence(text) } == sentence)
    }

    /// ArcGIS tells of a user in milliseconds.
    @Test func momentsInMillisecondsAreMoments() {
        let at = Sample.now - .seconds(7200)
        let words = Words.momentInWords(at, now: Sample.now)
        for claim in ["created", "modified", "lastLogin"] {
            #expect(ClaimWords.value(.number(String(at.milliseconds)), of: claim, now: Sample.now) == words)
        }
        #expect(ClaimWords.value(.number("-1"), of: "lastLogin", now: Sample.now) == "-1", "nobody was there yet")
    }
}
