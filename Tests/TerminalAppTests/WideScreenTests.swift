import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// What a large terminal shows in addition, and that small terminals lose nothing for it.
@Suite struct WideScreenTests {
    private static let high = Size(columns: 140, rows: 40)

    private func home(_ count: Int) throws -> AppState {
        let sessions = try (0..<count).map { try Sample.session("work/person\($0 + 10)") }
        var state = Given.loaded(providers: [try Sample.provider("work")], sessions: sessions)
        let activity = Activity(
            at: Sample.now - .seconds(60), kind: .issued, session: sessions[0].name, message: .verbatim("access token for git"))
        _ = state.take(.serviceReported(.activity(activity)))
        return state
    }

    @Test func graphIsAboveAShortListAndTheActivityBelowIt() throws {
        let picture = try home(4).picture(Self.high)
        let list = try #require(picture.find("work/person13"))
        let graph = try #require(picture.find("╭─ \(SessionsGraphWords.pastDay) ⣿ \(SessionsGraphWords.uses(1))"))
        let activity = try #require(picture.find("╭─ Activity"))
        #expect(graph.top < list.top && list.top < activity.top)
        #expect(picture.text.contains("\(SessionsGraphWords.comingDay) ⣿ \(SessionsGraphWords.renewals(4)) "))
        #expect(picture.text.contains("T \(TimelineWords.key)") && picture.text.contains("─ a ─╮"))
        #expect(picture.text.contains("token issued"))
        #expect(try #require(picture.find("access token for git")).top > activity.top)
    }

