import AuthModel
import Sandbox
import Synchronization
import TerminalApp
import Testing

@testable import CommandLineTool

/// `yett demo`, up to the app that it opens.
struct DemoTests {
    /// What the app finds when it opens.
    private struct Opened {
        var sessions: [SessionSummary] = []
        var activity: [Activity] = []
        var roles: [AccountRole] = []
        var asksGuests = true
        var advice = ""
    }

    @Test func opensWithTheSessionsAndTheHistoryOfItsSeed() async throws {
        let world = try CommandWorld()
        var edges = world.edges(user: .init(hasTerminal: true), into: StreamRecorder(told: nil))
        let found = Mutex(Opened())
        edges.runApp = { (launch) throws(AuthFailure) in
            guard let session = SessionName("aws/ada") else { return }
            let (sessions, activity) = (try await launch.service.sessions(), try await launch.service.activity(1000))
            // A use of the session, which the app has not made yet.
            let list = try await launch.service.perform(ListRoles(TokenRequest(session: session, caller: .verbatim("yett demo"))))
            let opened = Opened(
                sessions: sessions, activity: activity, roles: list.roles, asksGuests: launch.environment.settings.asksGuests,
                advice: launch.environment.demoAdvice ?? "")
            found.withLock { $0 = opened }
        }
        let begin = world.time.now
        #expect(await Program.run(["demo"], edges: edges) == 0)
        let opened = found.withLock { $0 }
        let own = DemoContent.places.flatMap { place in place.users.map { "\(place.name)/\($0)" } }
        let names = opened.sessions.map(\.name.description)
        #expect(Set(names).isSuperset(of: own) && names.count == own.count + 1, "\(names)")
        let broken = opened.sessions.filter { $0.hasEnded(at: world.time.now) }.map(\.name.description)
        #expect(Set(broken) == ["staging/linus", DemoContent.refused])
        #expect(opened.sessions.contains { $0.recordedState == .guest })
        // The list is the first thing to look at; a question to the guest would hide its top.
        #expect(!opened.asksGuests)
        #expect(opened.advice.contains("correct horse battery staple"))
        let used = Set(opened.activity.filter { $0.kind == .issued }.compactMap { $0.session?.description })
        #expect(used.isSuperset(of: DemoContent.history.filter { $0.program != nil }.map(\.session)))
        #expect(opened.activity.count { $0.kind == .renewed } >= DemoContent.history.count { $0.program == nil })
        // Each session was opened, renewed and used at its own time, and a token that was issued hours ago has lived as long.
        for (place, signIn) in DemoContent.places.flatMap({ place in place.signIns.map { (place, $0) } }) {
            let session = try #require(opened.sessions.first { $0.name.description == "\(place.name)/\(signIn.user)" })
            let renewal = DemoContent.renewals.first { $0.session == session.name.description && $0.session != DemoContent.refused }
            let expected = [
                (session.grantedAt, signIn.ago), (session.receivedAt, renewal?.ago ?? signIn.ago),
                (session.lastUsedAt ?? world.time.now, DemoContent.uses.first { $0.session == session.name.description }?.ago ?? .zero),
            ]
            let span = begin - .seconds(60)...world.time.now + .seconds(60)
            // One whose token is over soon may have been renewed since.
            let isRenewedSoon = (renewal?.ago ?? .zero) > place.lifetimes.accessToken / 2
            for (at, ago) in expected {
                #expect(span.contains(at + ago) || isRenewedSoon && span.contains(at), "\(session.name): \(at)")
            }
            if session.name.description != DemoContent.refused {
                #expect(session.accessExpiresAt == session.receivedAt + place.lifetimes.accessToken)
            }
        }
        // One sign-in opens the roles of all accounts, and those that were used are the first to choose.
        let recent = opened.activity.recentFirst(opened.roles, of: try #require(SessionName("aws/ada")))
        #expect(Set(recent.map(\.role.accountName)) == ["production", "staging", "development"] && recent.count == 6)
        #expect(recent.filter(\.isRecent).map(\.role.shownName) == ["production/ReadOnlyAccess", "development/AdministratorAccess"])
        #expect(opened.activity.map(\.at) == opened.activity.map(\.at).sorted(by: >))
        // Nothing of it stays.
        #expect(world.files(containing: "staging").isEmpty)
    }
}
