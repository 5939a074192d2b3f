import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The mouse does what keys do, where the screen shows it.
@Suite struct MouseTests {
    /// Returns the position of a text on the screen.
    private static func place(of text: String, in state: AppState) throws -> Point {
        for (row, line) in state.picture().text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let range = line.firstRange(of: text) {
                return Point(column: line[..<range.lowerBound].count, row: row)
            }
        }
        throw TextNotFound(text: text)
    }

    private static let wide = Size(columns: 200, rows: 60)

    private struct TextNotFound: Error { let text: String }

    private static func click(_ text: String, in state: inout AppState) throws -> [Command] {
        state.take(.mouseUsed(MouseEvent(.pressed, at: try place(of: text, in: state))))
    }

    @Test func clickSelectsARowAndASecondClickOpensIt() throws {
        var state = try Given.sessions()
        let name = try Sample.name("work/ada@example.org")
        #expect(try Self.click("work/ada", in: &state) == [.loadSession(name)], "the details show it")
        guard let screen = state.current.as(SessionsScreen.self) else { return #expect(Bool(false), "it opened at once") }
        #expect(screen.selectedName == name)
        #expect(try Self.click("work/ada", in: &state) == [.loadSession(name)])
    }

    @Test func clickOnAFooterKeyPressesIt() throws {
        var state = try Given.sessions(size: Self.wide)
        _ = try Self.click("activity", in: &state)
        guard state.current.screen is ActivityScreen else { return #expect(Bool(false), "no activity") }
        _ = try Self.click("Esc", in: &state)
        #expect(try Self.click("? help", in: &state) == [])
        guard state.current.screen is HelpScreen else { return #expect(Bool(false), "no help") }
        var leaving = try Given.sessions(size: Self.wide)
        #expect(try Self.click("q quit", in: &leaving) == [.quit])
    }

    @Test func clickFocusesAField() throws {
        var state = Given.addingProvider()
        #expect(try Self.click("Scopes", in: &state) == [])
        state.type("mail")
        #expect(state.picture().text.contains("mail"))
        guard let screen = state.current.as(AddProviderScreen.self) else { return #expect(Bool(false), "no form") }
        #expect(screen.fields.form[.scopes]?.text == "mail")
    }

    @Test func wheelMovesTheSelectionAndScrolls() throws {
        var state = try Given.sessions()
        let down = MouseEvent(.wheelDown, at: .zero)
        _ = state.take(.mouseUsed(down))
        guard let list = state.current.as(SessionsScreen.self) else { return #expect(Bool(false), "no list") }
        #expect(list.selected == 1)
        _ = state.press(.character("?"))
        _ = state.take(.mouseUsed(down))
        guard let help = state.current.as(HelpScreen.self) else { return #expect(Bool(false), "no help") }
        #expect(help.scroll == 3)
        _ = state.take(.mouseUsed(MouseEvent(.wheelUp, at: .zero)))
        guard let again = state.current.as(HelpScreen.self) else { return #expect(Bool(false), "no help") }
        #expect(again.scroll == 0)
    }

    /// Without buttons, the dangerous answer takes two clicks, as it takes two keys.
    @Test func clickOnADangerousAnswerOnlySelectsIt() throws {
        var state = Given.pressed(try Given.session(), .character("x"))
        _ = state.take(.resized(Size(columns: 60, rows: 20)))
        #expect(try Self.click("  forget it", in: &state) == [])
        guard let screen = state.current.as(ConfirmScreen.self) else { return #expect(Bool(false), "it was taken at once") }
        #expect(screen.isYesSelected)
    }

    @Test func disabledMouseIsIgnored() throws {
        var state = try Given.sessions(size: Self.wide)
        state.model.usesMouse = false
        #expect(!TerminalAppRoot.usesMouse(in: state))
        let before = state
        _ = try Self.click("activity", in: &state)
        #expect(state == before)
        #expect(!Given.pressed(state, .character("?")).picture(Size(columns: 80, rows: 60)).text.contains("drag with Shift"))
    }

    @Test func helpExplainsHowToSelectText() throws {
        let help = Given.pressed(try Given.sessions(), .character("?"))
        #expect(help.picture(Size(columns: 80, rows: 80)).text.contains("drag with Shift"))
    }

    /// A click anywhere on any screen does not trap, and causes no more commands than a key would.
    @Test func everyPositionOfEveryScreenCanBeClicked() throws {
        for (name, state) in try Given.everyScreen() {
            for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 10), Size(columns: 3, rows: 2)] {
                var sized = state
                _ = sized.take(.resized(size))
                for row in stride(from: -1, through: size.rows, by: 2) {
                    for column in stride(from: -1, through: size.columns, by: 9) {
                        var pressed = sized
                        let commands = pressed.take(.mouseUsed(MouseEvent(.pressed, at: Point(column: column, row: row))))
                        #expect(commands.count <= 8, "\(name)")
                    }
                }
            }
        }
    }
}
