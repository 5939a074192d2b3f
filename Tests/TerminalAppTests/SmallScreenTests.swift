import AuthModel
import Localization
import TerminalUI
import Testing

@testable import TerminalApp

/// What must stay visible on small screens, and what larger ones add.
@Suite struct SmallScreenTests {
    static let low = [(40, 10), (20, 5), (20, 4)].map { Size(columns: $0.0, rows: $0.1) }

    /// The user must see both answers before confirming.
    @Test(arguments: low.dropLast())
    func bothAnswersAreVisible(size: Size) throws {
        let text = Given.pressed(try Given.session(), .character("x")).picture(size).text
        #expect(text.contains("▸ keep it"))
        #expect(text.contains("  forget it"))
    }

    @Test(arguments: low, [(0, "1  Revoke and for"), (1, "2  Revoke, forget"), (2, "3  Forget here on")])
    func selectedSignOutModeIsVisible(size: Size, choice: (steps: Int, title: String)) throws {
        var state = Given.pressed(try Given.session(), .character("o"))
        for _ in 0..<choice.steps { _ = state.press(.down) }
        let line = state.picture(size).text.split(separator: "\n").first { $0.contains("▸") }
        #expect(line?.contains(choice.title) == true)
    }

    @Test(arguments: low)
    func passphraseFieldIsVisible(size: Size) throws {
        let locked = Given.pressed(Given.loaded(seal: .locked(isNew: false)), .character("x"))
        #expect(locked.picture(size).text.contains("•"))
        let new = Given.pressed(Given.loaded(seal: .locked(isNew: true)), .character("x"), .tab, .character("y"), .character("z"))
        #expect(new.picture(size).text.contains("••"))
    }

    /// Long texts can be scrolled to their ends.
    @Test(arguments: [("problem", "Your existing"), ("welcome", "yett token work/")])
    func longTextCanBeScrolled(name: String, end: String) throws {
        var state = try #require(Given.everyScreen().first { $0.name == name }?.state)
        _ = state.take(.resized(Size(columns: 40, rows: 10)))
        #expect(!state.picture().text.contains(end))
        #expect(state.picture().text.contains("▾"))
        #expect(state.current.screen.keyHints(in: state.model).contains { $0.keys.contains(.down) })
        _ = state.press(.end)
        #expect(state.picture().text.contains(end))
        _ = state.press(.home)
        #expect(!state.picture().text.contains(end))
    }

    /// The most urgent count comes first, and no count is truncated.
    @Test(arguments: [
        (53, "1 needs action · 1 expiring · 1 signed in · 1 expired"),
        (52, "1 needs action · 2 signed in · 1 expired"), (40, "1 needs action · 2 signed in · 1 expired"),
        (39, "1 needs action · ◐ 1 · ● 1 · ○ 1"), (32, "1 needs action · ◐ 1 · ● 1 · ○ 1"), (31, "1 needs action · 1 expiring"),
        (12, "1 needs action"), (3, "1 needs action"),
    ])
    func summaryAlwaysKeepsWhatIsUrgent(columns: Int, text: String) throws {
        let items = SessionCounts(in: try Given.sessions().model).items(.unicode, columns: columns)
        #expect(items.map(\.span.text).joined(separator: " · ") == text)
    }

    /// The header has the most important counts, so a list that does not fit below their own line takes its rows; a filter needs the line.
    @Test func longListTakesTheRowsOfTheCounts() throws {
        let low = Size(columns: 60, rows: 20)
        #expect(try Given.sessions(size: low).picture().find("1 needs action") != nil)
        var sessions = try (10..<21).map { try Sample.session("lab/user\($0)") }
        sessions.append(try Sample.session("old/marie", .needsSignIn, left: .seconds(-86_400), renewable: false))
        sessions.append(try Sample.session("work/ada"))
        var state = Given.loaded(providers: [try Sample.provider("work")], sessions: sessions, size: low)
        let text = state.picture().text
        for session in sessions { #expect(text.contains(session.name.description), "\(session.name)") }
        #expect(!text.contains("1 needs action"))
        _ = state.press(.character("/"))
        #expect(state.picture().find(SessionListWords.found(13, of: 13)) != nil)
    }

    /// Sessions of one provider are distinguished by the account.
    @Test(arguments: [
        ("work/ada", 8, "work/ada"), ("a-long-provider/ada@example.org", 31, "a-long-provider/ada@example.org"),
        ("a-long-provider/ada@example.org", 30, "a-long-provid…/ada@example.org"),
        ("a-long-provider/ada@example.org", 10, "a-long-…/ada@example.org"), ("a-long-provider", 10, "a-long-provider"),
        ("a-long-provider/山田", 18, "a-long-provi…/山田"), ("work/ada@example.org", 5, "work/ada@example.org"),
    ])
    func longNameKeepsItsAccount(name: String, columns: Int, shown: String) throws {
        let parts = NameInColumns(try Sample.name(name), columns: columns, glyphs: .unicode)
        #expect(parts.provider + parts.account == shown)
    }

    /// Columns are as wide as the words of the language: no state and no renewal is truncated on an ordinary terminal.
    @Test(arguments: Language.allCases)
    func statesAreNotTruncatedInAnyLanguage(language: Language) throws {
        try Language.$current.withValue(language) {
            var state = try Given.sessions()
            state.model.language = language
            let rows = state.picture().text.split(separator: "\n")
            for session in try #require(state.model.sessions) {
                let row = try #require(rows.first { $0.contains(session.name.description.prefix(14)) })
                #expect(row.contains(Words.state(state.model.state(of: session)) + "  "))
            }
            // A narrow list has no space for the state's name, so it is above the list.
            let narrow = state.picture(Size(columns: 40, rows: 10)).text
            #expect(narrow.contains(Words.state(.needsSignIn)))
        }
    }

