import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// A screen needs nothing but its own type: the app opens, draws, updates and closes one that no other code names.
@Suite struct OwnScreenTests {
    /// The smallest screen with work of its own.
    private struct CounterScreen: Screen {
        var count = 0

        func actions(in model: AppModel) -> [Action] {
            [
                Action(
                    "add", [.character("+")], label: "count", obstacle: count == 2 ? "two are enough" : nil, change: { $0.count += 1 }),
                Action("leave", [.escape], label: "back", result: .back),
            ]
        }

        func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(openingCommands: [.copyText("opened")]) }

        var closingCommands: [Command] { [.copyText("closed at \(count)")] }

        func title(in model: AppModel) -> String { "Counter" }

        func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
            buffer.write("counted \(count)", in: area.row(0), style: Style(.text))
        }
    }

    /// Opens a counter that starts with the number of sessions.
    private struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> CounterScreen { CounterScreen(count: (context.model.sessions ?? []).count - 4) }
    }

    @Test func opensDrawsUpdatesAndCloses() throws {
        var state = try Given.sessions()
        #expect(state.apply(.open(Destination(Request())), of: nil) == [.copyText("opened")])
        #expect(state.trail.last == "Counter")
        for count in 1...2 {
            #expect(state.press(.character("+")).isEmpty)
            #expect(state.current == OpenScreen(CounterScreen(count: count)))
        }
        #expect(state.picture().text.contains("counted 2"))
        #expect(state.press(.character("+")).isEmpty)
        #expect(state.notice?.text == "two are enough")
        #expect(Given.pressed(state, .character("?")).picture().text.contains("Counter"))
        // What does not work now is last.
        #expect(Given.pressed(state, .character(":"), .end).picture().text.contains("two are enough"))
        #expect(state.press(.escape) == [.copyText("closed at 2")])
        #expect(state.opened.isEmpty)
    }

    @Test func returningToTheFirstScreenClosesIt() throws {
        var state = try Given.sessions()
        _ = state.apply(.open(Destination(CounterScreen(count: 7))), of: nil)
        #expect(state.apply(.home, of: nil) == [.copyText("closed at 7")])
        #expect(state.opened.isEmpty)
    }
}
