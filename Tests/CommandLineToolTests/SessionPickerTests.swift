import AuthModel
import CursesBackend
import TerminalUI
import Testing

@testable import CommandLineTool

/// The list of `yett pick`: its keys, its filter and its rows.
struct SessionPickerTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func picker(_ names: [String], marked: String? = nil) throws -> SessionPicker {
        SessionPicker(
            try names.map { name in
                SessionPicker.Row(
                    session: SessionSummary(
                        name: try #require(SessionName(name)), issuer: nil, subject: nil, recordedState: .signedIn,
                        accessExpiresAt: Self.now + .seconds(300), refreshExpiresAt: nil, isRenewable: true, scopes: ScopeSet([]),
                        grantedAt: Self.now, receivedAt: Self.now),
                    isDefault: name == marked)
            })
    }

    private func plain(_ picker: SessionPicker, columns: Int = 60, rows: Int = 24, unicode: Bool = true) throws -> [String] {
        let lines = picker.drawing(columns: columns, rows: rows, at: Self.now, showsUnicode: unicode).lines
        return lines.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
    }

    private func chosen(_ name: String) throws -> SessionPicker.Outcome { .chosen(try #require(SessionName(name))) }

    @Test func typingNarrowsTheListAndEnterChooses() throws {
        var picker = try picker(["work/ada", "lab/grace", "work/eve"])
        for letter in ["w", "e", "v"] as [Character] { #expect(picker.press(.character(letter)) == nil) }
        #expect(picker.matches.map(\.row.name) == ["work/eve"])
        #expect(picker.press(.enter) == (try chosen("work/eve")))
        _ = picker.press(.control("u"))
        #expect(picker.matches.map(\.row.name) == ["work/ada", "lab/grace", "work/eve"])
        _ = picker.press(.character("z"))
        #expect(picker.matches.isEmpty)
        #expect(picker.press(.enter) == nil)
        #expect(picker.press(.up) == nil)
        #expect(picker.press(.down) == nil)
        _ = picker.press(.backspace)
        #expect(picker.matches.count == 3)
        for key in [.escape, .control("c"), .control("d"), .control("g")] as [Key] { #expect(picker.press(key) == .cancelled) }
    }

    @Test func controlOOpensTheAppWhereItCanRun() throws {
        var piped = try picker(["work/ada"])
        #expect(piped.press(.control("o")) == nil)
        #expect(try !plain(piped).joined().contains("^O"))
        var picker = SessionPicker(piped.rows, opensApp: true)
        #expect(try plain(picker).joined().contains("^O open"))
        #expect(picker.press(.control("o")) == .opened(try #require(SessionName("work/ada"))))
    }

    /// The theme colours the states and the selection; without colours, nothing but attributes is written.
    @Test func themeColoursTheRows() throws {
        let theme = try #require(ThemeLibrary(directories: []).theme("gate"))
        let picker = try picker(["work/ada", "lab/grace"])
        func text(_ paint: Paint) -> String {
            picker.drawing(columns: 60, rows: 10, at: Self.now, showsUnicode: true, paint: paint).lines.joined()
        }
        #expect(text(Paint(theme, depth: .trueColor)).contains("38;2;"))
        #expect(text(Paint(theme, depth: .indexed256)).contains("38;5;"))
        #expect(!text(.none).contains("38;") && !text(.none).contains("48;"))
        let coloured = text(Paint(theme, depth: .trueColor)).replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(coloured == (try plain(picker, rows: 10).joined()), "the same text")
    }

    @Test func arrowsStayInTheList() throws {
        var picker = try picker(["work/ada", "lab/grace"])
        _ = picker.press(.up)
        #expect(picker.selected == 0)
        for _ in 0..<3 { _ = picker.press(.down) }
        #expect(picker.press(.enter) == (try chosen("lab/grace")))
    }

    @Test func everyRowFitsAndTheSelectionIsShown() throws {
        var picker = try picker((0..<30).map { "provider\($0)/somebody-with-a-long-name" })
        for _ in 0..<20 { _ = picker.press(.down) }
        for columns in [1, 8, 20, 40, 100] {
            for rows in [1, 3, 24] {
                let lines = try plain(picker, columns: columns, rows: rows)
                #expect(lines.count == min(rows, 10))
                if columns >= 20 { #expect(lines.allSatisfy { SafeText.width(of: $0) < columns }, "\(columns) \(lines)") }
                if columns >= 20, rows > 1 { #expect(lines.contains { $0.hasPrefix("> ") && $0.contains("provider20") }) }
            }
        }
    }

    @Test func rowsHaveStateNameStarAndTime() throws {
        let picker = try picker(["work/ada", "lab"], marked: "work/ada")
        let lines = try plain(picker)
        #expect(lines[0].hasPrefix("Session: ") && lines[0].hasSuffix("2/2"))
        #expect(lines[1] == "> ● work/ada ★  5 min 0 s")
        let ascii = try plain(picker, unicode: false)
        #expect(ascii[1] == "> + work/ada *  5 min 0 s")
        #expect(ascii.joined().utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func matchedLettersAreMarked() throws {
        var picker = try picker(["work/ada"])
        _ = picker.press(.character("a"))
        let line = picker.drawing(columns: 60, rows: 10, at: Self.now, showsUnicode: true).lines[1]
        #expect(line.contains("work/\u{1B}[1;4ma\u{1B}[0m"))
    }

    @Test(
        arguments: [
            ([0x1B], [.escape]), ([0x03], [.control("c")]), ([0x0D], [.enter]), ([0x1B, 0x5B, 0x41], [.up]), ([0x1B, 0x4F, 0x42], [.down]),
            ([0x10, 0x0E], [.control("p"), .control("n")]), ([0x19, 0x05, 0x0F], [.control("y"), .control("e"), .control("o")]),
            ([0x7F, 0x08, 0x15], [.backspace, .backspace, .control("u")]), (Array("aé".utf8), [.character("a"), .character("é")]),
            ([0x1B, 0x5B, 0x33, 0x7E, 0x61], [.delete, .character("a")]),
            (Array("\u{1B}[12;40Ra\u{1B}OPb".utf8), [.character("a"), .function(1), .character("b")]),
            ([0x1B, 0x78], [.alt("x")]), ([0xFF, 0x62], [.character("b")]),
        ] as [([UInt8], [Key])])
    func bytesAreKeys(bytes: [UInt8], keys: [Key]) {
        var reader = TypedKeyReader()
        #expect(reader.keys(in: bytes) == keys)
    }

    @Test func copyAndExportNeedASession() throws {
        var picker = try picker(["work/ada", "lab/grace"])
        _ = picker.press(.down)
        let grace = try #require(SessionName("lab/grace"))
        #expect(picker.press(.control("y")) == .copied(grace))
        #expect(picker.press(.control("e")) == .exported(grace))
        _ = picker.press(.character("z"))
        #expect(picker.press(.control("y")) == nil)
        #expect(picker.press(.control("e")) == nil)
    }

    @Test func rolesHaveAccountsAndKeysOfTheirOwn() throws {
        let session = try #require(try picker(["aws/team"]).rows.first?.session)
        let roles = [
            AccountRole(account: "000000000001", role: "Admin", accountName: "production"),
            AccountRole(account: "000000000002", role: "Read"),
        ]
        let used = Activity(
            at: Self.now, kind: .issued, session: session.name,
            message: IssueRoleCredentials(of: roles[1], TokenRequest(session: session.name)).namedRequest.issuedMessage)
        let rows = [used].recentFirst(roles, of: session.name).map {
            SessionPicker.Row(session: session, isDefault: $0.isRecent, role: $0.role)
        }
        var picker = SessionPicker(rows)
        #expect(
            try plain(picker).dropFirst() == [
                ">   000000000002/Read ★  000000000002", "    production/Admin     000000000001",
                "Enter print  ^E exec line  ^O console  ^R reload",
            ])
        #expect(try plain(picker, columns: 80).last == "Enter print  ^E exec line  ^O console  ^R reload  Esc cancel")
        #expect(picker.press(.control("r")) == .reloadedRoles)
        #expect(picker.press(.control("y")) == nil)
        #expect(picker.untilChange(columns: 60, rows: 24, at: Self.now) == nil)
        for letter in "prad" { #expect(picker.press(.character(letter)) == nil) }
        #expect(picker.press(.enter) == .chosenRole(roles[0]) && picker.press(.control("e")) == .exportedRole(roles[0]))
        #expect(picker.press(.control("o")) == .openedRole(roles[0]))
        // The number of an account finds its roles, although it has a name.
        #expect(picker.press(.control("u")) == nil)
        for letter in "0001" { #expect(picker.press(.character(letter)) == nil) }
        #expect(picker.press(.enter) == .chosenRole(roles[0]))
    }

    @Test func keysAreNamedWhereThereIsRoom() throws {
        let picker = try picker(["work/ada"])
        #expect(try plain(picker).last == "Enter default  ^Y copy token  ^E export line  Esc cancel")
        #expect(try plain(picker, columns: 20).last == "Enter default")
        #expect(try plain(picker, columns: 20, rows: 3).count == 2)
    }

    @Test func drawingChangesWithTheShownTime() throws {
        let picker = try picker(["work/ada"])
        func wait(_ elapsed: Duration, columns: Int = 60) -> Duration? {
            picker.untilChange(columns: columns, rows: 24, at: Self.now + elapsed)
        }
        #expect(wait(.zero) == .milliseconds(1))
        #expect(wait(.milliseconds(400)) == .milliseconds(601))
        #expect(wait(.seconds(-3600)) == .milliseconds(1))
        #expect(wait(.seconds(-3605)) == .milliseconds(5001))
        #expect(wait(.seconds(300)) == nil)
        // Without room for the time, only the state changes: when the token is about to expire.
        #expect(wait(.zero, columns: 12) == .seconds(300) - SessionSummary.freshness + .milliseconds(1))
    }

    @Test func cursorColumnIsFoundBetweenKeys() {
        var start = PickerStart()
        start.add(Array("a\u{1B}[12;".utf8))
        #expect(start.column == nil)
        start.add(Array("5Rb".utf8))
        #expect(start.column == 5)
        #expect(start.typed == Array("ab".utf8))
        #expect(start.opening(columns: 80) == Array("\r\n".utf8))
        #expect(start.returning == Array("\u{1B}[A\u{1B}[4C".utf8))
    }

    @Test func firstColumnNeedsNoNewLine() {
        var start = PickerStart()
        start.add(Array("\u{1B}[A\u{1B}[3;1R".utf8))
        #expect(start.column == 1)
        #expect(start.typed == Array("\u{1B}[A".utf8))
        #expect(start.opening(columns: 80).isEmpty && start.returning.isEmpty)
        #expect(PickerStart().opening(columns: 4) == Array("    \r".utf8))
        #expect(PickerStart().returning.isEmpty)
    }

    @Test func characterMayArriveInParts() {
        var reader = TypedKeyReader()
        #expect(reader.keys(in: [0xC3]) == [])
        #expect(reader.keys(in: [0xA9]) == [.character("é")])
        #expect(reader.keys(in: [0x61, 0xE2, 0x82]) == [.character("a")])
        #expect(reader.keys(in: [0xAC, 0x62]) == [.character("€"), .character("b")])
    }

    @Test func withoutSessionsTheUserIsToldToSignIn() async throws {
        let result = await (try CommandWorld()).run("pick", exits: 9)
        #expect(result.errors.contains("yett login"))
    }
}
