import AuthModel
import Synchronization
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// Typical tasks in the app, key by key, against a session service in memory.
@Suite struct StoryTests {
    let service = InMemorySessionService()
    let outside = RecordingEnvironment()

    private func app(_ change: (inout InMemorySessionService.Inside) throws -> Void) async throws -> ProgramDriver<TerminalAppRoot> {
        try service.inside.withLock { try change(&$0) }
        return await Given.app(service, outside)
    }

    /// Goes through the first run until the browser is open.
    private func signingIn() async throws -> ProgramDriver<TerminalAppRoot> {
        var app = try await app { $0.providers = [try Sample.provider("work")] }
        await app.press(.enter)
        service.report(
            .deadline(Sample.now + .seconds(300)), .began(.discover), .completed(.discover),
            .hosts(authorization: "id.example.org", token: "token.example.org"), .began(.open),
            .available(.browser(url: try Sample.url(), redirect: "http://127.0.0.1:1/callback")), .available(.paste), .completed(.open),
            .began(.wait))
        await app.settle { state in
            guard let screen = state.current.as(SigningInScreen.self) else { return false }
            return screen.browser == .answered(.opened) && screen.takesPaste
        }
        return app
    }

    @Test func firstRunSaysHowToBegin() async throws {
        let app = try await app { _ in }
        #expect(app.screen.contains("yett providers add URL"))
        #expect(app.screen.contains("yett demo"))
    }

    /// The home screen sleeps without ticks: a sign-in that begins after that starts at the current time.
    @Test func signInAfterAnIdlePeriodHasItsFullTime() async throws {
        var app = try await app { $0.providers = [try Sample.provider("work")] }
        await app.advance(by: .seconds(50))
        await app.press(.enter)
        let began = Sample.now + .seconds(50)
        service.report(.deadline(began + .seconds(300)), .began(.discover))
        await app.settle { state in
            guard let screen = state.current.as(SigningInScreen.self) else { return false }
            return screen.deadline == began + .seconds(300)
        }
        guard let screen = app.state.current.as(SigningInScreen.self) else {
            Issue.record("no sign-in is open")
            return
        }
        #expect(screen.startedAt == began)
        #expect(app.state.model.now == began)
    }

    @Test func signsInThroughThePicker() async throws {
        var app = try await app { $0.providers = [try Sample.provider("lab"), try Sample.provider("work")] }
        await app.press("s")
        await app.type("wor")
        await app.press(.enter)
        #expect(service.inside.withLock { $0.attempts.map(\.request.provider.text) } == ["work"])
        let session = try Sample.session("work/ada")
        service.inside.withLock { $0.sessions = [session] }
        service.report(.finished(.success(session)))
        await app.settle { $0.current.screen is WelcomeScreen }
        #expect(app.screen.contains("Welcome, ada."))
        service.set(sessions: [session])
        await app.settle { $0.model.sessions?.count == 1 }
        await app.press(.enter)
        #expect(app.screen.contains("● signed in      work/ada"))
    }

    @Test func opensTheBrowserAndShowsWhereCredentialsGo() async throws {
        let app = try await signingIn()
        #expect(outside.inside.withLock { $0.opened } == [try Sample.url()])
        #expect(app.screen.contains("You sign in at  id.example.org, tokens come from token.example.org"))
        #expect(app.screen.contains("5 min 00 s left"))
    }

    @Test func signInContinuesIfTheBrowserDoesNotStart() async throws {
        outside.inside.withLock { $0.outcome = .failed(reason: "firefox: not found") }
        var app = try await app { $0.providers = [try Sample.provider("work")] }
        await app.press(.enter)
        service.report(.began(.open))
        service.report(.available(.browser(url: try Sample.url(), redirect: "http://127.0.0.1:1/callback")))
        service.report(.completed(.open))
        service.report(.began(.wait))
        await app.settle { state in
            guard let screen = state.current.as(SigningInScreen.self), case .answered = screen.browser else { return false }
            return screen.steps.contains { $0.step == .wait && $0.progress != .pending }
        }
        #expect(app.screen.contains("The browser did not start: firefox: not found."))
        #expect(app.screen.contains("✗ Open your browser"))
        #expect(app.screen.contains("https://id.example.org/authori"))
        await app.press("c")
        #expect(outside.inside.withLock { $0.copied } == [Sample.authorization])
    }

