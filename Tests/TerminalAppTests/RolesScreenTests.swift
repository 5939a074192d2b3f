import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The list of accounts and roles, from a session's page and from the switcher.
@Suite struct RolesScreenTests {
    private static let roles = [
        AccountRole(account: "000000000001", role: "Admin", accountName: "production"),
        AccountRole(account: "000000000001", role: "ReadOnly", accountName: "production"),
        AccountRole(account: "000000000002", role: "ReadOnly", accountName: "staging"),
    ]

    private static let loaded = Result<RoleList, AuthFailure>.success(RoleList(roles, listedAt: Sample.now))

    /// The session whose provider has roles, and no other account.
    private func name() throws -> SessionName { try Sample.name("lab/grace") }

    private func started() throws -> AppState {
        var state = try Given.sessions()
        let provider = try name().provider
        let place = try #require(state.model.providers?.firstIndex { $0.name == provider })
        state.model.providers?[place].hasRoles = true
        state.model.providers?[place].accounts = [try #require(try name().account)]
        return state
    }

    /// Opens the list by the switcher, with the roles loaded.
    private func opened(_ change: (inout AppState) throws -> Void = { _ in }) throws -> AppState {
        var state = try started()
        try change(&state)
        _ = state.press(.character("'"))
        state.type(try name().description)
        #expect(state.press(.enter) == [.loadRoles(try name(), isFresh: false)])
        _ = state.take(.rolesLoaded(try name(), Self.loaded))
        return state
    }

    private func shown(_ state: AppState) throws -> [String] {
        try #require(state.current.as(RolesScreen.self)).matches.map(\.role.shownName)
    }

    @Test func enterOpensTheConsole() throws {
        var state = try opened()
        #expect(try shown(state) == ["production/Admin", "production/ReadOnly", "staging/ReadOnly"])
        state.type("sro")
        #expect(try shown(state) == ["staging/ReadOnly"])
        #expect(state.picture(Size(columns: 80, rows: 24)).text.contains("000000000002"))
        #expect(state.press(.enter) == [.openConsole(try name(), Self.roles[2])])
        #expect(state.current.screen is SessionsScreen)
        #expect(state.notice?.text == RolesWords.opening("staging/ReadOnly"))
        let failure = AuthFailure(.timedOut, "console.not_opened_in_time", hint: "hint.try_again")
        _ = state.take(.consoleOpened(try name(), Self.roles[2], failure))
        #expect(state.picture(Size(columns: 80, rows: 24)).text.contains("No browser opened the address in time."))
    }

    /// A user may know the number of an account only.
    @Test func numberOfAnAccountFindsItsRoles() throws {
        var state = try opened()
        state.type("0002")
        #expect(try shown(state) == ["staging/ReadOnly"])
        state = try opened()
        state.type("0001 read")
        #expect(try shown(state) == ["production/ReadOnly"])
    }

    @Test func otherKeysCopyACommandAndAskAgain() throws {
        var state = try opened()
        #expect(state.press(.control("r")) == [.loadRoles(try name(), isFresh: true)])
        #expect(state.press(.control("e")) == [.copyText("yett exec lab/grace --aws 000000000001/Admin -- ")])
    }

    @Test func rolesThatWereUsedOfLateAreFirst() throws {
        let state = try opened { state in
            for role in [Self.roles[1], Self.roles[2]] {
                state.model.activity.append(
                    Activity(
                        at: state.model.now, kind: .issued, session: try self.name(),
                        message: IssueRoleCredentials(of: role, TokenRequest(session: try self.name(), caller: .verbatim("aws")))
                            .namedRequest.issuedMessage))
                state.model.now = state.model.now + .seconds(60)
            }
        }
        #expect(try shown(state) == ["staging/ReadOnly", "production/ReadOnly", "production/Admin"])
    }

    /// The list is kept for a day, and the user sees that a role may be newer.
    @Test func ageOfTheListIsShown() throws {
        var state = try opened()
        let size = Size(columns: 120, rows: 40)
        #expect(!state.picture(size).text.contains("listed"))
        for (age, says, isHinted) in [(120, "listed 2 min ago", false), (7200, "listed 2 h ago", true)] as [(Int64, String, Bool)] {
            _ = state.take(.rolesLoaded(try name(), .success(RoleList(Self.roles, listedAt: state.model.now - .seconds(age)))))
            let text = state.picture(size).text
            #expect(text.contains(says), "\(text)")
            #expect(text.contains(CommonWords.keyReload) == isHinted, "\(text)")
        }
    }

    /// The list is sealed, and is loaded again after the unlock.
    @Test func lockHidesTheRoles() throws {
        let name = try self.name()
        var state = try opened()
        #expect(state.picture().text.contains("production/Admin"))
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        // The answer to a question from before the lock.
        _ = state.take(.rolesLoaded(name, Self.loaded))
        #expect(try shown(state) == [])
        #expect(!state.picture().text.contains("production") && !state.picture().text.contains("000000000001"))
        #expect(state.press(.enter) == [] && state.press(.control("e")) == [])
        #expect(state.take(.serviceReported(.storeStateChanged(.unlocked))).contains(.loadRoles(name, isFresh: false)))
        _ = state.take(.rolesLoaded(name, Self.loaded))
        #expect(try shown(state).count == Self.roles.count)
    }

    @Test func sessionPageOpensThemOnlyIfThereAreRoles() throws {
        for hasRoles in [true, false] {
            var state = try Given.session()
            state.model.providers?[0].hasRoles = hasRoles
            let name = try #require(state.model.sessions?.first?.name)
            #expect(state.press(.character("c")) == (hasRoles ? [.loadRoles(name, isFresh: false)] : []))
            #expect((state.current.screen is RolesScreen) == hasRoles)
        }
    }

    /// Without a role, the keys say why.
    @Test func emptyListSaysWhy() throws {
        let failure = AuthFailure(.unavailable(retryAfter: nil), text: "the portal is unreachable")
        for (result, text) in [
            (Result<RoleList, AuthFailure>.success(RoleList([], listedAt: nil)), RolesWords.none),
            (.failure(failure), "the portal is unreachable"),
        ] {
            var state = try opened()
            _ = state.take(.rolesLoaded(try name(), result))
            #expect(state.press(.enter) == [])
            #expect(state.notice?.text.contains(text) == true)
        }
    }
}
