import AuthModel
import Localization
import Synchronization
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The rows of the running bridges to MCP servers.
@Suite struct BridgeTests {
    private static let ada = "work/ada@example.org"

    private func issued(_ later: Duration) throws -> Message {
        .serviceReported(.activity(try Given.use("/usr/bin/git", .zero - later)))
    }

    private func state(_ bridges: [RunningBridge], size: Size = Size(columns: 94, rows: 60)) throws -> AppState {
        var state = try Given.session()
        _ = state.take(.resized(size))
        _ = state.take(.activityLoaded(try Given.programActivity().reversed()))
        _ = state.take(.bridgesLoaded(bridges, at: Sample.now))
        return state
    }

    @Test func rowSaysWhoCallsWhatAndWhen() throws {
        let text = try state(Given.bridges()).picture(Size(columns: 94, rows: 60)).text
        let lines = text.split(separator: "\n").map(String.init)
        let title = try #require(lines.firstIndex { $0.contains("Bridges") })
        let programs = try #require(lines.firstIndex { $0.contains("Programs") })
        #expect(title < programs)
        let row = try #require(lines.first { $0.contains("mcp.example.org/mcp") })
        #expect(row.contains("claude") && row.contains("last call 2 min ago, next renewal"), "\(row)")
        #expect(lines.contains { $0.contains("cursor") && $0.contains("docs.example.org") && $0.contains("no call yet") }, "\(text)")
        #expect(!text.contains("other.example.org"), "another session's")
    }

    @Test func nothingIsShownWithoutABridge() throws {
        #expect(try !state([]).picture(Size(columns: 94, rows: 60)).text.contains("Bridges"))
    }

    @Test(arguments: [(Language.german, "Brücken"), (.spanish, "Puentes")])
    func titleIsTranslated(language: Language, title: String) throws {
        var state = try state(Given.bridges())
        state.model.language = language
        #expect(state.picture(Size(columns: 94, rows: 60)).text.contains(title))
    }

    /// With a use of a token at most every two seconds, and otherwise every ten seconds while there is a bridge.
    @Test func listIsReadAgainForAReason() throws {
        var state = try Given.session()
        #expect(try state.take(issued(.seconds(60))) == [], "no screen has asked for it")
        _ = state.take(.bridgesLoaded([], at: Sample.now))
        #expect(state.take(.ticked(Sample.now + .seconds(60))) == [], "without a bridge, nothing is read again by itself")
        _ = state.take(.bridgesLoaded([], at: Sample.now + .seconds(60)))
        #expect(try state.take(issued(.seconds(61))) == [])
        #expect(try state.take(issued(.seconds(62))) == [.loadBridges])
        #expect(try state.take(issued(.seconds(63))) == [], "it is being read")
        _ = state.take(.bridgesLoaded(try Given.bridges(), at: Sample.now + .seconds(64)))
        #expect(state.take(.ticked(Sample.now + .seconds(73))) == [])
        #expect(state.take(.ticked(Sample.now + .seconds(74))) == [.loadBridges])
        #expect(state.take(.ticked(Sample.now + .seconds(75))) == [])
    }

    /// A bridge that has not called yet has no account: it uses the default one.
    @Test func bridgeWithoutAnAccountUsesTheDefaultOne() throws {
        let server = try #require(WebURL("https://mcp.example.org/mcp"))
        let bridge = RunningBridge(
            process: 1, client: .verbatim("/usr/bin/claude"), server: server,
            session: SessionName(provider: try #require(ProviderName("work")), account: nil), lastCall: nil)
        var model = AppModel(now: Sample.now)
        model.bridges.update(to: [bridge], at: Sample.now)
        #expect(model.bridges(of: try Sample.name("work/ada")) == [bridge])
        #expect(model.bridges(of: try Sample.name("lab/ada")) == [])
    }

    @Test(arguments: [false, true]) func sessionIsReadWithTheBridges(isAlone: Bool) async throws {
        let bridges = try Given.bridges()
        var environment = RecordingEnvironment().environment
        environment.bridges = { bridges }
        let posted = Mutex<[Message]>([])
        let performer = EffectRunner(service: InMemorySessionService(), environment: environment)
        await performer.perform(isAlone ? .loadBridges : .loadSession(try Sample.name(Self.ada))) { message in
            posted.withLock { $0.append(message) }
        }
        let messages = posted.withLock(\.self)
        #expect(messages.last == .bridgesLoaded(bridges, at: Sample.now))
        #expect(messages.count == (isAlone ? 1 : 2))
    }
}
