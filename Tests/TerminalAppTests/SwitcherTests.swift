import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

@Suite("Account switcher")
struct SwitcherTests {
    private func opened(typing text: String = "") throws -> AppState {
        var state = Given.pressed(try Given.sessions(), .character("'"))
        state.type(text)
        return state
    }

    private func names(_ state: AppState) throws -> [String] {
        try #require(state.current.as(SwitcherScreen.self)).matches.map(\.description)
    }

    @Test func opensFromEveryScreenWithoutATextField() throws {
        for (name, state) in try Given.everyScreen() where state.model.hasSessions && !state.currentTraits.takesText {
            let isBound = state.current.screen.keys(in: state.model).bindings.contains { $0.keys.contains(.character("'")) }
            guard !isBound, !state.model.isPlain else { continue }
            let after = Given.pressed(state, .character("'"))
            #expect(after.current.screen is SwitcherScreen, "\(name)")
            #expect(
                Given.pressed(after, .escape).current.screen.title(in: state.model) == state.current.screen.title(in: state.model),
                "\(name)")
        }
    }

    @Test func lettersFindTheAccountAndEnterMakesItTheDefault() throws {
        let all = try names(opened())
        #expect(all == (try Given.sessions().model.sessions ?? []).map(\.name.description))
        var state = try opened(typing: "wkadm")
        let name = try Sample.name(try names(state).first ?? "")
        #expect(name.description.hasPrefix("work/admin"))
        #expect(state.picture(Size(columns: 80, rows: 24)).text.contains(name.description))
        let place = try #require(state.model.providers?.firstIndex { $0.name == name.provider })
        state.model.providers?[place].accounts = ["ada@example.org", "admin"]
        #expect(state.press(.enter) == [.makeDefault(name)])
        #expect(state.current.screen is SessionsScreen)
        #expect(try names(opened(typing: "zzz")) == [])
    }

    @Test func otherKeysUseTheAccountAtOnce() throws {
        let name = try Sample.name("work/ada@example.org")
        var state = try opened(typing: "workada")
        #expect(state.press(.control("y")) == [.copyToken(name)])
        state = try opened(typing: "workada")
        #expect(state.press(.control("e")) == [.copyText("export ACCESS_TOKEN=\"$(yett token work/ada@example.org)\"")])
        state = try opened(typing: "workada")
        _ = state.press(.control("o"))
        #expect(state.current.as(SessionScreen.self)?.name == name)
    }

    @Test func theOnlyAccountSaysWhyItCannotBecomeTheDefault() throws {
        var state = try opened()
        let alone = try #require(state.model.sessions?.first { !state.model.hasSeveralAccounts(at: $0.name.provider) }).name
        state.type(alone.description)
        #expect(try names(state).first == alone.description)
        #expect(state.press(.enter) == [])
        #expect(state.notice?.text.contains(alone.provider.text) == true)
    }

    @Test func selectionStaysOnItsSession() throws {
        var state = try opened()
        _ = state.press(.down)
        let name = try names(state)[1]
        var sessions = state.model.sessions ?? []
        sessions.removeFirst()
        _ = state.take(.serviceReported(.sessionsChanged(sessions)))
        let screen = try #require(state.current.as(SwitcherScreen.self))
        #expect(screen.matches[screen.selected].description == name)
    }
}
