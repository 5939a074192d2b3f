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
        var asksGuests = true
        var advice = ""
    }

    @Test func opensWithTheSessionsAndTheHistoryOfItsSeed() async throws {
        let world = try CommandWorld()
        var edges = world.edges(user: .init(hasTerminal: true), into: StreamRecorder(told: nil))
        let found = Mutex(Opened())
        edges.runApp = { (launch) throws(AuthFailure) in
            let opened = Opened(
                sessions: try await launch.service.sessions(), activity: try await launch.service.activity(1000),
                asksGuests: launch.environment.settings.asksGuests, advice: launch.environment.demoAdvice ?? "")
            found.withLock { $0 = opened }
        }
        #expect(await Program.run(["demo"], edges: edges) == 0)
        let opened = found.withLock { $0 }
        let own = DemoContent.places.flatMap { place in place.users.map { "\(place.name)/\($0)" } }
        let names = opened.sessions.map(\.name.description)
        #expect(Set(names).isSuperset(of: own) && names.count == own.count + 1, "\(names)")
        // The token of one second has ended, or is about to.
        let later = Timestamp(milliseconds: world.time.now.milliseconds + 2000)
        let broken = opened.sessions.filter { $0.hasEnded(at: later) }.map(\.name.description)
        #expect(Set(broken) == ["staging/linus", DemoContent.refused])
        #expect(opened.sessions.contains { $0.recordedState == .guest })
        // The list is the first thing to look at; a question to the guest would hide its top.
        #expect(!opened.asksGuests)
        #expect(opened.advice.contains("correct horse battery staple"))
        let used = Set(opened.activity.filter { $0.kind == .issued }.compactMap { $0.session?.description })
        #expect(used.isSuperset(of: DemoContent.history.filter { $0.program != nil }.map(\.session)))
        #expect(opened.activity.count { $0.kind == .renewed } >= DemoContent.history.count { $0.program == nil })
        // Nothing of it stays.
        #expect(world.files(containing: "staging").isEmpty)
    }
}
