import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The details beside the list of sessions, and the dashboard around it.
@Suite struct SessionPaneTests {
    private static let wide = Size(columns: 120, rows: 30)
    private static let low = Size(columns: 80, rows: 16)

    private func wide() throws -> AppState {
        var state = try Given.sessions(size: Self.wide)
        state.model.motion = .full
        return state
    }

    @Test func detailsFollowTheSelection() throws {
        var state = try Given.sessions(size: Self.low)
        #expect(state.current.as(SessionsScreen.self)?.pane == nil, "there is no space")
        #expect(state.take(.resized(Self.wide)) == [.loadSession(try Sample.name("old/marie"))])
        #expect(state.picture().find("╭─ old/marie ─") != nil)
        #expect(state.press(.down) == [.loadSession(try Sample.name("lab/grace"))])
        #expect(state.picture().find("╭─ lab/grace ─") != nil)
        #expect(state.take(.ticked(Sample.now + .seconds(1))) == [], "nothing is read again without a reason")
        _ = state.take(.resized(Self.low))
        #expect(state.current.as(SessionsScreen.self)?.pane == nil)
    }

    /// A user whom the provider does not name has the name of the account.
    @Test func userWithoutANameHasTheAccounts() throws {
        var detail = Sample.detail(try Sample.session("aws/ada"))
        detail.identity = Identity(issuer: "https://aws.example.org", subject: "")
        #expect(detail.userName == "ada")
        detail.identity.userInfo = ["name": "Ada Lovelace"]
        #expect(detail.userName == "Ada Lovelace")
    }

