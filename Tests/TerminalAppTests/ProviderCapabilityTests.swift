import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The app offers only what the provider supports.
struct ProviderCapabilityTests {
    @Test(arguments: [
        (true, true, [SignOutMode.revoke, .endBrowserSession, .localOnly]), (true, false, [.revoke, .localOnly]),
        (false, false, [.localOnly]),
    ])
    func signOutOffersWhatTheProviderSupports(revokes: Bool, hasBrowserSession: Bool, offered: [SignOutMode]) throws {
        var provider = try Sample.provider("work")
        provider.revokes = revokes
        provider.hasBrowserSession = hasBrowserSession
        let state = Given.loaded(providers: [provider])
        let screen = SignOutScreen(name: try Sample.name("work/ada@example.org"))
        #expect(screen.choices(in: state.model) == offered)
    }

    @Test func receiptSaysThatTheProviderWasNotTold() throws {
        let name = try Sample.name("work/ada@example.org")
        let skipped = SignOutReceipt(
            session: name, entries: [.init(.revokeAccessToken, .skipped(reason: "there is no way")), .init(.forget, .done)])
        #expect(SignOutWords.outcome(skipped).contains("was not notified"))
        let told = SignOutReceipt(session: name, entries: [.init(.revokeAccessToken, .done), .init(.forget, .done)])
        #expect(!SignOutWords.outcome(told).contains("was not notified"))
    }

    /// Where the provider's page shows a code, there is no callback, and the app asks for the code.
    @Test func codeShownByTheProviderIsAskedFor() throws {
        var state = Given.pressed(Given.loaded(providers: [try Sample.provider("work")]), .enter)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        for event in [
            SignInEvent.hosts(authorization: "id.example.org", token: "id.example.org"), .began(.open),
            .available(.browser(url: try Sample.url(), redirect: RedirectRule.outOfBand.description)), .available(.paste),
            .completed(.open),
            .began(.wait),
        ] { _ = state.take(.signInReported(run, event, at: Sample.now)) }
        // The paste field opens by itself, as on the command line, below the URL.
        let text = state.picture().text
        #expect(text.contains("Paste the code") && text.contains("shows a code") && !text.contains("Redirect URL"))
        #expect(!text.contains("urn:ietf") && text.contains("https://"))
        for letter in "abc" { _ = state.press(.character(letter)) }
        #expect(state.press(.enter) == [.paste(Secret("abc"), run)])
        // After the user closes the field, it does not open again by itself.
        _ = state.take(.pasteAnswered(run, AuthFailure(.usage, text: "that is no code")))
        _ = state.press(.escape)
        _ = state.take(.signInReported(run, .available(.paste), at: Sample.now))
        #expect(!state.picture().text.contains("Paste the code"))
        _ = state.press(.character("p"))
        #expect(state.picture().text.contains("Paste the code"))
    }
}
