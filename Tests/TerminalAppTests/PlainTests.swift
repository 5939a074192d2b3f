import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The app as plain prompts: the text that is printed, and what a typed line means.
@Suite struct PlainTests {
    private static func plain(_ state: AppState) -> AppState {
        var state = state
        state.model.isPlain = true
        _ = state.take(.resized(PlainPage.size()))
        return state
    }

    /// Types a line where the page asks for one, and returns the commands.
    private static func type(_ line: String, in state: inout AppState) -> [Command] {
        guard case .messages(let messages) = PlainLine(line, on: PlainPage(state)) else { return [] }
        return messages.flatMap { state.take($0) }
    }

    @Test func rowsAreNumberedWithoutDecoration() throws {
        let page = PlainPage(Self.plain(try Given.sessions()))
        #expect(page.title == "yett > Sessions")
        #expect(page.rows == 4)
        #expect(page.lines.contains { $0.hasPrefix("1) ") && $0.contains("old/marie") })
        #expect(page.lines.contains { $0.hasPrefix("3) ") && $0.contains("work/ada@example.org") })
        #expect(page.lines.allSatisfy { line in line.allSatisfy(\.isASCII) && !line.contains("###") && !line.contains("   ") })
    }

    @Test func numberChoosesARowAndKeyNamePressesAKey() throws {
        var state = Self.plain(try Given.sessions())
        let name = try Sample.name("work/ada@example.org")
        #expect(Self.type("3", in: &state) == [.loadSession(name)])
        _ = Self.type("esc", in: &state)
        #expect(state.opened.isEmpty)
        #expect(Self.type("r", in: &state) == [.renew(name)])
        #expect(Self.type("q", in: &state) == [.quit])
    }

    /// The selected row is not shown, so Enter is not an answer there.
    @Test(arguments: ["", "99999999999999999999", "nonsense"])
    func unknownInputChangesNothing(line: String) throws {
        let page = PlainPage(Self.plain(try Given.sessions()))
        #expect(PlainLine(line, on: page) == .unknown("type a number from 1 to 4, or the name of a key"))
    }

    @Test func formIsAskedFieldByField() throws {
        var state = Self.plain(Given.addingProvider())
        func label() -> String? {
            if case .field(let field) = PlainPage(state).prompt { field.label } else { nil }
        }
        #expect(label() == "Address")
        _ = Self.type("id.example.org", in: &state)
        for name in ["Client ID", "Secret file", "Scopes"] {
            #expect(label() == name)
            _ = Self.type("", in: &state)
        }
        #expect(label() == "Local name")
        let draft = ProviderDraft(address: "id.example.org", name: "mine", client: .register)
        #expect(Self.type("mine", in: &state) == [.findProvider(draft, RunID(number: 1))])
    }

    @Test func colonMakesALineAKey() {
        var state = Self.plain(Given.addingProvider())
        // From the form to the list of services, and from there back.
        for _ in 0..<2 { _ = Self.type(":esc", in: &state) }
        #expect(state.opened.isEmpty)
    }

    @Test func filterTakesWordsAndNumbersChoose() throws {
        var state = Self.plain(Given.pressed(try Given.firstRun(), .character("s")))
        #expect(PlainPage(state).prompt == .filter)
        _ = Self.type("work", in: &state)
        #expect(PlainPage(state).lines.contains { $0.contains("ada@example.org") })
        #expect(!PlainPage(state).lines.contains { $0.contains("id.lab.example") })
        let request = SignInRequest(provider: try #require(ProviderName("work")), account: "ada@example.org")
        #expect(Self.type("1", in: &state) == [.beginSignIn(request, RunID(number: 1))])
    }

    /// A passphrase that the terminal echoed is not accepted.
    @Test func secretIsNotAcceptedAsALine() {
        let state = Self.plain(Given.loaded(seal: .locked(isNew: false)))
        let page = PlainPage(state)
        #expect(page.prompt == .field(PlainField(label: "Passphrase", kind: .secret)))
        #expect(PlainLine("correct horse", on: page) == .unknown(PlainWords.seen))
    }

    /// What is printed cannot be masked again, so a token is not shown.
    @Test func tokenIsNotRevealed() throws {
        for state in [try Given.session(), try Given.inspector()] {
            var state = Self.plain(state)
            #expect(Self.type("v", in: &state) == [])
            #expect(state.notice?.text == PlainWords.noReveal)
        }
    }

    /// Lines are as long as the terminal is wide, within limits for reading.
    @Test(arguments: [(72, 72), (100, 100), (30, 60), (220, 109), (nil, 100)])
    func lineLengthFollowsTheTerminal(columns: Int?, shown: Int) throws {
        var state = Self.plain(Given.loaded())
        _ = state.take(.resized(PlainPage.size(columns: columns)))
        state = Given.pressed(state, .character("?"))
        let lengths = PlainPage(state).lines.map(\.count)
        #expect(try #require(lengths.max()) <= shown)
        #expect(PlainPage.size(columns: columns).columns == shown)
    }

    /// A URL is printed on one line, at any length, so that it can be copied.
    @Test(arguments: [60, 72, 100, 109])
    func urlIsNeverWrapped(columns: Int) throws {
        var state = Self.plain(try Given.signingIn())
        _ = state.take(.resized(PlainPage.size(columns: columns)))
        #expect(PlainPage(state).lines.contains(Sample.authorization))
    }

    @Test func onlyTimedStatesTick() throws {
        #expect(TerminalAppRoot.nextTick(in: Self.plain(try Given.signingIn())) == nil)
        #expect(
            TerminalAppRoot.nextTick(in: Self.plain(Given.pressed(try Given.session(), .character("x"), .character("y")))) == .seconds(1))
    }
}