    @Test func failureShowsItsReasonAndCanBeRetried() async throws {
        var app = try await signingIn()
        service.report(
            .finished(.failure(AuthFailure(.denied(code: "access_denied"), text: "the provider said no", hint: "ask for access"))))
        await app.settle { $0.current.screen is ProblemScreen }
        #expect(app.screen.contains("The provider said no."))
        #expect(app.screen.contains("Ask for access."))
        await app.press("r")
        #expect(service.inside.withLock { $0.attempts.count } == 2)
        #expect(app.screen.contains("Finding out how to sign in to work."))
    }

    @Test(arguments: [Key.escape, .control("c")])
    func cancellingEndsTheAttempt(key: Key) async throws {
        var app = try await signingIn()
        await app.press(key)
        #expect(service.inside.withLock { $0.cancelled } == [SignInAttempt.ID("attempt 1")])
        #expect(app.screen.contains("sign-in cancelled; no session was added"))
        #expect(!app.hasEnded)
        await app.press(.control("c"))
        #expect(app.hasEnded)
    }

    @Test func pasteNeverSubmitsAndEnterDoes() async throws {
        var app = try await signingIn()
        await app.press("p")
        await app.paste("http://127.0.0.1:1/callback?code=\nplanted-code\n")
        #expect(service.inside.withLock { $0.pasted.isEmpty })
        #expect(!app.screen.contains("planted-code"))
        await app.press(.enter)
        #expect(service.inside.withLock { $0.pasted } == [Secret("http://127.0.0.1:1/callback?code=planted-code")])
    }

    @Test func leavingDuringASignInCancelsIt() async throws {
        service.inside.withLock { $0.providers = [] }
        let performer = EffectRunner(service: service, environment: outside.environment)
        let request = SignInRequest(provider: try Sample.name("work").provider)
        await performer.perform(.beginSignIn(request, RunID(number: 1))) { _ in }
        await performer.close()
        #expect(service.inside.withLock { $0.cancelled } == [SignInAttempt.ID("attempt 1")])
    }

