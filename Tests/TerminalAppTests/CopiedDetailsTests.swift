import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The details that can be copied from screens that report a result.
@Suite struct CopiedDetailsTests {
    private func copied(_ commands: [Command]) throws -> String {
        var text: String?
        if case .copyText(let copied)? = commands.first { text = copied }
        return try #require(text)
    }

    @Test func problemIsCopiedAsShown() throws {
        var state = try Given.problem()
        #expect(state.picture().text.contains("y copy details"))
        #expect(
            try copied(state.press(.character("y"))) == """
                Failed: Sign in to work
                The ID token was not signed by the provider.
                Refused: a security check failed.
                Tell the provider's operator; nothing was stored.
                yett, 2026-11-21T08:30:12Z
                """)
        _ = state.take(.textCopied(true))
        #expect(state.notice?.tone == .good)
    }

    @Test func receiptIsCopiedStepByStep() throws {
        var state = try Given.receipt()
        let text = try copied(state.press(.character("y")))
        #expect(text.contains("\nRevoke the access token: failed: the provider answered 503; it will be retried\n"))
        #expect(text.hasSuffix("yett, 2026-11-21T08:30:00Z"))
    }

    @Test func commandOfTheWelcomeScreenIsCopied() throws {
        var state = try Given.welcome()
        #expect(try copied(state.press(.character("c"))) == "yett token work/ada@example.org")
    }
}
