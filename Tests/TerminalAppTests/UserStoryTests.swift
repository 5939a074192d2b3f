import AuthModel
import Localization
import Synchronization
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The most frequent tasks, by their keys, against a session service in memory.
@Suite struct UserStoryTests {
    let service = InMemorySessionService()
    let outside = RecordingEnvironment()

    private func app(_ sessions: [SessionSummary]) async throws -> ProgramDriver<TerminalAppRoot> {
        service.inside.withLock { $0.sessions = sessions }
        return await Given.app(service, outside)
    }

    private func sessions() throws -> [SessionSummary] {
        [
            try Sample.session("lab/ada", left: .seconds(3000)), try Sample.session("lab/grace", left: .seconds(900)),
            try Sample.session("work/ada", left: .seconds(1800)),
        ]
    }

    @Test func renewsTheSessionThatExpiresFirst() async throws {
        var app = try await app(try sessions())
        await app.press("z")
        #expect(app.screen.contains("sorted by time left"))
        await app.press(.home)
        await app.press("r")
        await app.settle { $0.model.renewing.isEmpty }
        #expect(app.screen.contains("renewed lab/grace"))
    }

    /// What the user sees without a key: in the demo, two of the sessions do not work.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40)])
    func whatIsBrokenIsOnTheFirstScreen(size: Size) throws {
        let rows = try Given.demo(size: size).picture(size).text.split(separator: "\n").map(String.init)
        let title = try #require(rows.firstIndex { $0.contains("Needs action  2") })
        #expect(rows[title + 1...title + 2].allSatisfy { $0.contains("▲") })
        // Where the column with the states is left out, no other column has their names.
        #expect(rows[title + 1...title + 2].contains { $0.prefix(60).contains("sign in again") } == (size.columns < 100))
        for name in ["billing/grace", "staging/linus"] {
            #expect(rows[title + 1...title + 2].contains { $0.contains(name) }, "\(name)")
        }
    }

    /// The words for the events are longer in some languages, but the programs have their place.
    @Test(arguments: Language.allCases) func latestActivityNamesThePrograms(language: Language) throws {
        let size = Size(columns: 120, rows: 40)
        let rows = try Language.$current.withValue(language) {
            try Given.demo(size: size).picture(size).text.split(separator: "\n").map(String.init)
        }
        // The panel is at the left, where the list of sessions has no programs.
        #expect(rows.contains { row in ["kubectl", "curl"].contains { row.prefix(64).contains($0) } }, "\(rows)")
    }

    @Test func oneKeySignsInAgain() async throws {
        let providers = [try Sample.provider("lab"), try Sample.provider("work")]
        service.inside.withLock { $0.providers = providers }
        var app = try await app([
            try Sample.session("lab/ada"), try Sample.session("work/ada", .needsSignIn, left: .seconds(-60), renewable: false),
        ])
        await app.press(.enter)
        let requests = service.inside.withLock { $0.attempts.map(\.request) }
        #expect(requests.map(\.provider.text) == ["work"] && requests.map(\.account) == ["ada"])
    }

    @Test func activityShowsWhichProgramUsedAToken() async throws {
        var app = try await app(try sessions())
        let (grace, ada) = (try Sample.name("lab/grace"), try Sample.name("lab/ada"))
        let uses = [("/usr/bin/git", ada), ("/usr/local/bin/kubectl", grace)].map { path, name in
            Activity(
                at: Sample.now, kind: .issued, session: name,
                message: UserMessage("activity.token_issued", ["program": UserMessage.verbatim(path), "restriction": UserMessage.empty]))
        }
        let others = [(Activity.Kind.renewed, grace), (.signedIn, ada)].map { kind, name in
            Activity(at: Sample.now, kind: kind, session: name, message: .verbatim(kind.rawValue))
        }
        for entry in uses + others { service.tell(.activity(entry)) }
        await app.settle { $0.model.activity.count == 4 }
        await app.press("a")
        #expect(app.screen.contains("git") && app.screen.contains("kubectl") && app.screen.contains("1 token"))
        #expect(!app.screen.contains("signed in"))
        await app.press("p")
        #expect(app.screen.contains("signed in"))
        await app.press("/")
        await app.type("grace issued")
        #expect(app.screen.contains("1 of 4"))
        #expect(app.screen.contains("kubectl"))
        #expect(!app.screen.contains("git"))
        // The first Enter accepts the filter, the second opens the session.
        await app.press(.enter)
        await app.press(.enter)
        #expect(app.state.trail.last == "lab/grace")
        await app.press(.escape)
        await app.press(.escape)
        #expect(app.screen.contains("git"), "Esc shows all again")
    }

