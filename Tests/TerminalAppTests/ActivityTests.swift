import AuthModel
import Localization
import TerminalUI
import Testing

@testable import TerminalApp

/// The activity by program and by time.
@Suite struct ActivityTests {
    @Test(arguments: [
        ("/usr/bin/git", "git"), ("/usr/bin/git (deleted)", "git"), ("/opt/my tools/the tool", "the tool"), ("git", "git"), ("/", "/"),
        ("//", "//"), ("/ (deleted)", "/ (deleted)"), ("process 4711", "process 4711"), ("", ""),
    ])
    func programHasItsOwnName(path: String, name: String) {
        #expect(CallingProgram(path: path).name == name)
    }

    @Test func programIsReadFromEachMessageThatNamesOne() throws {
        let program = UserMessage.verbatim("/usr/bin/git")
        for (code, name) in [
            ("activity.token_issued", "program"), ("activity.token_kind_issued_to", "caller"), ("activity.no_token_for_program", "program"),
            ("activity.no_proof_for_caller", "caller"), ("activity.token_consented_by_caller", "program"),
        ] {
            #expect(UserMessage(code).isKnown, "\(code)")
            #expect(CallingProgram(in: UserMessage(code, [name: program]))?.path == "/usr/bin/git", "\(code)")
        }
        let through = UserMessage("activity.token_issued", ["program": UserMessage("phrase.program_through_yett", ["program": "/bin/sh"])])
        #expect(CallingProgram(in: through)?.name == "sh")
        let process = UserMessage("activity.token_issued", ["program": UserMessage("phrase.process_number", ["number": 7])])
        #expect(CallingProgram(in: process)?.name == "process 7")
        #expect(CallingProgram(in: "renewal.done") == nil)
    }

    @Test func useIsToldInWords() throws {
        #expect(try Given.fetch(.zero).details == "git fetch, git.example.org, by zsh")
        let entry = try Given.fetch(.seconds(60))
        // The log of the agent has the same with another message.
        var arguments = entry.message.arguments
        arguments["caller"] = arguments.removeValue(forKey: "program")
        arguments["terms"] = arguments.removeValue(forKey: "restriction")
        let logged = Activity(
            at: entry.at, kind: .issued, session: entry.session,
            message: UserMessage(code: "activity.token_kind_issued_for", arguments: arguments))
        #expect(logged.details == entry.details)
        #expect(FoldedActivity.folded([entry, logged, try Given.fetch(.seconds(120))]).map(\.count) == [3])
        #expect(FoldedActivity.folded([entry, try Given.use("/usr/bin/git", .seconds(120))]).count == 2, "for something else")
    }

    @Test func useInTheLogAndInAnEventIsOne() throws {
        var state = try Given.sessions()
        let (live, later) = (try Given.use("/usr/bin/git", .seconds(60)), try Given.use("/usr/bin/git", .seconds(59)))
        state.model.activity = [live, later]
        var arguments = live.message.arguments
        arguments["caller"] = arguments.removeValue(forKey: "program")
        let logged = Activity(
            at: live.at + .milliseconds(3), kind: .issued, session: live.session,
            message: UserMessage(code: "activity.token_kind_issued_to", arguments: arguments))
        state.model.remember(earlier: [logged, try Given.use("/usr/bin/git", .seconds(600))])
        #expect(state.model.activity.count == 3, "one of the log is new")
        #expect(state.model.activity.suffix(2) == [live, later])
    }