    /// The label of a fact is not truncated in any language.
    @Test(arguments: Language.allCases)
    func sessionLabelsAreNotTruncatedInAnyLanguage(language: Language) throws {
        var state = try Given.session()
        let name = try Sample.name("work/ada@example.org")
        _ = state.take(.serviceReported(.activity(Activity(at: Sample.now, kind: .renewed, session: name, message: "renewal.done"))))
        state.model.language = language
        let text = state.picture(Size(columns: 120, rows: 60)).text
        Language.$current.withValue(language) {
            for term in [SessionWords.nextRenewal, SessionWords.apiHosts, Words.token(.refresh), Words.token(.id)] {
                #expect(text.contains(" \(term)  "), "\(term)")
            }
            #expect(text.contains(ActivityWords.title))
        }
        Language.$current.withValue(language) {
            let word = Words.activity(.renewed)
            #expect(!text.contains("\(word)  \(word)"), "the message does not repeat the name of its kind")
        }
    }

    /// Long names take the space of less important columns.
    @Test func longNamesReplaceOtherColumns() throws {
        let size = Size(columns: 140, rows: 24)
        let title = "1d  " + SessionListWords.lastDay
        #expect(try Given.sessions().picture(size).text.contains(title))
        let long = "work/" + String(repeating: "ada", count: 12)
        let state = Given.loaded(providers: [try Sample.provider("work")], sessions: [try Sample.session(long)])
        let text = state.picture(size).text
        #expect(text.contains("●  " + long))
        #expect(!text.contains(title) && text.contains("Time left"))
    }

    @Test func narrowHomeNamesTheProviderInEachLine() throws {
        let text = try Given.firstRun().picture(Size(columns: 20, rows: 8)).text
        #expect(text.contains("▸ Sign in to lab"))
        #expect(text.contains("  Sign up at lab"))
    }

    @Test func wideSessionShowsTokensBesideTheIdentity() throws {
        var state = try Given.session()
        let name = try Sample.name("work/ada@example.org")
        _ = state.take(.serviceReported(.activity(Activity(at: Sample.now, kind: .issued, session: name, message: .verbatim("to git")))))
        let other = try Sample.name("lab/grace")
        _ = state.take(
            .serviceReported(.activity(Activity(at: Sample.now, kind: .issued, session: other, message: .verbatim("to kubectl")))))
        let picture = state.picture(Size(columns: 200, rows: 60))
        let (identity, overview) = (
            try #require(picture.find("Identity")), try #require(picture.find("╭─ \(SessionDetailsPaneWords.overview)"))
        )
        let (tokens, actions) = (try #require(picture.find("╭─ Tokens")), try #require(picture.find("╭─ \(SessionWords.actions)")))
        #expect(tokens.left > identity.right && tokens.top == overview.top && actions.left == tokens.left)
        #expect(picture.text.contains("08:30  → token issued  to git"))
        #expect(!picture.text.contains("kubectl"))
        #expect(!picture.text.contains("▾"))
    }

    /// The key that a screen is about stands in every footer that has space for it.
    @Test(arguments: [
        ("picker", "Enter sign in"), ("activity", "Enter open session"), ("paste", "Enter submit"), ("sessions", "Enter sign in again"),
    ])
    func footerOfASmallScreenBeginsWithItsKey(name: String, key: String) throws {
        let state = try #require(Given.everyScreen().first { $0.name == name }?.state)
        let footer = state.picture(Size(columns: 40, rows: 10)).text.split(separator: "\n").last
        #expect(footer?.hasPrefix(key) == true, "\(footer ?? "")")
    }

    /// A session without an expiry is called the same on every terminal.
    @Test(arguments: [Size(columns: 40, rows: 10), Size(columns: 80, rows: 24)])
    func noExpiryHasOneName(size: Size) throws {
        let state = try #require(Given.everyScreen().first { $0.name == "guest" }?.state)
        #expect(state.picture(size).text.split(separator: "\n").contains { $0.contains("work/guest ") && $0.contains("no expiry") })
    }

    /// Where an issuer does not fit beside its term, it has no scheme; one without TLS has it everywhere.
    @Test func issuerIsNotCutInTheDetailsBelowTheList() throws {
        let state = try #require(Given.everyScreen().first { $0.name == "about to be forgotten" }?.state)
        #expect(state.picture(Size(columns: 80, rows: 24)).text.contains("issuer          id.example.org "))
        #expect(state.picture(Size(columns: 200, rows: 60)).text.contains("issuer          https://id.example.org "))
        let view = SessionPage(screen: SessionScreen(try Sample.name("work/ada")), model: state.model, isPane: true, columns: 30)
        #expect(view.shown("http://127.0.0.1:8080/realms/a-name") == "http://127.0.0.1:8080/realms/a-name")
    }

    @Test func gateIsDrawnWithTheTerminalsCharacters() throws {
        let state = try Given.firstRun()
        #expect(state.picture().text.contains("├──╂──┼──╂──┤"))
        #expect(state.picture(glyphs: .ascii).text.contains("|--#--+--#--|"))
        #expect(!state.picture(Size(columns: 59, rows: 24)).text.contains("╂"))
    }
}
