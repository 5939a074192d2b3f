import AuthModel
import Localization
import TerminalUI
import Testing

@testable import TerminalApp

/// Messages go in; the new state and the commands come out.
@Suite struct UpdateTests {
    let run = RunID(number: 1)

    private func signingIn(_ state: AppState) throws -> SigningInScreen {
        try #require(state.current.as(SigningInScreen.self))
    }

    @Test func homeListsKnownAccountsFirst() throws {
        let state = try Given.firstRun()
        let entries = SignInChoice.all(in: state.model).map { "\($0.provider.name) \(HomeWords.entry($0))" }
        #expect(entries == ["lab Sign in", "lab Sign up", "work Sign in as ada@example.org", "work Sign in as another user"])
    }

    @Test func choosingALineBeginsThatSignIn() throws {
        var state = Given.pressed(try Given.firstRun(), .down)
        let commands = state.press(.enter)
        let lab = try #require(ProviderName("lab"))
        #expect(commands == [.beginSignIn(SignInRequest(provider: lab, purpose: .signUp), run)])
    }

    @Test func signInWithALockedStoreSaysHowToUnlock() throws {
        var state = Given.loaded(providers: [try Sample.provider("work")], seal: .locked(isNew: false))
        #expect(state.press(.escape) == [])
        #expect(state.press(.enter) == [])
        #expect(state.notice?.text == LockWords.locked)
    }

    @Test func pickerFiltersByEveryTypedWord() throws {
        var state = Given.pressed(try Given.firstRun(), .character("s"))
        state.type("WORK els")
        let empty = try #require(state.current.as(PickerScreen.self))
        #expect(empty.matches.isEmpty)
        for _ in 0..<4 { _ = state.press(.backspace) }
        let picker = try #require(state.current.as(PickerScreen.self))
        #expect(picker.matches.map(\.account) == ["ada@example.org", nil])
        #expect(state.press(.escape).isEmpty)
        let cleared = try #require(state.current.as(PickerScreen.self))
        #expect(cleared.matches.count == 3)
        _ = state.press(.escape)
        #expect(state.opened.isEmpty)
    }

    /// Servers on one machine differ only in their ports.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 100, rows: 30)])
    func pickerShowsThePortOfAnAddress(size: Size) throws {
        let addresses = ["http://127.0.0.1:39812", "accounts.department.of-a-very-long-host-name.example.org:8443"]
        let providers = try [Sample.provider("lab", address: addresses[0]), Sample.provider("work", address: addresses[1])]
        let state = Given.pressed(Given.loaded(providers: providers, size: size), .character("s"))
        _ = try #require(state.current.as(PickerScreen.self))
        let rows = state.picture().text.split(separator: "\n")
        #expect(rows.contains { $0.contains(" 127.0.0.1:39812 ") })
        #expect(rows.contains { $0.contains("accounts.") && $0.contains("…") && $0.contains(":8443") })
    }

    @Test func pickerSelectsTheAccountOfTheSelectedSession() throws {
        let state = Given.pressed(try Given.sessions(), .down, .down, .character("s"))
        let picker = try #require(state.current.as(PickerScreen.self))
        #expect(picker.matches[picker.selected].account == "ada@example.org")
    }