    /// The titles are in the box of the list where there is one, and else above the list.
    @Test(arguments: [Size(columns: 60, rows: 20), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40)])
    func numbersChooseTheOrder(size: Size) throws {
        var state = try Given.programs()
        let steps = [("2", ActivityScreen.View.time, "2 By time"), ("1", .programs, "1 By program")]
        for (key, view, title) in steps {
            _ = state.press(.character(Character(key)))
            #expect(state.current.as(ActivityScreen.self)?.view == view)
            let picture = state.picture(size)
            #expect(try #require(picture.find(title)).top == picture.find("1 By program")?.top)
        }
        let picture = state.picture(Size(columns: 120, rows: 40))
        #expect(try #require(picture.find("╭─ \(SessionDetailsPaneWords.programs)")).top == picture.find("1 By program")?.top)
    }

    @Test func programIsBlockedAndAllowedAgain() throws {
        var state = try Given.programs()
        let block = SettingChange(.blockedProgram("/usr/bin/git"), .flag(true))
        #expect(state.press(.character("b")) == [.saveSetting(block)])
        #expect(state.press(.character("b")) == [], "one change at a time")
        #expect(state.take(.settingSaved(block.id, nil)) == [.reload])
        #expect(state.notice?.text == ActivityWords.isBlocked("git"))
        #expect(!state.picture().text.contains(ActivityWords.blocked))
        state.model.settings?.settings.append(Setting(block.id, .flag(true), isSet: true))
        #expect(state.picture().text.contains("git  blocked"))
        #expect(state.press(.character("b")) == [.saveSetting(SettingChange(block.id, .flag(false)))])
        let failure = AuthFailure(.configuration, text: "the disk is full", hint: nil)
        _ = state.take(.settingSaved(block.id, failure))
        #expect(state.picture().text.contains("The disk is full."))
    }

    @Test func onlyAProgramWithAPathCanBeBlocked() throws {
        var state = try Given.sessions()
        state.model.activity = [try Given.use("process 4711", .seconds(60))]
        _ = state.press(.character("a"))
        #expect(state.press(.character("b")) == [])
        #expect(state.notice?.text == ActivityWords.noPathToBlock)
        _ = state.press(.character("p"))
        #expect(!state.picture().text.contains("b block"), "an entry is no program")
    }

    @Test func onlyProgramsAreShortened() {
        let message = UserMessage("activity.cannot_read", ["path": "/var/log/x"])
        #expect(message.withProgramNames == message)
        let consent = UserMessage("activity.token_consented_in", ["program": "/bin/git", "witness": "/opt/yett/yett-main", "process": 4])
        #expect(consent.withProgramNames.text() == "token for git: consent given in yett-main (process 4)")
    }

    @Test func usesAreGroupedByProgramTheLastUsedFirst() throws {
        let uses = ProgramUse.grouped(try Given.programActivity())
        #expect(uses.map(\.program.name) == ["git", "bash", "deploy"])
        #expect(uses.map(\.tokens) == [16, 1, 1])
        #expect(uses.map(\.refusals) == [0, 0, 1])
        #expect(uses.map { $0.sessions.map(\.description) }.last == ["work/ada@example.org", "lab/grace"])
        #expect(ProgramUse.grouped(try Given.programActivity().reversed()) == uses, "the order of the entries does not matter")
    }

    /// The picture of a program counts as that of its only session does.
    @Test func partsOfTheLastDayAreTheSameForProgramsAndSessions() throws {
        let ages: [Int64] = [86_400, 86_399, 10_800, 10_799, 0, -5]
        let activity = try ages.map { try Given.use("/bin/git", .seconds($0)) }
        let use = try #require(ProgramUse.grouped(activity).first)
        #expect(use.recent(until: Sample.now) == [1, 0, 0, 0, 0, 0, 1, 3])
        let session = try #require(use.sessions.first)
        #expect(UseHistory(activity, now: Sample.now)[session] == use.recent(until: Sample.now))
    }

    /// A program that alone uses a session has the session's picture: in the list, in the details, among all programs, and in the activity.
    @Test func programHasTheSamePictureEverywhere() throws {
        let size = Size(columns: 200, rows: 60)
        let home = try Given.demo(size: size, opening: "registry/ada")
        let use = try #require(ProgramUse.grouped(home.model.activity).first { $0.program.name == "docker" })
        let picture = UseHistory.picture(use.recent(until: home.model.now), .unicode).map(\.text).joined()
        #expect(picture.count == UseHistory.parts)
        for (state, least) in [(home, 4), (Given.pressed(home, .character("a")), 1)] {
            let text = state.picture(size).text
            #expect(text.ranges(of: picture).count >= least, "\(picture) in \(text)")
        }
    }

    /// The column of the refusals has its word, and is left out if there are none.
    @Test(arguments: [80, 98, 200]) func refusalsHaveAColumnWhereThereAreSome(columns: Int) throws {
        let size = Size(columns: columns, rows: 40)
        #expect(try Given.programs().picture(size).text.contains("Total  Refused     Last use"))
        var state = try Given.sessions()
        let activity = try Given.programActivity().filter { $0.kind != .tokenRefused }
        _ = state.take(.activityLoaded(activity.reversed()))
        #expect(Given.pressed(state, .character("a")).picture(size).text.contains("Total     Last use"))
    }

    @Test(arguments: [(86_399, 90_000, true), (86_401, 90_000, false), (60, 86_000, false)])
    func programIsNewInItsFirstDayIfEarlierActivityIsKnown(first: Int64, known: Int64, isNew: Bool) throws {
        let use = try #require(ProgramUse.grouped([try Given.use("/bin/git", .seconds(first))]).first)
        #expect(use.isNew(at: Sample.now, knownSince: Sample.now - .seconds(known)) == isNew)
    }

    /// A large screen shows the day, what happened last, and everything about the selected line.
    @Test func largeScreenShowsMore() throws {
        let size = Size(columns: 200, rows: 60)
        let state = Given.pressed(try Given.demo(size: size), .character("a"))
        let picture = state.picture(size)
        let (graph, list) = (
            try #require(picture.find("╭─ \(SessionsGraphWords.pastDay) ⣿ ")), try #require(picture.find("╭─ Programs"))
        )
        let details = try #require(picture.find("╭─ kubectl"))
        #expect(graph.top < list.top && list.top == details.top && list.right < details.left)
        #expect(try #require(picture.find("╭─ Activity")).top > list.top)
        for text in ["/usr/bin/kubectl", ActivityWords.firstUse, "cluster/linus  ● signed in"] {
            #expect(try #require(picture.find(text)).left > details.left, "\(text)")
        }
        let entry = Given.pressed(state, .character("p"), .down).picture(size).text
        #expect(entry.contains("╭─ \(Words.capitalized(ActivityWords.event(try #require(state.model.activity.dropLast().last))))"))
        #expect(entry.contains(Words.timeInWords(try #require(state.model.activity.dropLast().last).at, now: state.model.now)))
        #expect(!Given.pressed(try Given.demo(), .character("a")).picture().text.contains("╭─"), "a small screen has the list alone")
    }

    /// A small screen has no panel for the last day, but a line with the same columns. A low or a narrow one leaves it to the list.
    @Test(arguments: [
        (Size(columns: 80, rows: 24), true), (Size(columns: 60, rows: 20), true), (Size(columns: 80, rows: 18), false),
        (Size(columns: 59, rows: 24), false), (Size(columns: 120, rows: 40), false),
    ])
    func smallScreenHasTheLastDayInOneLine(size: Size, hasLine: Bool) throws {
        for keys in [[], [Key.character("p")]] {
            var state = try Given.programs()
            for key in keys { _ = state.press(key) }
            let picture = state.picture(size)
            let name = "    \(SessionsGraphWords.pastDay)  ⣀"
            let line = picture.text.split(separator: "\n").first { $0.hasPrefix(name) }
            #expect((line != nil) == hasLine)
            guard let line else { continue }
            #expect(line.hasSuffix("  \(SessionsGraphWords.uses(17))") && line.contains("⣿"))
        }
        let plain = try Given.programs().picture(Size(columns: 80, rows: 24), glyphs: .ascii).text
        #expect(plain.contains("\(SessionsGraphWords.pastDay)  ."))
    }

    @Test func repeatedEntriesAreOneLine() throws {
        let lines = FoldedActivity.folded(try Given.programActivity().reversed())
        #expect(lines.map(\.count) == [1, 1, 1, 1, 1, 1, 14, 1, 1])
        let folded = try #require(lines.first { $0.count > 1 })
        #expect(folded.newest.at == Sample.now - .seconds(21_600))
        #expect(folded.oldest.at == Sample.now - .seconds(25_500))
    }

    /// Two sessions of a minute would fill the list, and something else between them is shown at its place.
    @Test func renewalsInTurnsAreALineForEachSession() throws {
        func renewal(_ session: String, minute: Int) throws -> Activity {
            Activity(
                at: Sample.now - .seconds(60 * minute), kind: .renewed, session: try Sample.name(session),
                message: UserMessage("phrase.token"))
        }
        let other = try Given.use("/bin/sh", .seconds(200), scope: "read")
        let names = ["work/ada", "work/grace"]
        let turns = try (0..<3).flatMap { minute in try names.map { try renewal($0, minute: minute) } }
        let lines = FoldedActivity.folded(turns + [other] + [try renewal("work/ada", minute: 5)])
        #expect(lines.map(\.count) == [3, 3, 1, 1])
        #expect(lines.prefix(2).map { $0.newest.session?.description } == names)
        #expect(FoldedActivity.newest(turns.reversed() + [], limit: 1).map(\.count) == [3])
    }

    /// An entry from the agent's log and one that the service reported have different messages.
    @Test func entriesOfTheLogAndOfTheServiceAreFolded() throws {
        let note = UserMessage("phrase.limited_to_scope", ["scope": "read"])
        func logged(_ terms: UserMessage) throws -> Activity {
            Activity(
                at: Sample.now, kind: .issued, session: try Sample.name("work/ada@example.org"),
                message: UserMessage(
                    "activity.token_kind_issued_to",
                    ["kind": UserMessage("phrase.token"), "caller": UserMessage.verbatim("/bin/git"), "terms": terms]))
        }
        let live = try Given.use("/bin/git", .zero, scope: "read")
        #expect(FoldedActivity.folded([live, try logged(note)]).map(\.count) == [2])
        #expect(FoldedActivity.folded([live, try logged(.empty)]).map(\.count) == [1, 1])
        #expect(FoldedActivity.folded([live, try Given.use("/bin/sh", .zero, scope: "read")]).map(\.count) == [1, 1])
    }

    @Test(arguments: [
        (UserMessage.verbatim("/usr/bin/git"), "git"), (UserMessage("phrase.program_through_yett", ["program": "/bin/bash"]), "bash"),
        (UserMessage("phrase.a_program"), "a program"),
    ])
    func programIsReadFromACaller(caller: UserMessage, name: String) {
        #expect(CallingProgram(caller: caller).name == name)
    }

    @Test func listShowsProgramsWithTheirUse() throws {
        let text = try Given.programs().picture(Size(columns: 120, rows: 40)).text
        let lines = text.split(separator: "\n")
        let git = try #require(lines.first { $0.contains("▸ git") })
        #expect(git.contains("   15     16 ") && git.contains("2 min ago") && git.contains("▇") && !git.contains("new"))
        let deploy = try #require(lines.first { $0.contains("deploy") })
        #expect(deploy.contains("new") && deploy.contains("    1      1 ") && deploy.contains("2 h ago"))
        #expect(!text.contains("/opt/tools/deploy"))
    }

    @Test func programsWithTheSameNameShowTheirFolders() throws {
        var state = try Given.programs()
        _ = state.take(.serviceReported(.activity(try Given.use("/tmp/git", .zero))))
        let text = state.picture(Size(columns: 120, rows: 40)).text
        #expect(text.contains("git  new  /tmp "))
        #expect(text.contains("git  /usr/bin "))
    }

    @Test func enterShowsTheUseOfOneProgram() throws {
        var state = try Given.programs()
        _ = state.press(.down)
        _ = state.press(.down)
        _ = state.press(.enter)
        #expect(state.trail == ["Sessions", "Activity", "deploy"])
        let text = state.picture(Size(columns: 98, rows: 40)).text
        #expect(text.contains("/opt/tools/deploy"))
        #expect(text.contains("deploy limited to scope read"))
        #expect(!text.contains("renewed"))
        _ = state.press(.down)
        #expect(state.press(.enter) == [.loadSession(try Sample.name("lab/grace"))])
    }

    /// Each day but today begins with its date, which cannot be selected, and the times of the lines need no space for dates.
    @Test func daysBeginWithTheirDates() throws {
        var state = Given.pressed(try Given.programs(), .character("p"))
        let picture = state.picture()
        let rows = picture.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.contains { $0.hasPrefix("    Time   Event") })
        #expect(rows.contains { $0.hasPrefix("  ▸ 08:27  → token issued") })
        let dates = rows.filter { $0.hasPrefix("    ── 2026-") }
        #expect(dates.map { $0.prefix(17).suffix(10) } == ["2026-11-18", "2026-11-17"] && dates.allSatisfy { $0.hasSuffix("───") })
        let date = try #require(picture.find("── 2026-11-18"))
        for (row, selected) in [(date.top, 0), (date.top + 1, 7), (date.top + 3, 8)] {
            _ = state.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: date.left, row: row))))
            #expect(state.currentTraits.selectedRow == selected)
        }
        for _ in 0..<8 { _ = state.press(.up) }
        #expect(state.currentTraits.selectedRow == 0)
    }

    /// The history of a session and the page of a program have the same rows.
    @Test func timesNeedNoSpaceForDatesInOtherLists() throws {
        var state = try Given.session()
        _ = state.take(.activityLoaded(try Given.programActivity().reversed()))
        let session = Given.pressed(state, .character("3")).picture().text.split(separator: "\n").map(String.init)
        #expect(session.contains { $0.hasPrefix("  08:27  → token issued  ") && $0.hasSuffix("  git fetch, git.example.org, by zsh") })
        #expect(session.contains("  ── 2026-11-18"))
        let program = Given.pressed(try Given.programs(), .enter).picture(Size(columns: 120, rows: 40)).text
        #expect(program.contains("08:27  → token issued    work/ada@example.org  "))
        #expect(program.contains("── 2026-11-18 ─"))
    }

    @Test func keyShowsAllEntriesByTime() throws {
        let text = Given.pressed(try Given.programs(), .character("p")).picture(Size(columns: 120, rows: 40)).text
        #expect(text.contains("×14"))
        let cancelled = try #require(text.split(separator: "\n").first { $0.contains("cancelled") })
        #expect(!cancelled.contains("failed"))
        #expect(!text.contains("sign-in failed"))
    }

    @Test func cancelledSignInIsNotShownAsFailure() throws {
        let cancelled = Activity(at: Sample.now, kind: .signInFailed, session: nil, message: "sign_in.cancelled")
        #expect(cancelled.role == .muted && ActivityWords.event(cancelled) == "cancelled" && cancelled.details.isEmpty)
        let failed = Activity(at: Sample.now, kind: .signInFailed, session: nil, message: .verbatim("the server is unreachable"))
        #expect(failed.role == .danger && ActivityWords.event(failed) == "sign-in failed")
    }

    @Test(arguments: [("gt", ["git"]), ("dpl", ["deploy"]), ("grace", ["deploy"]), ("ada gt", ["git"]), ("zz", [])])
    func filterFindsProgramsByLettersInOrder(filter: String, names: [String]) throws {
        var state = Given.pressed(try Given.programs(), .character("/"))
        state.type(filter)
        let screen = try #require(state.current.as(ActivityScreen.self))
        #expect(screen.programs.map(\.program.name) == names)
    }

    /// The letters of a word occur somewhere in most sentences.
    @Test func filterFindsWholeWordsInDetails() throws {
        var filter = ActivityFilter("host")
        let entry = Activity(at: Sample.now, kind: .renewed, session: nil, message: .verbatim("he opened a session twice"))
        let isScattered = filter.fits(entry)
        #expect(!isScattered)
        let isWhole = filter.fits(Activity(at: Sample.now, kind: .renewed, session: nil, message: .verbatim("the host is down")))
        #expect(isWhole)
    }

    /// A new entry does not move the selection to another program.
    @Test func selectionStaysOnItsProgram() throws {
        var state = try Given.programs()
        _ = state.press(.down)
        _ = state.take(.serviceReported(.activity(try Given.use("/bin/curl", .zero))))
        let screen = try #require(state.current.as(ActivityScreen.self))
        #expect(screen.programs.map(\.program.name) == ["curl", "git", "bash", "deploy"])
        #expect(screen.selectedProgram?.program.name == "bash")
    }

    @Test(arguments: Language.allCases)
    func columnsAreNotTruncatedInAnyLanguage(language: Language) throws {
        try Language.$current.withValue(language) {
            var state = try Given.programs()
            state.model.language = language
            let text = state.picture().text
            for words in [
                ActivityWords.lastDay, ActivityWords.total, ActivityWords.refused, ActivityWords.lastUse, ActivityWords.inTotal(16),
            ] {
                #expect(text.contains(words), "\(words)")
            }
        }
    }

    /// Every number of the last 24 hours counts the same events, and a number of another time says so.
    @Test(arguments: [Size(columns: 100, rows: 40), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func numbersOfTheLastDayAgree(size: Size) throws {
        var state = try Given.programs()
        // At both ends of the day, and just before it.
        let ages: [Int64] = [0, 1, 1000, 85_000, 86_399, 86_400, 90_000]
        state.model.activity += try ages.map { try Given.use("/bin/curl", .seconds($0)) }
        state.model.activity.sort { $0.at < $1.at }
        _ = state.take(.resized(size))
        _ = state.press(.character("p"))
        _ = state.press(.character("p"))
        let text = state.picture(size).text
        #expect(text.contains(SessionsGraphWords.uses(22)), "15 of git, 1 of bash, 1 of deploy and 5 of curl")
        let counts = ["git ", "bash ", "deploy ", "curl "].map { name in
            text.split(separator: "\n").first { $0.contains("│   \(name)") || $0.contains("▸ \(name)") }.map { line in
                line.split(separator: " ").compactMap { Int($0) }.prefix(2)
            } ?? []
        }
        #expect(counts.map { Array($0) } == [[15, 16], [1, 1], [1, 1], [5, 7]])
        let list = Given.pressed(state, .escape).picture(size).text
        #expect(list.contains(SessionsGraphWords.uses(22)), "the first screen has the same number")
    }
}