    /// Nothing is drawn twice for a session that was read before, and nothing of it stays after a lock.
    @Test func knownDetailsAreShownAtOnce() throws {
        var state = try home(3)
        _ = state.take(.resized(Size(columns: 200, rows: 60)))
        let claims = "Claims of the ID token"
        for session in try #require(state.model.sessions) {
            #expect(!state.picture().text.contains(claims))
            _ = state.take(.sessionLoaded(session.name, .success(Sample.detail(session))))
            #expect(state.picture().text.contains(claims))
            _ = state.press(.down)
        }
        // The last row stays selected.
        _ = state.press(.up)
        #expect(state.picture().text.contains(claims))
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        _ = state.press(.up)
        #expect(!state.picture().text.contains(claims))
        _ = state.take(.serviceReported(.storeStateChanged(.unlocked)))
        _ = state.press(.down)
        #expect(!state.picture().text.contains(claims))
    }

    /// The list has priority: the panels below never take space that it needs.
    @Test(arguments: [(4, Size(columns: 80, rows: 24)), (30, high), (60, Size(columns: 200, rows: 60))])
    func longListUsesAllTheSpace(count: Int, size: Size) throws {
        let text = try home(count).picture(size).text
        #expect(!text.contains("╭─ Activity"))
    }

    @Test(arguments: 4...36)
    func panelsBelowNeverHideASession(count: Int) throws {
        let state = try home(count)
        let rows = state.picture(Self.high).text.split(separator: "\n")
        let listed = rows.count { $0.contains("●  work/person") }
        #expect(listed == min(count, 27))
    }

    /// The graph moves on by a column when the time of one is over, and changes no cell between.
    @Test func graphChangesRarely() throws {
        var state = try home(4)
        _ = state.take(.resized(Self.high))
        // The list beside the graph says how long it is until each event.
        func rows() -> [Substring] {
            let rows = state.picture().text.split(separator: "\n", omittingEmptySubsequences: false)[2..<11]
            let columns = rows.compactMap { row in row.lastIndex(of: "├").map { row.distance(from: row.startIndex, to: $0) } }.max() ?? 0
            return rows.map { $0.prefix(columns) }
        }
        var pictures: Set<[Substring]> = []
        for second in 0..<3600 where second % 20 == 0 {
            state.model.now = Sample.now + .seconds(Int64(second))
            pictures.insert(rows())
        }
        #expect((4...14).contains(pictures.count), "\(pictures.count)")
    }

    @Test func graphAndActivityFollowTheFilter() throws {
        var state = try home(4)
        _ = state.take(.resized(Self.high))
        _ = state.press(.character("/"))
        state.type("person12")
        let text = state.picture().text
        #expect(text.contains(SessionsGraphWords.renewals(1)) && !text.contains("access token for git"))
        #expect(text.contains(SessionsGraphWords.uses(0)))
    }

    /// Both halves have one scale, at both edges: the numbers for the full height, its half and the base.
    @Test(arguments: [(1, 8), (8, 8), (9, 10), (12_345, 12_346)])
    func graphHasOneScale(tokens: Int, top: Int) throws {
        var state = try home(7)
        let name = try Sample.name("work/person10")
        state.model.activity = [
            Activity(at: Sample.now - .seconds(60), kind: .issued, session: name, message: .verbatim("x"), count: tokens)
        ]
        let lines = state.picture(Size(columns: 140, rows: 50)).text.split(separator: "\n")
        let rows = lines.drop { !$0.contains(SessionsGraphWords.pastDay) }.dropFirst().prefix { !$0.contains(TimelineWords.now) }
        func number(_ value: Int) -> String { value < 1000 ? "\(value)" : "\(value / 1000)k" }
        let left = rows.compactMap { row in row.firstIndex(of: "┤").map { row[..<$0].filter { !"│ ".contains($0) } } }
        #expect(left == [number(top), number(top / 2), "0"])
        // Seven sessions are renewed at the same time.
        let right = rows.compactMap { row in row.lastIndex(of: "├").map { row[$0...].dropFirst().prefix { $0.isNumber || $0 == "k" } } }
        #expect(right.map(String.init) == left)
    }

    /// What happens next is listed by name beside the graph: the renewals, and the ends of sessions that cannot be renewed.
    @Test func nextEventsAreNamedBesideTheGraph() throws {
        let sessions = [
            try Sample.session("work/ada", left: .seconds(3600)), try Sample.session("work/bob", left: .seconds(120), renewable: false),
        ]
        let state = Given.loaded(providers: [try Sample.provider("work")], sessions: sessions)
        let lines = state.picture(Self.high).text.split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.contains("✕  work/bob") })
        #expect(lines[first].contains("in 2 min"))
        #expect(lines[first + 1].contains("↻  work/ada"))
        let small = state.picture(Size(columns: 100, rows: 40)).text
        #expect(!small.contains("↻  work/ada"), "the graph needs the space")
    }

    @Test func repeatedEventsAreOneRow() throws {
        var state = try home(4)
        for second in 1...3 {
            let entry = Activity(
                at: Sample.now + .seconds(Int64(second)), kind: .issued, session: try Sample.name("work/person11"),
                message: .verbatim("for curl"))
            _ = state.take(.serviceReported(.activity(entry)))
        }
        let lines = state.picture(Self.high).text.split(separator: "\n").filter { $0.contains("for curl") }
        #expect(lines.count == 1 && lines[0].contains("×3"))
    }

    /// The axis fits the session that ends last, so a token of five minutes is not a dot on an axis of two hours.
    @Test(arguments: [(300, "20 min"), (3600, "2 h"), (20_000, "8 h"), (90_000, "2 d"), (900_000, "14 d"), (9_000_000, "14 d")])
    func timelineZoomFitsTheLongestSession(seconds: Int64, span: String) throws {
        let sessions = [try Sample.session("work/ada", left: .seconds(seconds)), try Sample.session("work/bob", left: .seconds(60))]
        let state = Given.pressed(Given.loaded(providers: [try Sample.provider("work")], sessions: sessions), .character("T"))
        #expect(state.picture().text.contains(TimelineWords.span(span, zone: "UTC")))
    }

    @Test func clicksOnThePanelsOpenTheirScreens() throws {
        var state = try home(4)
        _ = state.take(.resized(Self.high))
        let activity = try #require(state.picture(Self.high).find("access token for git"))
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: activity.left, row: activity.top))))
        #expect(state.trail.last == ActivityWords.title)
        _ = state.press(.escape)
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: 60, row: 5))))
        #expect(state.trail.last == TimelineWords.title)
    }

    /// The identity and the remaining time stay visible while the rest scrolls.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 96, rows: 20), Size(columns: 60, rows: 18)])
    func cardStaysVisibleWhileTheRestScrolls(size: Size) throws {
        var state = try Given.session()
        _ = state.take(.resized(size))
        #expect(state.picture(size).text.contains("Identity"))
        _ = state.press(.end)
        let text = state.picture(size).text
        #expect(!text.contains("Identity"))
        #expect(text.contains("Ada Lovelace") && text.contains("● signed in") && text.contains("42 min 10 s left"))
        #expect(text.contains(SessionWords.helpForget.prefix(20)), "the end is reached")
    }

    /// Each action is listed with its key, from the table that decodes it; clicking it presses the key.
    @Test(arguments: [Size(columns: 120, rows: 60), Size(columns: 200, rows: 60), Size(columns: 80, rows: 90)])
    func sessionListsItsActionsWithTheirKeys(size: Size) throws {
        var state = try Given.session()
        _ = state.take(.resized(size))
        let screen = try #require(state.current.as(SessionScreen.self))
        let picture = state.picture(size)
        let actions = screen.keys(in: state.model).bindings.filter { SessionScreen.isAboutSession($0.action) }
        #expect(actions.count >= 8)
        for action in actions {
            let key = try #require(action.keys.first).label(.unicode)
            #expect(picture.text.contains("\(key)   \(action.help.prefix(14))"), "\(action.label)")
        }
        let place = try #require(picture.find("o   end the session"))
        _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: place.left, row: place.top))))
        #expect(state.trail.last == "Sign out of work/ada@example.org")
    }

    @Test func signInMethodsStandSideBySide() throws {
        let picture = try Given.signInMethods().picture(Self.high)
        let step = try #require(picture.find("Wait for you to sign in"))
        let code = try #require(picture.find("type the code"))
        let qr = try #require(picture.qrArea)
        #expect(step.right < code.left && step.right < qr.left)
        // Selecting a line with the mouse copies the command alone: nothing stands beside it.
        let rows = picture.text.split(separator: "\n")
        #expect(rows.contains("ssh -L 40123:127.0.0.1:40123 203.0.113.7"))
        #expect(picture.text.contains("type the code WDJB-MJHT"))
        #expect(picture.text.contains("You sign in at"))
        let plain = try Given.signingIn().picture(Self.high).text
        #expect(plain.contains(SigningInWords.otherMethods) && plain.contains("p   " + SigningInWords.helpPaste.prefix(20)))
    }

    /// Where the columns do not fit beside each other, they stand below each other and scroll.
    @Test func signInMethodsScrollOnALowTerminal() throws {
        let low = Size(columns: 120, rows: 14)
        var state = try Given.signInMethods()
        _ = state.take(.resized(low))
        #expect(!state.picture(low).text.contains(SigningInWords.otherMethods))
        _ = state.press(.end)
        #expect(state.picture(low).text.contains("WDJB-MJHT") || state.picture(low).text.contains("ssh -L"))
    }
}