    @Test func stepsRecordTheirDurations() throws {
        let screen = try signingIn(try Given.signingIn())
        #expect(
            screen.steps.map(\.progress) == [
                .done(took: .milliseconds(320)), .done(took: .milliseconds(140)), .running(since: Sample.now + .milliseconds(460)),
                .pending,
                .pending, .pending,
            ])
    }

    @Test func extraStepIsInsertedBeforePendingSteps() throws {
        var state = try Given.signingIn()
        let own = SignInStep(id: "push", title: "Push the request")
        _ = state.take(.signInReported(run, .began(own), at: Sample.now))
        #expect(try signingIn(state).steps.map(\.step.id) == ["discover", "open", "wait", "push", "exchange", "verify", "seal"])
    }

    @Test func onlyPlannedStepsAreListed() throws {
        var state = try Given.askedForm()
        let own = SignInStep(id: "publisher", title: "Sign in at the publisher")
        _ = state.take(.signInReported(run, .planned([own, .wait, .seal]), at: Sample.now))
        #expect(try signingIn(state).steps.map(\.step.id) == ["publisher", "wait", "seal"])
        // A step that has begun stays in the list, even if a later plan omits it.
        _ = state.take(.signInReported(run, .began(own), at: Sample.now))
        _ = state.take(.signInReported(run, .planned([own, .exchange]), at: Sample.now))
        #expect(try signingIn(state).steps.map(\.step.id) == ["publisher", "exchange"])
        #expect(try signingIn(state).steps.map(\.progress) == [.running(since: Sample.now), .pending])
    }

    @Test func eventsOfAnotherRunAreIgnored() throws {
        var state = try Given.signingIn()
        let before = state
        let failure = AuthFailure(.timedOut, text: "nobody came")
        #expect(state.take(.signInReported(RunID(number: 9), .finished(.failure(failure)), at: Sample.now)) == [])
        #expect(state == before)
    }

    @Test func openedPageOpensInTheBrowser() throws {
        var state = Given.pressed(Given.loaded(providers: [try Sample.provider("work")]), .enter)
        let url = try Sample.url()
        let provider = try #require(ProviderName("work"))
        #expect(
            state.take(.signInReported(run, .available(.browser(url: url, redirect: "http://127.0.0.1:1/")), at: Sample.now))
                == [.openBrowser(url, provider)])
        #expect(state.press(.character("b")) == [])
        #expect(state.notice?.text == SigningInWords.browserIsOpening)
    }

    @Test func signUpPageOpensBeforeTheSignInPage() throws {
        var state = Given.pressed(Given.loaded(providers: [try Sample.provider("work", signUp: true)]), .down, .enter)
        let page = try Sample.url("https://id.example.org/register")
        let url = try Sample.url()
        let provider = try #require(ProviderName("work"))
        #expect(state.take(.signInReported(run, .available(.signUpPage(page)), at: Sample.now)) == [.openBrowser(page, provider)])
        #expect(state.take(.signInReported(run, .available(.browser(url: url, redirect: "")), at: Sample.now)) == [])
        #expect(try signingIn(state).url == page)
        #expect(state.press(.enter) == [.openBrowser(url, provider)])
        #expect(try signingIn(state).url == url)
    }

    @Test func rejectedCallbacksAreLimitedInTheRemarks() throws {
        var state = try Given.signingIn()
        for index in 0..<100 {
            _ = state.take(.signInReported(run, .ignoredCallback(reason: "wrong state"), at: Sample.now))
            _ = state.take(.signInReported(run, .ignoredCallback(reason: .verbatim("reason \(index)")), at: Sample.now))
        }
        #expect(try signingIn(state).remarks.count == SigningInScreen.remarkLimit)
    }

    @Test func escapeCancelsAndLeaves() throws {
        var state = try Given.signingIn()
        #expect(state.press(.escape) == [.cancelSignIn(run)])
        #expect(state.opened.isEmpty)
    }

    @Test func controlCCancelsFromHelpAndPasteForm() throws {
        for key in [Key.character("?"), .character("p")] {
            var state = Given.pressed(try Given.signingIn(), key)
            #expect(state.press(.control("c")) == [.cancelSignIn(run)])
            #expect(state.opened.isEmpty)
            #expect(state.press(.control("c")) == [.quit])
        }
    }

    /// A sign-in that stays open below another one has a port too.
    @Test func controlCCancelsEverySignInThatItCloses() throws {
        var state = Given.pressed(try Given.signingIn(), .character(":"))
        state.type("sign in to work")
        #expect(state.press(.enter) == [.beginSignIn(SignInRequest(provider: try #require(ProviderName("work"))), RunID(number: 2))])
        _ = state.press(.character("?"))
        #expect(state.press(.control("c")) == [.cancelSignIn(run), .cancelSignIn(RunID(number: 2))])
        #expect(state.opened.isEmpty)
    }

    @Test func resultBehindTheHelpWaits() throws {
        var state = Given.pressed(try Given.signingIn(), .character("?"))
        _ = state.take(.signInReported(run, .finished(.success(try Sample.session("work/ada"))), at: Sample.now))
        #expect(state.current.screen is HelpScreen)
        _ = state.press(.escape)
        #expect(state.current.screen is WelcomeScreen)
    }

    @Test func selectionStaysOnItsSession() throws {
        var state = try Given.sessions()
        for _ in 0..<2 { _ = state.press(.down) }
        let others = try Sample.sessions() + [try Sample.session("zoo/keeper")]
        let before = [try Sample.session("able/baker")]
        _ = state.take(.serviceReported(.sessionsChanged(before + others)))
        let screen = try #require(state.home.as(SessionsScreen.self))
        #expect(screen.selection(in: state.model)?.name == (try Sample.name("work/ada@example.org")))
    }

    @Test func filterFindsStatesNamesAndScopes() throws {
        var state = Given.pressed(try Given.sessions(), .character("/"))
        state.type("again")
        let screen = try #require(state.home.as(SessionsScreen.self))
        #expect(screen.matches.map { state.model.sessions?[$0].name.description } == ["old/marie"])
        _ = state.press(.escape)
        let all = try #require(state.home.as(SessionsScreen.self))
        #expect(all.matches.count == 4 && !all.isFiltering)
    }

    @Test(arguments: [Key.character("r"), .character("y")])
    func renewAndCopySayThatTheUserMustSignInAgain(key: Key) throws {
        var state = try Given.sessions()
        #expect(state.press(key) == [])
        #expect(state.notice?.text == SessionWords.onlySignInHelps)
    }

    @Test func renewingIsShownAtOnceAndNotRepeated() throws {
        var state = Given.pressed(try Given.sessions(), .down)
        let name = try Sample.name("lab/grace")
        #expect(state.press(.character("r")) == [.renew(name)])
        #expect(state.model.session(name).map { state.model.state(of: $0) } == .renewing)
        #expect(state.press(.character("r")) == [])
        #expect(state.notice?.text == SessionWords.isRenewing)
        let renewed = try Sample.session("lab/grace")
        _ = state.take(.renewalEnded(name, .success(renewed)))
        #expect(state.model.session(name) == renewed)
        #expect(state.model.renewing.isEmpty)
    }

    @Test func transientRenewalFailureCanBeRetried() throws {
        var state = Given.pressed(try Given.sessions(), .down)
        let name = try Sample.name("lab/grace")
        _ = state.press(.character("r"))
        _ = state.take(.renewalEnded(name, .failure(AuthFailure(.unavailable(retryAfter: nil), text: "no answer"))))
        #expect(state.notice?.text == "Could not renew lab/grace: no answer. Press r to try again.")
        #expect(state.press(.character("r")) == [.renew(name)])
        #expect(state.opened.isEmpty)
    }

    @Test func lockingHidesTheClaims() throws {
        var state = try Given.session()
        #expect(state.picture().text.contains("Ada Lovelace"))
        #expect(state.press(.character("L")) == [.lock])
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(!state.picture().text.contains("Ada Lovelace"))
        _ = state.press(.escape)
        #expect(state.picture().text.contains("The claims are sealed. Press L to unlock the store."))
        _ = state.press(.character("L"))
        let name = try Sample.name("work/ada@example.org")
        // The screen and the details below the list are both read again.
        #expect(state.take(.unlockEnded(nil)) == [.load, .loadActivity, .loadSession(name), .loadSession(name)])
    }

    @Test(arguments: [(0, SignOutMode.revoke), (1, .endBrowserSession)])
    func providerSignOutBeginsAtOnce(index: Int, mode: SignOutMode) throws {
        var state = Given.pressed(try Given.session(), .character("o"))
        for _ in 0..<index { _ = state.press(.down) }
        #expect(state.press(.enter) == [.signOut(try Sample.name("work/ada@example.org"), mode)])
    }

    @Test func forgettingAsksAndSelectsTheSafeAnswer() throws {
        var state = Given.pressed(try Given.session(), .character("x"))
        #expect(state.press(.enter) == [])
        _ = state.press(.character("x"))
        _ = state.press(.tab)
        #expect(state.press(.enter) == [])
        #expect(state.model.forgetting.map(\.name) == [try Sample.name("work/ada@example.org")])
    }

    @Test func signOutInTheBackgroundShowsANotice() throws {
        var state = try Given.session()
        let name = try Sample.name("work/ada@example.org")
        _ = state.press(.character("o"))
        _ = state.press(.enter)
        _ = state.press(.escape)
        let entries: [SignOutReceipt.Entry] = [.init(.revokeRefreshToken, .done), .init(.forget, .done)]
        _ = state.take(.signOutEnded(name, .revoke, .success(SignOutReceipt(session: name, entries: entries))))
        #expect(state.notice == Notice("signed out of work/ada@example.org", .good))
    }

    @Test func endingTheBrowserSessionOpensItsPage() throws {
        var state = try Given.session()
        let name = try Sample.name("work/ada@example.org")
        let page = try Sample.url("https://id.example.org/logout")
        _ = state.press(.character("o"))
        _ = state.press(.character("2"))
        let receipt = SignOutReceipt(session: name, entries: [.init(.forget, .done)], browserURL: page)
        #expect(state.take(.signOutEnded(name, .endBrowserSession, .success(receipt))) == [.openBrowser(page, name.provider)])
        #expect(state.current.screen is ReceiptScreen)
    }

    @Test func activityIsLimitedAndNewestFirst() throws {
        var state = try Given.sessions()
        for index in 0..<(AppModel.activityLimit + 5) {
            _ = state.take(
                .serviceReported(.activity(Activity(at: Sample.now, kind: .renewed, session: nil, message: .verbatim("\(index)")))))
        }
        #expect(state.model.activity.count == AppModel.activityLimit)
        #expect(ActivityScreen(in: state.model).selectedLine?.newest.message.text() == "\(AppModel.activityLimit + 4)")
    }

    @Test func loadedActivityComesBeforeReceivedActivity() throws {
        var state = try Given.sessions()
        func entry(_ text: String) -> Activity { Activity(at: Sample.now, kind: .renewed, session: nil, message: .verbatim(text)) }
        _ = state.take(.serviceReported(.activity(entry("heard"))))
        // The newest first; the newest was already received as an event.
        _ = state.take(.activityLoaded([entry("heard"), entry("late"), entry("early")]))
        #expect(state.model.activity.map { $0.message.text() } == ["early", "late", "heard"])
    }

    @Test func failedLoadIsAProblemWithARetry() throws {
        var state = AppState(TerminalAppSettings(themes: Sample.themes, theme: ""), now: Sample.now)
        _ = state.take(.loadFailed(AuthFailure(.configuration, text: "line 3: unknown key isuer", hint: "did you mean issuer")))
        #expect(state.picture().text.contains("Line 3: unknown key isuer."))
        #expect(state.press(.character("r")) == [.load])
    }

    @Test func scrollingStopsAtTheEnd() throws {
        var state = try Given.session()
        for _ in 0..<200 { _ = state.press(.down) }
        let far = try #require(state.current.as(SessionScreen.self))
        _ = state.press(.up)
        let back = try #require(state.current.as(SessionScreen.self))
        #expect(far.scroll > 0 && back.scroll == far.scroll - 1)
    }

    @Test func tenThousandSessionsAreFilteredByKey() throws {
        let sessions = try (0..<10_000).map { try Sample.session("p/account-\($0)") }
        var state = Given.pressed(Given.loaded(providers: [try Sample.provider("p")], sessions: sessions), .end)
        #expect(state.picture().text.contains("p/account-9999"))
        _ = state.press(.character("/"))
        state.type("777")
        let screen = try #require(state.home.as(SessionsScreen.self))
        #expect(screen.matches.count == 19)
    }

    /// A token is in the state only while the screen shows it.
    @Test func revealedTokenIsMaskedAfterTenSeconds() throws {
        var state = try Given.session()
        let name = try Sample.name("work/ada@example.org")
        #expect(state.press(.character("v")) == [.showToken(name, .access)])
        _ = state.take(.tokenShown(name, .access, .success(Secret("at-secret-123")), at: Sample.now))
        #expect(state.picture().text.contains("at-secret-123"))
        #expect(!String(describing: state).contains("at-secret-123"))
        _ = state.take(.ticked(Sample.now + .seconds(9)))
        #expect(state.picture().text.contains("at-secret-123"))
        _ = state.take(.ticked(Sample.now + .seconds(10)))
        #expect(!state.picture().text.contains("at-secret-123"))
        let shown = Message.tokenShown(name, .access, .success(Secret("at-secret-123")), at: Sample.now + .seconds(10))
        // One that the inspector asked for.
        _ = state.take(shown)
        #expect(!state.picture().text.contains("at-secret-123"))
        _ = state.press(.character("v"))
        _ = state.take(shown)
        #expect(state.picture().text.contains("at-secret-123"))
        _ = state.press(.character("v"))
        #expect(!state.picture().text.contains("at-secret-123"))
        _ = state.press(.character("v"))
        _ = state.take(shown)
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(!state.picture().text.contains("at-secret-123"))
    }

    /// The inspector says whose tokens it shows: beside its title, unless the breadcrumbs do.
    @Test func headingNamesTheSessionOnce() throws {
        func heading(_ state: AppState, _ columns: Int) -> Substring {
            state.picture(Size(columns: columns, rows: 24)).text.split(separator: "\n")[0]
        }
        let name = "work/ada@example.org"
        for columns in [40, 80, 120] { #expect(heading(try Given.inspector(), columns).ranges(of: name).count == 1, "\(columns)") }
        #expect(heading(try Given.inspector(), 120).hasPrefix(" yett › Sessions › \(name) › Inspect   "))
    }

    /// The heading shows as many breadcrumbs as fit, and always the screen itself.
    @Test(arguments: [
        (120, " yett › Sessions › work/ada@example.org › Sign out of work/ada@example.org"),
        (80, " yett › Sessions › work/ada@example.org › Sign out of work/ada@example.org"),
        (66, " yett › work/ada@example.org › Sign out of work/ada@example.org"), (60, " yett › Sign out of work/ada@example.org"),
        (36, " Sign out of work/ada@example.org"),
    ])
    func headingShowsTheBreadcrumbsThatFit(columns: Int, heading: String) throws {
        let state = Given.pressed(try Given.session(), .character("o"))
        #expect(state.picture(Size(columns: columns, rows: 24)).text.split(separator: "\n")[0].hasPrefix(heading))
    }
}
