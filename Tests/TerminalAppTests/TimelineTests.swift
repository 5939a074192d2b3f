import AuthModel
import TerminalUI
import TestSupport
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

    /// One token that lives much longer than the others does not make their lines too short to read.
    @Test func oneLongSessionLeavesTheOthersReadable() throws {
        var sessions = try (0..<4).map { try Sample.session("work/person\($0)", left: .seconds(1800 + Int64($0) * 60)) }
        let usual = TimelineScreen.zoom(for: sessions, now: Sample.now)
        sessions.append(try Sample.session("lab/day", left: .seconds(86_400)))
        #expect(TimelineScreen.zoom(for: sessions, now: Sample.now) == usual)
        let state = Given.pressed(Given.loaded(sessions: sessions), .character("T"))
        let line = state.picture(Size(columns: 100, rows: 14)).text.split(separator: "\n").first { $0.contains("lab/day") }
        #expect(line?.contains("━▸") == true, "its line goes on beyond the edge")
        #expect(TimelineScreen.zoom(for: [try Sample.session("lab/day", left: .seconds(86_400))], now: Sample.now) > usual)
    }

    /// Sessions that do not fit are marked as in the list.
    @Test(arguments: [(13, false), (14, true)])
    func hiddenSessionsHaveAScrollBar(count: Int, hasBar: Bool) throws {
        let size = Size(columns: 60, rows: 20)
        let sessions = try (0..<count).map { try Sample.session("work/person\($0 + 10)") }
        let text = Given.pressed(Given.loaded(sessions: sessions, size: size), .character("T")).picture(size).text
        #expect(text.contains(GlyphSet.unicode.scrollThumb) == hasBar)
    }

    /// Each text is one space after its bar, no line of the axis touches it, and the lines end with the last session.
    @Test func linesOfTheAxisLeaveTheTextsFree() throws {
        let sessions = try (0..<12).map { index in
            try Sample.session("work/person\(index + 10)", left: .seconds(600 + 173 * index), renewable: index % 2 == 0)
        }
        let state = Given.pressed(Given.loaded(sessions: sessions), .character("T"))
        let rows = state.picture().text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let (first, last) = (try #require(rows.firstIndex { $0.contains("work/") }), try #require(rows.lastIndex { $0.contains("work/") }))
        #expect(last - first == 11)
        for row in rows[first...last] { #expect(row.contains(/[━╸◇] \d+ min( |$)/), "\(row)") }
        #expect(rows[first...last].contains { $0.contains("┊") })
        #expect(rows[last + 1].isEmpty, "\(rows[last + 1])")
    }

    @Test func opensTheSelectedSession() throws {
        var state = Given.pressed(try Given.sessions(), .down, .character("T"), .down)
        #expect(state.press(.enter) == [.loadSession(try Sample.name("work/ada@example.org"))])
    }

    /// Few sessions leave space for what happened last, and many have all of it.
    @Test(arguments: [(4, true), (30, false)])
    func largeTimelineShowsTheActivityBelowAFewSessions(count: Int, hasActivity: Bool) throws {
        let size = Size(columns: 120, rows: 40)
        let sessions = try (0..<count).map { try Sample.session("work/person\($0 + 10)") }
        var state = Given.loaded(sessions: sessions, size: size)
        let entry = Activity(at: Sample.now - .seconds(60), kind: .issued, session: sessions[0].name, message: .verbatim("for git"))
        _ = state.take(.serviceReported(.activity(entry)))
        let picture = Given.pressed(state, .character("T")).picture(size)
        #expect((picture.find("╭─ \(ActivityWords.title)") != nil) == hasActivity)
        #expect(picture.find("╭─ \(TimelineWords.title)") != nil)
        let last = try #require(picture.find("work/person\(count + 9)"))
        #expect(try #require(picture.find("━ \(TimelineWords.lifetime)")).top > last.top)
        #expect(Given.pressed(state, .character("T")).picture(Size(columns: 80, rows: 24)).find("╭─") == nil)
    }

    /// What needs action is first, as in the list, then what ends first; the selection stays on its session when a renewal moves it.
    @Test func rowsAreInTheOrderOfTheEnds() throws {
        func names(_ state: AppState) throws -> [String] {
            try screen(state).rows.compactMap { state.model.sessions?[$0].name.description }
        }
        var sessions = try [("work/a", 3000), ("work/b", 600), ("work/c", 90), ("work/d", 1200)].map {
            try Sample.session($0.0, left: .seconds($0.1))
        }
        sessions.append(try Sample.session("work/z", .needsSignIn, left: .seconds(-60), renewable: false))
        var state = Given.pressed(Given.loaded(sessions: sessions), .character("T"))
        #expect(try names(state) == ["work/z", "work/c", "work/b", "work/d", "work/a"])
        state = Given.pressed(state, .home, .down)
        sessions[2] = try Sample.session("work/c", left: .seconds(3600))
        _ = state.take(.serviceReported(.sessionsChanged(sessions)))
        #expect(try names(state) == ["work/z", "work/b", "work/d", "work/a", "work/c"])
        #expect(try screen(state).selection(in: state.model)?.name.description == "work/c")
        let text = state.picture(Size(columns: 100, rows: 24)).text
        let tops = try ["work/z", "work/b", "work/d", "work/a", "▸ ● work/c"].map { try #require(text.firstRange(of: $0)).lowerBound }
        #expect(tops == tops.sorted())
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
        #expect(try names(state) == ["old/marie", "lab/grace", "work/ada@example.org", "work/admin"], "what needs action is first")
        _ = state.press(.character("z"))
        #expect(try names(state) == ["old/marie", "work/admin", "lab/grace", "work/ada@example.org"])
        _ = state.press(.character("z"))
        #expect(try names(state) == ["work/ada@example.org", "lab/grace", "old/marie", "work/admin"])
        #expect(state.notice?.text == SessionListWords.sorted(.lastUsed))
        _ = state.press(.character("z"))
        #expect(try names(state) == ["lab/grace", "old/marie", "work/ada@example.org", "work/admin"])
        _ = state.press(.character("z"))
        #expect(try names(state).first == "old/marie")
    }

    @Test func groupingKeepsProvidersTogether() throws {
        var state = Given.pressed(try Given.sessions(), .character("z"), .character("p"))
        #expect(try names(state) == ["lab/grace", "old/marie", "work/admin", "work/ada@example.org"])
        let text = state.picture().text
        #expect(text.contains("work/admin"))
        #expect(!text.contains("work/ada@"))
        #expect(text.contains("Session ▴"), "the groups are in the order of their providers")
        _ = state.press(.character("p"))
        #expect(state.notice?.text == SessionListWords.ungrouped)
    }

    @Test func selectionStaysOnItsSession() throws {
        var state = Given.pressed(try Given.sessions(), .down, .down)
        for _ in 0..<5 {
            guard let screen = state.current.as(SessionsScreen.self) else { return #expect(Bool(false), "no list") }
            #expect(screen.selectedName?.description == "work/ada@example.org")
            _ = state.press(.character("z"))
        }
    }

    /// Sessions in every state, with many healthy ones before and after those that need action.
    private func mixed(size: Size = Size(columns: 120, rows: 40)) throws -> AppState {
        var sessions = try (10..<46).map { try Sample.session("work/p\($0)") }
        for (index, state) in [(7, SessionState.needsSignIn), (20, .revoked), (35, .error)] {
            sessions[index] = try Sample.session(sessions[index].name.description, state, left: .seconds(-60), renewable: false)
        }
        sessions[30] = try Sample.session("work/p40", left: .seconds(9000), renewable: false)
        sessions[33] = try Sample.session("work/p43", left: .seconds(900), renewable: false)
        return Given.loaded(providers: [try Sample.provider("work")], sessions: sessions, size: size)
    }

    @Test func whatNeedsActionIsFirstThenWhatEnds() throws {
        let state = try mixed()
        #expect(try names(state).prefix(6) == ["work/p45", "work/p30", "work/p17", "work/p43", "work/p40", "work/p10"])
        let picture = state.picture()
        let title = try #require(picture.find(SessionListWords.needAction + "  3"))
        let ends = try #require(picture.find(SessionListWords.notRenewed + "  2"))
        let rest = try #require(picture.find(SessionListWords.noAction + "  31"))
        #expect((ends.top, rest.top) == (title.top + 4, title.top + 7))
        #expect(picture.style(at: Point(column: title.left, row: title.top + 2))?.surface == .alert)
        #expect(picture.text.contains(" 1 of 36 "))
    }

    /// What ends in seconds and cannot be renewed is not among those that are well, in the list or in the header.
    @Test func whatEndsInSecondsIsNotCountedAsWell() throws {
        let sessions = [try Sample.session("work/ada"), try Sample.session("work/linus", left: .seconds(20), renewable: false)]
        let state = Given.loaded(
            providers: [try Sample.provider("work")], sessions: sessions, size: Size(columns: 120, rows: 40))
        let picture = state.picture()
        #expect(picture.find("2 sessions ◐1")?.top == 0)
        let ends = try #require(picture.find(SessionListWords.notRenewed + "  1"))
        #expect(picture.find("◐  work/linus")?.top == ends.top + 1)
        #expect(picture.find(SessionListWords.noAction + "  1")?.top == ends.top + 2)
    }

    /// A token of a minute and a half is in its last minute most of the time: while it is renewed, nothing about it asks for attention.
    @Test(arguments: [(5, SessionState.signedIn), (40, .expiring)])
    func whatIsRenewedInTimeIsNotExpiring(renewal: Int, shown: SessionState) throws {
        var session = try Sample.session("work/ada", left: .seconds(50))
        session.receivedAt = Sample.now - .seconds(40)
        session.nextRenewalAt = Sample.now + .seconds(renewal)
        let state = Given.loaded(providers: [try Sample.provider("work")], sessions: [session])
        #expect(state.model.overview.count(shown) == 1)
        #expect(TimeLeft(session, in: state.model).role == (shown == .signedIn ? .text : .warning))
        let text = state.picture().text
        #expect(text.contains("1 \(Words.state(shown))") && text.contains("\(Words.glyph(shown, .unicode)) \(Words.state(shown))"))
    }

    /// A session that ends while the user looks comes to the top by itself, until the user has selected a row.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 40, rows: 10)])
    func whatBeginsToNeedActionIsOnTheFirstScreen(size: Size) throws {
        var state = try mixed(size: size)
        let later = Sample.now + .seconds(901)
        _ = TerminalAppRoot.update(&state, .ticked(later))
        #expect(try names(state).prefix(4).contains("work/p43"))
        for name in try names(state).prefix(4) { #expect(state.picture().text.contains(name)) }
        #expect(state.currentTraits.selectedRow == 0)
    }

    @Test func exclamationMarkGoesToTheNextThatNeedsAction() throws {
        var state = Given.pressed(try mixed(), .end)
        var seen: [String] = []
        for _ in 0..<4 {
            _ = state.press(.character("!"))
            seen.append(state.current.as(SessionsScreen.self)?.selectedName?.description ?? "")
        }
        #expect(seen == ["work/p45", "work/p30", "work/p17", "work/p45"])
        var healthy = Given.loaded(providers: [try Sample.provider("work")], sessions: [try Sample.session("work/ada")])
        _ = healthy.press(.character("!"))
        #expect(healthy.notice?.text == SessionListWords.nothingUrgent)
    }

    @Test func enterSignsInWhereOnlyThatHelps() throws {
        let state = Given.pressed(try Given.sessions(), .enter)
        #expect(state.current.as(SigningInScreen.self)?.request.account == "marie")
        #expect(Given.pressed(try Given.sessions(), .right).current.as(SessionScreen.self) != nil, "the details stay in reach")
        #expect(Given.pressed(try Given.sessions(), .down, .enter).current.as(SessionScreen.self) != nil)
    }

    @Test func rowsAreCalmerAsTheyGoDown() throws {
        let picture = try mixed().picture()
        func tone(_ name: String) throws -> Tone? { picture.style(at: try #require(picture.find(name)).origin)?.tone }
        #expect(try tone("work/p43") == .plain)
        #expect(try tone("work/p25") == .faded(2))
    }

    @Test func axisIsAlignedToTheUsersHours() {
        let zone = LocalTime(around: Sample.now) { _ in (.seconds(19_800), "IST") }
        Words.$localTime.withValue(zone) {
            let marks = TimeAxis(now: Sample.now, span: .seconds(8 * 3600), columns: 60).marks(every: 12)
            #expect(!marks.isEmpty && marks.allSatisfy { Words.hourAndMinute($0).hasSuffix(":00") })
        }
    }
}
