import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Several accounts at one provider: which one the provider's name stands for, and what a session was made from.
struct SeveralAccountsTests {
    /// Two accounts at `work`; the first is selected.
    private static func state(active: String? = nil, size: Size = Size(columns: 80, rows: 24)) throws -> AppState {
        var provider = try Sample.provider("work", accounts: ["ada", "grace"])
        provider.defaultAccount = active
        return Given.loaded(
            providers: [provider], sessions: [try Sample.session("work/ada"), try Sample.session("work/grace")], size: size)
    }

    @Test func keyMakesAnAccountTheDefault() throws {
        var state = try Self.state()
        let ada = try Sample.name("work/ada")
        #expect(state.press(.character("m")) == [.makeDefault(ada)])
        #expect(state.take(.defaultChoiceEnded(ada, nil)) == [.load])
        #expect(state.notice == Notice("default account for work: work/ada", .good))
    }

    @Test func sessionShowsItsNamesForTools() throws {
        for (active, names) in [("ada", "work/ada or work"), ("grace", "work/ada")] {
            let state = Given.pressed(try Self.state(active: active, size: Size(columns: 200, rows: 60)), .enter)
            let row = try #require(state.picture().text.split(separator: "\n").first { $0.contains("name for tools") })
            #expect(row.contains(names) && row.contains("or work") == (active == "ada"))
        }
    }

    @Test func defaultCannotBeChosenWithoutAnAlternative() throws {
        var chosen = try Self.state(active: "ada")
        #expect(chosen.press(.character("m")) == [])
        #expect(chosen.notice?.text == "this is already the default account for work")
        var only = try Given.session()
        #expect(only.press(.character("m")) == [])
        #expect(!only.picture(Size(columns: 200, rows: 60)).text.contains("the provider's default account"))
        var locked = try Self.state()
        _ = locked.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(locked.press(.character("m")) == [])
    }

    @Test func failureIsShown() throws {
        var state = try Self.state()
        _ = state.take(
            .defaultChoiceEnded(try Sample.name("work/ada"), AuthFailure(.configuration, text: "the disk is full", hint: "make room")))
        #expect(state.picture().text.contains("disk is full"))
    }

    /// If the session was made from another one, signing out offers to end that one as well, if it still exists.
    @Test(arguments: [(true, SignOutMode.withBase), (false, .endBrowserSession)])
    func signOutOffersToEndTheBaseSession(isThere: Bool, second: SignOutMode) throws {
        var made = try Sample.provider("ow", accounts: ["ada"])
        made.base = try Sample.name("work")
        let sessions = [try Sample.session("ow/ada")] + (isThere ? [try Sample.session("work/ada")] : [])
        for (key, mode) in [("1", SignOutMode.revoke), ("2", second)] {
            var state = Given.pressed(Given.loaded(providers: [made, try Sample.provider("work")], sessions: sessions), .character("o"))
            #expect(state.picture().text.contains("sign out of work as well") == isThere)
            #expect(state.press(.character(Character(key))) == [.signOut(try Sample.name("ow/ada"), mode)])
        }
    }
}
