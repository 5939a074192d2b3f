import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// A screen needs nothing but its own type: the app opens, draws, updates and closes one that no other code names.
@Suite struct OwnScreenTests {
    /// The smallest screen with work of its own.
    private struct CounterScreen: Screen {
        var count = 0

        enum Action: Hashable, Sendable { case add, leave }

        func bindings(in model: AppModel) -> [KeyBinding<Action>] {
            [
                KeyBinding(Key.character("+"), action: Action.add, label: "count"),
                KeyBinding(.escape, action: .leave, label: "back"),
            ]
        }

        func obstacle(to action: Action, in model: AppModel) -> String? { action == .add && count == 2 ? "two are enough" : nil }

        mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
            if action == .leave { return .back }
            count += 1
            return .none
        }

        func title(in model: AppModel) -> String { "Counter" }

        func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
            buffer.write("counted \(count)", in: area.row(0), style: Style(.text))
        }

        var openingCommands: [Command] { [.copyText("opened")] }
        var closingCommands: [Command] { [.copyText("closed at \(count)")] }
    }

    /// Opens a counter that starts with the number of sessions.
    private struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> CounterScreen { CounterScreen(count: (context.model.sessions ?? []).count - 4) }
    }

    @Test func opensDrawsUpdatesAndCloses() throws {
        var state = try Given.sessions()
        #expect(state.go(.open(Destination(Request())), from: nil) == [.copyText("opened")])
        #expect(state.trail.last == "Counter")
        for count in 1...2 {
            #expect(state.press(.character("+")).isEmpty)
            #expect(state.current == OpenScreen(CounterScreen(count: count)))
        }
        #expect(state.picture().text.contains("counted 2"))
        #expect(state.press(.character("+")).isEmpty)
        #expect(state.notice?.text == "two are enough")
        #expect(Given.pressed(state, .character("?")).picture().text.contains("Counter"))
        #expect(Given.pressed(state, .character(":")).picture().text.contains("two are enough"))
        #expect(state.press(.escape) == [.copyText("closed at 2")])
        #expect(state.opened.isEmpty)
    }

    @Test func returningToTheFirstScreenClosesIt() throws {
        var state = try Given.sessions()
        _ = state.go(.open(Destination(CounterScreen(count: 7))), from: nil)
        #expect(state.go(.home, from: nil) == [.copyText("closed at 7")])
        #expect(state.opened.isEmpty)
    }
}