    /// The end of a token is before what is left of the token, in the overview and among the tokens, where no key is cut.
    @Test func tokenHasTheSameFieldsEverywhere() throws {
        let (large, usual) = (Size(columns: 200, rows: 60), Size(columns: 120, rows: 40))
        let overview = try Given.demo(size: large, opening: "code/ada")
        for state in [overview, Given.pressed(overview, .character("2"))] {
            let picture = state.picture(large)
            let (end, token) = (try #require(picture.find("expires in ")), try #require(picture.find("eyJhbG…")))
            #expect((end.top, end.left) < (token.top, token.left), "\(picture.text)")
        }
        let tokens = Given.pressed(try Given.demo(size: usual, opening: "code/ada"), .character("2"))
        #expect(tokens.picture(usual).text.contains("2011-04-29"))
    }

    /// Each program has one row, also in half of a small screen.
    @Test(arguments: [
        (80, "git             ·····▇·▁  ×15", "·····▇·▁  16 tokens"),
        (100, "git             ·····▇·▁  ×15, 2 min ago", "·····▇·▁  16 tokens"),
        (200, "git             ·····▇·▁  ×15, 2 min ago", "·····▇·▁  16 tokens"),
    ])
    func programsFitIntoTheirColumn(columns: Int, row: String, history: String) throws {
        var state = try Given.sessions(size: Size(columns: columns, rows: 60))
        _ = state.take(.activityLoaded(try Given.programActivity().reversed()))
        let picture = Given.pressed(state, .down, .down).picture(Size(columns: columns, rows: 60)).text
        #expect(picture.contains(row + "  ") || columns == 200 && picture.contains(row), "\(picture)")
        let line = picture.split(separator: "\n").first { $0.contains("last 24 h  ") }
        #expect(line?.contains(history + "  ") == true, "\(picture)")
    }

    /// The tabs, the sections and their rows have the same places, for every name and content.
    @Test(arguments: [(100, 30), (120, 40), (200, 60), (80, 30)].map { Size(columns: $0.0, rows: $0.1) })
    func detailsKeepTheirShape(size: Size) throws {
        let names = ["a/b", "entra-prod/ada", "a-very-long-provider-name/with-a-very-long-account-name"]
        let sessions = try names.map { try Sample.session($0, renewable: $0 != "a/b") }
        var state = Given.loaded(providers: [try Sample.provider("work")], sessions: sessions, size: size)
        var places: Set<[Point?]> = []
        for session in sessions {
            _ = state.take(.serviceReported(.sessionsChanged(sessions)))
            _ = state.apply(.home, of: nil)
            _ = state.home.screen.select(.session(session.name), in: state.model)
            _ = state.home.screen.commandsForShownContent(in: state.model)
            let picture = state.picture()
            let parts = ["1 Overview", "4 Usage", SessionWords.lifetime, SessionWords.scopes, SessionWords.lastUsed]
            places.insert(parts.map { picture.find($0)?.origin })
        }
        #expect(places.count == 1, "\(places)")
    }

    @Test func numbersChooseAPartOfTheDetails() throws {
        var state = try wide()
        for (key, text) in [("2", SessionWords.opening), ("3", SessionDetailsPaneWords.noActivity), ("4", SessionDetailsPaneWords.lastDay)]
        {
            _ = state.press(.character(Character(key)))
            #expect(state.picture().text.contains(text.prefix(24)), "\(key)")
        }
        _ = state.press(.down)
        #expect(state.current.as(SessionsScreen.self)?.pane?.tab == .use, "the next session shows the same part")
    }

    /// The page of a session has the parts of the details with the same keys, and its titles can be clicked.
    @Test(arguments: [(80, 24), (64, 24), (50, 20), (100, 30), (120, 40), (200, 60)].map { Size(columns: $0.0, rows: $0.1) })
    func pageHasThePartsOfTheDetails(size: Size) throws {
        var state = try Given.session()
        _ = state.take(.resized(size))
        for (key, text) in [("2", "eyJhbG…"), ("3", SessionDetailsPaneWords.noActivity), ("4", SessionWords.apiHosts)] {
            _ = state.press(.character(Character(key)))
            let picture = state.picture(size).text
            #expect(picture.contains(text.prefix(20)) && !picture.contains(SessionWords.identity), "\(key): \(picture)")
        }
        let title = try #require(state.picture(size).find("1 \(SessionDetailsPaneWords.overview)"))
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: title.origin)))
        #expect(state.current.as(SessionScreen.self)?.tab == .overview)
    }

    /// The usage has the last day by hours, and a bar for each program, with what it got last.
    @Test(arguments: [(100, 30), (120, 40), (200, 60)].map { Size(columns: $0.0, rows: $0.1) })
    func usageFillsItsPage(size: Size) throws {
        let picture = Given.pressed(try Given.demo(size: size, opening: "code/ada"), .enter, .character("4")).picture(size)
        let graph = try #require(picture.find("╭─ \(SessionsGraphWords.pastDay) "), "\(picture.text)")
        let use = try #require(picture.find("╭─ \(SessionWords.use) "))
        #expect(graph.top < use.top)
        let rows = picture.text.split(separator: "\n")
        #expect(rows.contains { $0.contains("│ git ") && $0.contains("━━━━━━━━━━  ×") && $0.contains(" in total  ") }, "\(picture.text)")
        guard size.rows >= 40 else { return }
        #expect(rows.contains { $0.contains("→ token issued  ") })
        #expect(!picture.text.contains("  renewed  "))
    }

    /// The page of a session has two columns before the list has details beside it.
    @Test func pageHasTwoColumns() throws {
        let size = Size(columns: 100, rows: 30)
        let picture = try Given.session().picture(size)
        let overview = try #require(picture.find("╭─ \(SessionDetailsPaneWords.overview)"), "\(picture.text)")
        #expect(picture.find("╭─ \(SessionWords.tokens)")?.top == overview.top)
    }

    /// The length of a token has one row, or none.
    @Test(arguments: [60, 80, 100, 112, 120, 160, 200])
    func lengthOfATokenIsNotWrapped(columns: Int) throws {
        let size = Size(columns: columns, rows: 60)
        var state = try Given.session()
        _ = state.take(.resized(size))
        var detail = Sample.detail(try #require(state.model.sessions?.first))
        for index in detail.tokens.indices {
            detail.tokens[index].redacted = UserMessage("phrase.text_with_character_count", ["text": "eyJhbG", "count": 812])
        }
        _ = state.take(.sessionLoaded(detail.summary.name, .success(detail)))
        for state in [state, Given.pressed(state, .character("2"))] {
            let text = state.picture(size).text
            #expect(text.contains("eyJhbG…"), "\(text)")
            for row in text.split(separator: "\n") {
                #expect(row.contains("[812") == row.contains("[812 characters]"), "\(row)")
                #expect(row.contains("characters]") == row.contains("[812 characters]"), "\(row)")
            }
        }
    }

    /// Beside the list, a warning does not say what the state says above it.
    @Test(arguments: [("the refresh token has expired", false), ("the account has two names", true)])
    func reasonIsNotAWarningToo(warning: String, isShown: Bool) throws {
        let session = try Sample.session("old/marie", .needsSignIn, left: .seconds(-60), renewable: false, warnings: [warning])
        var state = Given.loaded(
            providers: [try Sample.provider("old")], sessions: [session], size: Size(columns: 200, rows: 60))
        let entry = Activity(
            at: Sample.now - .seconds(60), kind: .renewalFailed, session: session.name,
            message: .verbatim("the refresh token has expired"))
        _ = state.take(.serviceReported(.activity(entry)))
        let text = state.picture().text
        #expect(text.contains("The refresh token has expired."))
        #expect(text.contains("Warnings") == isShown, "\(text)")
    }

    /// Where only a new sign-in helps, its key is first in the head, among the actions and in the footer; the impossible actions are one
    /// line after the others.
    @Test(arguments: [(80, 60), (120, 40), (200, 60)].map { Size(columns: $0.0, rows: $0.1) })
    func cureOfAnEndedSessionIsFirst(size: Size) throws {
        let session = try Sample.session("old/marie", .needsSignIn, left: .seconds(-60), renewable: false)
        var state = Given.loaded(providers: [try Sample.provider("old")], sessions: [session], size: size)
        _ = state.press(.right)
        let screen = try #require(state.current.as(SessionScreen.self))
        #expect(screen.keyHints(in: state.model).first == KeyHint(keys: [.character("s")], label: SessionWords.signInAgain))
        let picture = state.picture(size)
        let cure = try #require(picture.find("s  \(SessionWords.signInAgain)"), "\(picture.text)")
        let first = try #require(picture.find("s   \(SessionWords.helpSignIn)"), "\(picture.text)")
        let second = try #require(picture.find("i   \(InspectorWords.help.prefix(10))"))
        let others = try #require(picture.find("not now: \(SessionWords.keyRenew), \(SessionWords.keyCopy)"))
        #expect(cure.top < first.top && first.top < second.top && second.top < others.top)
        #expect(!picture.text.contains("r   fetch"))
    }

    /// The state, and what helps, are above each part.
    @Test(arguments: SessionDetailsPane.Tab.allCases)
    func eachPartTellsTheState(tab: SessionDetailsPane.Tab) throws {
        for size in [(80, 24), (120, 40), (200, 60)].map({ Size(columns: $0.0, rows: $0.1) }) {
            let state = Given.pressed(try Given.sessions(size: size), .character(Character("\(tab.rawValue + 1)")))
            #expect(state.picture(size).text.contains("Enter  \(SessionWords.signInAgain)"), "\(state.picture(size).text)")
        }
    }

    /// The values begin in one column, so a name gives up its meaning where both would leave too little space for the value.
    @Test(arguments: [
        ("acr", "assurance level", 30, "acr (assurance level)"), ("acr", "assurance level", 20, "acr"),
        ("groups", "groups", 30, "groups"), ("x", nil, 30, "x"),
    ])
    func nameOfAClaimGivesUpItsMeaning(name: String, meaning: String?, columns: Int, shown: String) {
        #expect(SessionPage.nameOfClaim(name, meaning, columns: columns) == shown)
    }

    @Test(arguments: [(0, 40), (40, 22), (60, 27), (200, 40)])
    func namesOfClaimsLeaveMostOfThePage(columns: Int, width: Int) {
        #expect(SessionPage.widthOfClaimNames(in: columns) == width)
    }

    /// Where the titles have no space beside each other, the visible part has its own.
    @Test func narrowPageNamesTheVisiblePart() throws {
        let size = Size(columns: 40, rows: 10)
        var state = try Given.session()
        _ = state.take(.resized(size))
        #expect(state.picture(size).text.contains(" 1 Overview  2  3  4"))
        _ = state.press(.character("4"))
        #expect(state.picture(size).text.contains(" 1  2  3  4 Usage"))
    }

    /// A token that is shown is at the top of the visible part.
    @Test func shownTokenIsOnEachPart() throws {
        let name = try Sample.name("work/ada@example.org")
        for tab in SessionDetailsPane.Tab.allCases {
            var state = Given.pressed(try Given.session(), .character(Character("\(tab.rawValue + 1)")), .character("v"))
            _ = state.take(.tokenShown(name, .access, .success(Secret("secret-123")), at: Sample.now))
            #expect(state.picture().text.contains("secret-123"), "\(tab)")
        }
    }

    @Test func tabGivesTheArrowsToTheDetails() throws {
        var state = Given.pressed(try wide(), .down, .tab, .down)
        #expect(state.currentTraits.selectedRow == 1)
        #expect(state.press(.character("r")) == [.renew(try Sample.name("lab/grace"))], "other keys still act on the session")
        _ = state.press(.escape)
        _ = state.press(.down)
        #expect(state.currentTraits.selectedRow == 2)
    }

    /// A list that leaves space has the details below it, with the same keys; one that needs the space has none.
    @Test func detailsAreBelowAShortListOnANarrowTerminal() throws {
        var state = try Given.sessions()
        let lines = state.picture().text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[11].hasPrefix("╭─ old/marie ─") && lines[11].hasSuffix("4 Usage ─╮"), "\(lines)")
        #expect(lines[21].hasPrefix("╰─"))
        _ = state.press(.tab)
        #expect(state.current.as(SessionsScreen.self)?.pane?.isFocused == true)
        state.model.sessions = try (0..<30).map { number in
            var session = try #require(try Sample.sessions().first)
            session.name = try Sample.name("lab/user\(number)")
            return session
        }
        _ = state.take(.ticked(Sample.now + .seconds(1)))
        #expect(state.current.as(SessionsScreen.self)?.pane == nil)
    }

    @Test func smallTerminalSaysWhyThereAreNoDetails() throws {
        var state = try Given.sessions(size: Self.low)
        #expect(state.press(.tab) == [])
        #expect(state.notice?.text == SessionDetailsPaneWords.needsLargerTerminal)
    }

    @Test func clickOnATitleSortsAndOnACountFilters() throws {
        var state = try Given.sessions()
        func click(_ text: String) throws {
            let place = try #require(state.picture().find(text))
            _ = state.take(.mouseUsed(MouseEvent(.pressed, at: place.origin)))
        }
        try click("Time left")
        #expect(state.current.as(SessionsScreen.self)?.order == .timeLeft)
        #expect(state.picture().text.contains("Time left ▴"))
        try click("1 needs action")
        #expect(state.current.as(SessionsScreen.self)?.order == .attention)
        try click("1 expiring")
        #expect(state.current.as(SessionsScreen.self)?.matches.count == 1)
        #expect(state.picture().text.contains("lab/grace"))
    }

    /// A few letters are enough where no text contains the words, and Esc keeps the selection.
    @Test func filterFindsLettersInOrder() throws {
        var state = Given.pressed(try Given.sessions(), .character("/"))
        state.type("wkad")
        #expect(state.current.as(SessionsScreen.self)?.matches.count == 2)
        state.type("min")
        _ = state.press(.escape)
        #expect(state.current.as(SessionsScreen.self)?.selectedName == (try Sample.name("work/admin")))
        #expect(state.current.as(SessionsScreen.self)?.matches.count == 4)
    }

    @Test func clickOnATitleInThePathGoesBackThere() throws {
        var state = Given.pressed(try Given.sessions(size: Self.wide), .end, .enter, .character("i"))
        #expect(state.opened.count == 2)
        let place = try #require(state.picture().find("Sessions"))
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: place.origin)))
        #expect(state.opened.isEmpty)
    }

    /// The row is highlighted for less than half a second, and the app then returns to its slow ticks.
    @Test func rowOfAUsedSessionLightsUpForAMoment() throws {
        var state = try wide()
        let name = try Sample.name("work/ada@example.org")
        let entry = Activity(at: Sample.now, kind: .issued, session: name, message: .verbatim("access token for git"))
        func surface() throws -> Surface? {
            state.picture().style(at: try #require(state.picture().find("work/ada@example.org")).origin)?.surface
        }
        #expect(try surface() == .screen)
        _ = state.take(.serviceReported(.activity(entry)))
        #expect(try surface() == .notice)
        #expect(TerminalAppRoot.nextTick(in: state) == AppState.frameTime)
        _ = state.take(.ticked(Sample.now + .milliseconds(500)))
        #expect(try surface() == .screen)
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1))
        state.model.motion = .off
        _ = state.take(.serviceReported(.activity(entry)))
        #expect(try surface() == .screen)
    }

    @Test func usesOfTheLastDayAreDrawnAsBars() throws {
        var state = try Given.sessions()
        let name = try Sample.name("lab/grace")
        for hours in [1, 1, 1, 20, 30] {
            let entry = Activity(at: Sample.now - .seconds(hours * 3600), kind: .issued, session: name, message: .verbatim("x"))
            state.model.activity.insert(entry, at: 0)
        }
        #expect(UseHistory(state.model.activity, now: Sample.now)[name] == [0, 1, 0, 0, 0, 0, 0, 3])
        #expect(state.picture().text.contains("·▁·····▃"))
    }

    /// Where there is room, no value is cut, and what follows the facts stands side by side.
    @Test(arguments: [(120, 40), (160, 50), (200, 60)].map { Size(columns: $0.0, rows: $0.1) })
    func largeDetailsAreWhole(size: Size) throws {
        let picture = try Given.demo(size: size, opening: "code/ada").picture(size)
        let pane = try #require(picture.find("╭─ code/ada"))
        let rows = picture.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(pane.top)
        let cut = rows.filter { $0.dropFirst(pane.left).contains("…") }
        #expect(cut.allSatisfy { $0.contains("eyJ") }, "only tokens are cut: \(cut)")
        guard size.columns == 200 else { return }
        #expect(rows.contains { $0.contains(SessionDetailsPaneWords.programs + "  ") && $0.contains("  \(ActivityWords.title)  ") })
    }

    /// The first screen says what the program is, as far as there is room.
    @Test func headerSaysWhatTheProgramIs() throws {
        func header(_ state: AppState) -> Substring { state.picture().text.split(separator: "\n")[0] }
        #expect(header(try wide()).contains("Sessions  \(Words.tagline)  "))
        #expect(header(try Given.sessions()).contains("Sessions  \(Words.taglineInShort)  "))
        #expect(!header(try Given.sessions(size: Size(columns: 60, rows: 20))).contains("OAuth"))
        #expect(!header(Given.pressed(try wide(), .character("a"))).contains("OAuth"))
    }

    /// The counts by state add up to the number of sessions in the header.
    @Test func headerSaysHowManySessionsNeedTheUser() throws {
        #expect(try Given.sessions().picture().text.contains("agent ● · 08:30 · 4 sessions ▲1"))
        var alone = try Given.sessions()
        alone.model.usesAgent = false
        #expect(alone.picture().text.contains("agent ○"))
        var gone = try Given.sessions()
        _ = gone.take(.serviceWentAway)
        #expect(gone.picture().text.contains("agent ○"))
    }

    /// The clock ticks when the minute changes, not a minute after the app started.
    @Test func clockTicksWithTheMinute() throws {
        var state = Given.loaded()
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(60))
        _ = state.take(.ticked(Sample.now + .milliseconds(48_500)))
        #expect(TerminalAppRoot.nextTick(in: state) == .milliseconds(11_500))
    }
}

