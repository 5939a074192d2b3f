import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Tab moves through the choices of a dialog in a circle, and Shift-Tab moves back. The other keys of movement stop at the ends of a list.
struct TabTests {
    private static func marked(_ state: AppState) -> String {
        let line = state.picture().text.split(separator: "\n").first { $0.contains("▸") }
        return String(line ?? "")
    }

    /// Presses Tab until every choice was selected once, expects the first again, and then goes back with Shift-Tab.
    private static func expectTabCycles(_ given: AppState, count: Int) {
        var state = given
        var seen: [String] = []
        for _ in 0..<count {
            seen.append(marked(state))
            _ = state.press(.tab)
        }
        #expect(Set(seen).count == count, "\(seen)")
        #expect(marked(state) == seen.first)
        for wanted in seen.reversed() {
            _ = state.press(.backTab)
            #expect(marked(state) == wanted)
        }
    }

    @Test func homeCyclesThroughSignInAndSignUp() throws {
        Self.expectTabCycles(Given.loaded(providers: [try Sample.provider("acme", signUp: true)]), count: 2)
    }

    @Test func signOutCyclesThroughItsModes() throws {
        let state = Given.pressed(try Given.session(), .character("o"))
        guard let screen = state.current.as(SignOutScreen.self) else {
            Issue.record("no choice is open")
            return
        }
        Self.expectTabCycles(state, count: screen.choices(in: state.model).count)
    }

    @Test func confirmationCyclesThroughYesAndNo() throws {
        var state = Given.pressed(try Given.session(), .character("x"))
        _ = state.take(.resized(Size(columns: 60, rows: 20)))
        Self.expectTabCycles(state, count: 2)
    }

    /// Each key and the one that leads back, in a list of four rows that fits on a page.
    @Test(arguments: [
        (Key.down, Key.up, 1), (.character("j"), .character("k"), 1), (.end, .home, 3), (.character("G"), .character("g"), 3),
        (.pageDown, .pageUp, 3), (.control("f"), .control("b"), 3), (.character(" "), .pageUp, 3),
    ])
    func movementKeysSelectARow(forward: Key, back: Key, row: Int) throws {
        var state = Given.pressed(try Given.sessions(), forward)
        #expect(state.currentTraits.selectedRow == row)
        _ = state.press(back)
        #expect(state.currentTraits.selectedRow == 0)
    }

    @Test func movementWrapsAround() {
        #expect(Movement.next.from(2, count: 3, page: 9) == 0 && Movement.next.from(0, count: 3, page: 9) == 1)
        #expect(Movement.previous.from(0, count: 3, page: 9) == 2 && Movement.previous.from(2, count: 3, page: 9) == 1)
        for movement in [Movement.next, .previous] { #expect(movement.from(0, count: 0, page: 9) == 0) }
    }
}
