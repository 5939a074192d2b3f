import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The rules that hold for every screen.
@Suite struct EveryScreenTests {
    static let sizes = [(80, 24), (40, 10), (200, 60), (20, 5), (3, 3), (1, 1), (0, 0)].map { Size(columns: $0.0, rows: $0.1) }

    @Test(arguments: sizes, [GlyphSet.unicode, .ascii])
    func drawsAtEverySizeInEveryTheme(size: Size, glyphs: GlyphSet) throws {
        for (name, state) in try Given.everyScreen() {
            for theme in Sample.themes {
                let picture = state.picture(size, theme: theme, glyphs: glyphs)
                #expect(picture.size == size, "\(name)")
                let isBlank = picture.text.allSatisfy(\.isWhitespace)
                #expect(isBlank == size.isEmpty || size.columns < 4, "\(name)")
            }
        }
    }

    @Test func firstLineNamesTheScreenAndLastLineShowsKeys() throws {
        for (name, state) in try Given.everyScreen() {
            let lines = state.picture().text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first?.hasPrefix(" yett › ") == true, "\(name)")
            #expect(["help", "^C quit", "find"].contains { lines.last?.contains($0) == true }, "\(name)")
        }
    }

    @Test func asciiTerminalGetsOnlyASCII() throws {
        for (name, state) in try Given.everyScreen() {
            let text = state.picture(glyphs: .ascii).text
            let strange = text.filter { !$0.isASCII }
            #expect(strange.allSatisfy { $0 == "…" }, "\(name): \(strange)")
        }
    }

    @Test func acceptsEveryKeyWithoutATrap() throws {
        let letters = "abcdefghijklmnopqrstuvwxyzLRGU?/0123 ".map(Key.character)
        let named: [Key] = [
            .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab, .backTab, .backspace, .delete, .enter, .escape,
        ]
        for (_, state) in try Given.everyScreen() {
            for key in letters + named + [.control("c"), .control("z"), .control("u"), .function(1), .alt("b")] {
                var changed = state
                let commands = changed.press(key)
                #expect(changed.picture(Size(columns: 40, rows: 10)).size.rows == 10)
                #expect(commands.count <= 8)
            }
        }
    }

    /// An unavailable key shows its reason and does nothing else.
    @Test func unavailableKeyShowsItsReason() throws {
        var checked = 0
        for (name, state) in try Given.everyScreen() {
            for binding in state.current.screen.keys(in: state.model).merged {
                guard let reason = binding.unavailable, let key = binding.keys.first else { continue }
                checked += 1
                var pressed = state
                #expect(pressed.press(key).isEmpty, "\(name): \(key)")
                #expect(pressed.notice?.text == reason, "\(name): \(key)")
            }
        }
        #expect(checked >= 10)
    }

    /// A key finds its action by the name, so no table has a name twice.
    @Test func actionsOfATableHaveDifferentNames() throws {
        for (name, state) in try Given.everyScreen() {
            let actions = state.current.screen.keys(in: state.model).bindings.map(\.action)
            #expect(Set(actions).count == actions.count, "\(name): \(actions)")
        }
    }

    @Test func helpShowsTheKeyTableOfTheScreen() throws {
        var state = try Given.sessions()
        let table = state.current.screen.keys(in: state.model).merged
        _ = state.press(.character("?"))
        guard let help = state.current.as(HelpScreen.self) else { return #expect(Bool(false), "no help") }
        #expect(help.own == table)
        #expect(help.everywhere.contains { $0.keys == [.character("q")] })
        // Every key is in one group.
        let terms = help.document().blocks.filter { block in if case .term(_, _, _, .accent) = block { true } else { false } }
        #expect(terms.count == help.own.count + help.everywhere.count)
    }

    @Test func onlyTimedScreensTick() throws {
        // The clock in the header needs one tick a minute.
        let screens = try Given.everyScreen()
        #expect(screens.allSatisfy { TerminalAppRoot.nextTick(in: $0.state).map { $0 <= .seconds(60) } ?? false })
        let timed = screens.filter { TerminalAppRoot.nextTick(in: $0.state).map { $0 <= .seconds(1) } ?? false }.map(\.name)
        #expect(
            timed == [
                "asking a provider", "signing in", "signing in, over SSH", "signing in, no answer", "QR code", "paste", "welcome",
                "sessions",
                "sessions and what happened", "sessions, filtered", "session", "session with bridges", "inspector",
                "inspector, a refresh token",
                "inspector, an opaque token", "inspector, after a renewal", "about to be forgotten", "signing out",
                "signing out everywhere", "activity", "activity, filtered", "activity by program", "activity by program, by time",
                "activity of one program", "question", "timeline", "switcher",
            ])
    }
}