    @Test func paletteFindsActionsForOneOfTenThousandSessions() async throws {
        let many = try (0..<10_000).map { try Sample.session("work/person\($0 + 10_000)") }
        var app = try await app(many)
        await app.press("T")
        await app.press(":")
        await app.type("14711")
        #expect(app.screen.contains("Open work/person14711") && app.screen.contains("Forget work/person14711"))
        await app.type(" renew")
        #expect(app.screen.contains("1 match"))
        await app.press(.enter)
        await app.settle { $0.model.renewing.isEmpty }
        #expect(app.state.trail.last == "Timeline")
        #expect(app.screen.contains("renewed work/person14711"))
    }

    @Test func signsOutEverywhere() async throws {
        let many = try (0..<20).map { try Sample.session("work/person\($0)") }
        var app = try await app(many)
        await app.press("O")
        #expect(app.screen.contains("Revokes the tokens of 20 sessions at their providers"))
        #expect(app.screen.contains("Enter Keep all sessions"))
        await app.press("y")
        await app.settle { if let screen = $0.current.as(SignOutEverywhereScreen.self) { screen.isOver } else { false } }
        #expect(app.screen.contains("✓ You are signed out of 20 sessions."))
        #expect(service.inside.withLock { Set($0.signedOut) } == Set(many.map(\.name)))
        await app.press(.enter)
        #expect(app.state.opened.isEmpty)
    }
}

/// Ending every session, a few at a time.
@Suite struct SignOutEverywhereTests {
    private func state(_ count: Int) throws -> (AppState, [Command]) {
        var state = Given.loaded(
            providers: [try Sample.provider("work")], sessions: try (0..<count).map { try Sample.session("work/person\($0 + 10)") })
        _ = state.press(.character("O"))
        let commands = state.press(.character("y"))
        return (state, commands)
    }

    private func ended(_ number: Int, _ outcome: SignOutReceipt.Outcome = .done) throws -> Message {
        let name = try Sample.name("work/person\(number + 10)")
        return .signOutEnded(name, .revoke, .success(SignOutReceipt(session: name, entries: [.init(.revokeRefreshToken, outcome)])))
    }

    @Test func signOutsRunAFewAtATime() throws {
        var (state, commands) = try state(20)
        #expect(commands.count == 8)
        #expect(state.take(try ended(3)) == [.signOut(try Sample.name("work/person18"), .revoke)])
        #expect(state.picture().text.contains("1 of 20"))
        // A result that this screen did not ask for changes nothing.
        #expect(state.take(try ended(15)) == [])
    }

    @Test func escapeStopsFurtherSignOuts() throws {
        var (state, _) = try state(20)
        #expect(state.press(.escape).isEmpty)
        #expect(state.opened.isEmpty)
        #expect(state.notice?.text == "stopped: 12 sessions remain")
        #expect(state.take(try ended(0)).isEmpty, "nothing more is begun")
    }

    @Test func namesTheSessionsThatFailed() throws {
        var (state, _) = try state(2)
        _ = state.take(try ended(0, .failed(reason: "the provider answered 503", isQueued: true)))
        let name = try Sample.name("work/person11")
        _ = state.take(
            .signOutEnded(name, .revoke, .failure(AuthFailure(.unavailable(retryAfter: nil), text: "nobody answers", hint: "try again"))))
        let text = state.picture().text
        #expect(text.contains("! Could not fully sign out of 2 sessions."))
        #expect(text.contains("✗ work/person10") && text.contains("Failed: the provider answered 503; it will be retried"))
        #expect(text.contains("✗ work/person11") && text.contains("Nobody answers"))
    }

    @Test func lockedStoreExplainsWhyNothingIsAsked() throws {
        var state = try Given.sessions()
        state.model.seal.state = .locked(isNew: false)
        #expect(state.press(.character("O")).isEmpty)
        #expect(state.notice?.text == LockWords.lockedSignOut)
    }
}