    @Test(arguments: [Command.load, .reload, .loadActivity])
    func cancelledReadPostsNothing(command: Command) async throws {
        let performer = EffectRunner(service: service, environment: outside.environment)
        let posted = Mutex<[Message]>([])
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await performer.perform(command) { message in posted.withLock { $0.append(message) } }
        }
        await reading.value
        #expect(posted.withLock { $0 } == [])
        await performer.perform(command) { message in posted.withLock { $0.append(message) } }
        #expect(posted.withLock { $0.count } == 1)
    }

    @Test func signOutAsksForTheModeAndShowsTheReceipt() async throws {
        var app = try await app {
            $0.sessions = [try Sample.session("work/ada")]
            $0.receipt = [.init(.revokeRefreshToken, .failed(reason: "no answer", isQueued: true)), .init(.forget, .done)]
        }
        await app.press("o")
        #expect(app.screen.contains("How do you want to sign out of work/ada?"))
        await app.press(.enter)
        await app.settle { $0.current.screen is ReceiptScreen }
        #expect(app.screen.contains("✗ Revoke the refresh token        failed: no answer; it will be"))
        #expect(app.screen.contains("✓ Forget the session here         done"))
    }

    @Test func unlocksAfterAWrongPassphrase() async throws {
        var app = try await app {
            $0.sessions = [try Sample.session("work/ada")]
            $0.seal = .locked(isNew: false)
        }
        await app.type("wrong")
        #expect(app.screen.contains("•••••"))
        await app.press(.enter)
        #expect(app.screen.contains("That passphrase does not open the store."))
        await app.type("correct horse")
        await app.press(.enter)
        #expect(app.screen.contains("work/ada"))
        #expect(app.screen.contains("unlocked"))
        #expect(!String(reflecting: app.state).contains("correct horse"))
    }

    @Test func newPassphraseIsAskedForTwice() async throws {
        var app = try await app { $0.seal = .locked(isNew: true) }
        await app.type("one")
        await app.press(.enter)
        await app.type("other")
        await app.press(.enter)
        #expect(app.screen.contains("The passphrases do not match: type both again."))
        #expect(service.inside.withLock { $0.seal } == .locked(isNew: true))
        await app.type("same")
        await app.press(.tab)
        await app.type("same")
        await app.press(.enter)
        #expect(service.inside.withLock { $0.passphrase } == "same")
        #expect(service.inside.withLock { $0.seal } == .unlocked)
    }

    @Test func copiedTokenNeverEntersTheState() async throws {
        var app = try await app { $0.sessions = [try Sample.session("work/ada")] }
        await app.press("y")
        #expect(outside.inside.withLock { $0.copiedSecrets } == [Secret("planted-token")])
        #expect(app.screen.contains("copied the token of work/ada (cleared in 45 s); it is valid for 42 min"))
        var dump = ""
        Swift.dump(app.state, to: &dump)
        #expect(!dump.contains("planted-token"))
    }

    @Test func failedRenewalOffersASignIn() async throws {
        var app = try await app {
            $0.providers = [try Sample.provider("work", accounts: ["ada"])]
            $0.sessions = [try Sample.session("work/ada")]
            $0.renewal = AuthFailure(.signInAgain, text: "the provider ended the grant", hint: "sign in again")
        }
        await app.press("r")
        // The failure does not cover the list, and says which key helps.
        #expect(app.state.notice?.text == "Could not renew work/ada: the provider ended the grant. Press s to sign in again.")
        #expect(app.screen.contains("Could not renew work/ada: the provider ended the grant."))
        #expect(app.state.opened.isEmpty)
        await app.press("s")
        await app.press(.enter)
        #expect(service.inside.withLock { $0.attempts.map(\.request.account) } == ["ada"])
    }

    @Test func themesAreShownAtOnceAndSavedWithEnter() async throws {
        var app = try await app { $0.providers = [try Sample.provider("work")] }
        await app.press("t")
        await app.press(.down)
        #expect(TerminalAppRoot.theme(in: app.state).name == "night")
        #expect(outside.inside.withLock { $0.savedSettings } == [])
        await app.press(.escape)
        #expect(TerminalAppRoot.theme(in: app.state).name == "uncoloured")
        await app.press("t")
        await app.press(.down)
        await app.press(.enter)
        #expect(TerminalAppRoot.theme(in: app.state).name == "night")
        #expect(outside.inside.withLock { $0.savedSettings } == [SettingChange(.theme, .word("night"))])
    }

    @Test func deviceCodeIsRequestedForTheRunningAttempt() async throws {
        var app = try await signingIn()
        service.report(.deviceCodeOffered)
        await app.settle { state in
            guard let screen = state.current.as(SigningInScreen.self) else { return false }
            return screen.deviceCode == .offered
        }
        await app.press("d")
        #expect(service.inside.withLock { $0.codesAskedFor } == [SignInAttempt.ID("attempt 1")])
    }

    @Test func hostileTextIsSanitised() async throws {
        var app = try await signingIn()
        service.report(.warning("\u{1B}[31mred\u{202E}\u{200B}\u{7}"), .ignoredCallback(reason: "\u{9B}2J"))
        await app.settle { state in
            guard let screen = state.current.as(SigningInScreen.self) else { return false }
            return screen.remarks.count == 2
        }
        let scalars = app.screen.unicodeScalars.filter { $0 != "\n" }
        #expect(app.screen.contains("\u{FFFD}[31mred"))
        #expect(!scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E || $0.value == 0x200B })
    }

    @Test func runsOnATerminalAndQuits() async throws {
        service.inside.withLock { $0.sessions = [] }
        let keys: [InputEvent] = [.key(.character("t")), .key(.up), .key(.enter)]
        var terminal = ScriptedTerminal(size: Size(columns: 80, rows: 24), script: [keys, [.key(.character("q"))]])
        let leaving = TerminalApp.run(
            on: &terminal, service: service, environment: outside.environment)
        await leaving.finish()
        #expect(terminal.script.isEmpty)
        #expect(terminal.screen.text.contains("the gate of your terminal"))
        #expect(terminal.presented.last?.theme.name == "uncoloured")
    }
}