/// Times on the screen are the user's.
@Suite struct LocalTimeTests {
    /// A zone with summer time from 2026-03-29 01:00 to 2026-10-25 01:00 UTC.
    private static func rule(_ moment: Timestamp) -> (offset: Duration, name: String) {
        (1_774_746_000_000..<1_792_890_000_000).contains(moment.milliseconds) ? (.seconds(7200), "CEST") : (.seconds(3600), "CET")
    }

    @Test func changesOfTheOffsetAreFoundToTheSecond() {
        let zone = LocalTime(around: Sample.now, rule: Self.rule)
        for milliseconds: Int64 in [1_774_745_999_000, 1_774_746_000_000, 1_792_889_999_000, 1_792_890_000_000] {
            let moment = Timestamp(milliseconds: milliseconds)
            #expect(zone.period(at: moment).offset == Self.rule(moment).offset)
        }
        Words.$localTime.withValue(zone) {
            #expect(Words.time(Sample.now, now: Sample.now) == "09:30")
            #expect(Words.time(Timestamp(milliseconds: 1_792_889_999_000), now: Sample.now) == "2026-10-25 02:59")
        }
    }

    @Test func headerShowsTheUsersTime() throws {
        var state = try Given.sessions()
        state.model.localTime = LocalTime(around: Sample.now, rule: Self.rule)
        var buffer = ScreenBuffer(size: state.model.size)
        TerminalAppRoot.render(state, theme: .uncoloured, into: &buffer)
        #expect(buffer.text.contains("· 09:30 ·"))
    }
}
