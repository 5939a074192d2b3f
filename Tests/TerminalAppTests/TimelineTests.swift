import AuthModel
import TerminalUI
import TerminalUITesting
import Testing

@testable import TerminalApp

struct TimelineTests {
    private func screen(_ state: AppState) throws -> TimelineScreen {
        var found: TimelineScreen?
        if let screen = state.current.as(TimelineScreen.self) { found = screen }
        return try #require(found)
    }

    @Test func axisMapsTimesToColumns() {
        let axis = TimeAxis(now: Sample.now, span: .seconds(4000), columns: 100)
        #expect(axis.start == Sample.now - .seconds(1000))
        #expect(axis.column(of: Sample.now) == 25)
        #expect(axis.half(of: Sample.now + .seconds(20)) == 51)
        #expect(axis.column(of: axis.start) == 0)
        #expect(axis.column(of: axis.start - .milliseconds(1)) == nil)
        #expect(axis.column(of: axis.start + .seconds(4000)) == nil)
        #expect(axis.column(of: Timestamp(milliseconds: 0)) == nil)
    }

    @Test(arguments: TimelineScreen.spans)
    func axisLabelsAreRoundTimesWithEnoughSpace(span: Duration) {
        let axis = TimeAxis(now: Sample.now, span: span, columns: 120)
        let columns = axis.marks(every: 12).compactMap(axis.column)
        #expect(columns.count >= 2)
        #expect(zip(columns, columns.dropFirst()).allSatisfy { $1 - $0 >= 11 })
        #expect(axis.marks(every: 12).allSatisfy { $0.milliseconds % 60_000 == 0 })
    }

    @Test func timelineDrawsPastRemainingAndDue() throws {
        var state = Given.pressed(try Given.sessions(), .character("T"))
        let text = state.picture(Size(columns: 100, rows: 14)).text
        let line = try #require(text.split(separator: "\n").first { $0.contains("work/ada") })
        #expect(line.contains("─┿━") && line.contains("◇"))
        // The session ended for good: there is no remaining time to draw.
        let dead = try #require(text.split(separator: "\n").first { $0.contains("old/marie") })
        #expect(!dead.contains("━"))
        let plain = state.picture(Size(columns: 100, rows: 14), glyphs: .ascii).text
        #expect(plain.allSatisfy { $0.isASCII || $0 == "…" })
        #expect(plain.contains("-|="))
        _ = state.press(.character("-"))
        #expect(try screen(state).span == TimelineScreen.spans[2])
        for _ in 0..<8 { _ = state.press(.character("+")) }
        #expect(try screen(state).span == TimelineScreen.spans[0])
        #expect(state.notice?.text == TimelineWords.closest)
    }

    @Test func opensTheSelectedSession() throws {
        var state = Given.pressed(try Given.sessions(), .character("T"), .down)
        #expect(state.press(.enter) == [.loadSession(try Sample.name("old/marie"))])
    }
}

@Suite("Order of the sessions")
struct SessionOrderTests {
    private func names(_ state: AppState) throws -> [String] {
        var found: SessionsScreen?
        if let screen = state.current.as(SessionsScreen.self) { found = screen }
        let screen = try #require(found)
        return screen.matches.compactMap { state.model.sessions?[$0].name.description }
    }

    @Test func sessionsAreSortedByTheChosenKey() throws {
        var state = try Given.sessions()
        #expect(try names(state) == ["lab/grace", "old/marie", "work/ada@example.org", "work/admin"])
        _ = state.press(.character("z"))
        #expect(try names(state) == ["old/marie", "work/admin", "lab/grace", "work/ada@example.org"])
        _ = state.press(.character("z"))
        #expect(try names(state) == ["old/marie", "work/admin", "lab/grace", "work/ada@example.org"])
        _ = state.press(.character("z"))
        #expect(try names(state) == ["work/ada@example.org", "lab/grace", "old/marie", "work/admin"])
        #expect(state.notice?.text == SessionsWords.sorted(.lastUsed))
        _ = state.press(.character("z"))
        #expect(try names(state).first == "lab/grace")
    }

    @Test func groupingKeepsProvidersTogether() throws {
        var state = Given.pressed(try Given.sessions(), .character("z"), .character("p"))
        #expect(try names(state) == ["lab/grace", "old/marie", "work/admin", "work/ada@example.org"])
        let text = state.picture().text
        #expect(text.contains("work/admin"))
        #expect(!text.contains("work/ada@"))
        _ = state.press(.character("p"))
        #expect(state.notice?.text == SessionsWords.ungrouped)
    }

    @Test func selectionStaysOnItsSession() throws {
        var state = Given.pressed(try Given.sessions(), .down, .down)
        for _ in 0..<5 {
            guard let screen = state.current.as(SessionsScreen.self) else { return #expect(Bool(false), "no list") }
            #expect(screen.selectedName?.description == "work/ada@example.org")
            _ = state.press(.character("z"))
        }
    }
}
