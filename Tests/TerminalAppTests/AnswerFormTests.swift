import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The forms that a sign-in shows.
@Suite struct AnswerFormTests {
    private let run = RunID(number: 1)

    private func question(_ state: AppState) throws -> AnswerForm {
        try #require(asked(state))
    }

    private func asked(_ state: AppState) -> AnswerForm? {
        if let screen = state.current.as(SigningInScreen.self) { screen.question } else { nil }
    }

    /// Fills in the form of user name and password, up to its last field.
    private func filled(password: String = "correct horse") throws -> AppState {
        var state = try Given.askedForm()
        state.type("ada")
        _ = state.press(.enter)
        state.type(password)
        return state
    }

    @Test func enterSubmitsTheTypedAnswersOnce() throws {
        var state = try filled()
        #expect(state.press(.enter) == [.answer(["username": Secret("ada"), "password": Secret("correct horse")], run)])
        #expect(state.picture().text.contains("Submitting."))
        // A second Enter does nothing.
        #expect(state.press(.enter) == [])
        #expect(state.take(.formAnswered(run, nil)) == [])
        #expect(asked(state) == nil)
    }

    /// After a failed sign-in, the form keeps what was typed, except secrets.
    @Test func retryKeepsTypedValuesExceptSecrets() throws {
        var state = try filled()
        _ = state.press(.enter)
        _ = state.take(.formAnswered(run, nil))
        _ = state.take(.signInReported(run, .finished(.failure(AuthFailure(.denied(code: nil), text: "not today"))), at: Sample.now))
        _ = state.press(.character("r"))
        let next = RunID(number: 2)
        _ = state.take(.signInReported(next, .asked(Sample.passwordForm), at: Sample.now))
        let form = try #require(question(state).form)
        #expect(form["username"]?.text == "ada")
        #expect(form["password"]?.text == "")
    }

    /// In the demo, the user does not have to remember credentials from another screen.
    @Test func demoShowsItsCredentialsBesideTheForm() throws {
        var state = try Given.askedForm()
        let advice = "demo: sign in as ada, password: of-the-demo"
        #expect(!state.picture().text.contains("of-the-demo"))
        state.model.demoAdvice = advice
        #expect(state.picture().text.contains("of-the-demo"))
        state.model.demoAdviceByAccount = ["grace": "demo: grace, password: of-grace"]
        let provider = try #require(ProviderName("work"))
        #expect(state.model.demoAdvice(for: SignInRequest(provider: provider, account: "grace"))?.contains("of-grace") == true)
        #expect(state.model.demoAdvice(for: SignInRequest(provider: provider)) == advice)
        var other = try Given.askedForm(Sample.emailForm)
        other.model.demoAdvice = advice
        #expect(!other.picture().text.contains("of-the-demo"), "no secret is asked for there")
    }

    @Test func passwordIsNeverShown() throws {
        let state = try filled()
        var dumped = ""
        dump(state, to: &dumped)
        #expect(state.picture().text.contains("ada"))
        for text in [state.picture().text, dumped, "\(state)"] { #expect(!text.contains("correct")) }
    }

    @Test func missingAnswersAreReportedBesideTheirFields() throws {
        var state = try Given.askedForm()
        _ = state.press(.enter)
        #expect(state.press(.enter) == [])
        let text = state.picture().text
        #expect(text.split(separator: "\n").filter { $0.contains("This field is required.") }.count == 2)
        // The focus is on the first invalid field, and typing clears its error.
        state.type("ada")
        #expect(state.picture().text.split(separator: "\n").filter { $0.contains("This field is required.") }.count == 1)
    }

    @Test(arguments: [("ada", false), ("ada@example.org", true), ("a@b", false), ("@example.org", false)])
    func emailAddressIsValidatedBeforeItIsSent(address: String, isGood: Bool) throws {
        var state = try Given.askedForm(Sample.emailForm)
        state.type(address)
        let commands = state.press(.enter)
        #expect(commands == (isGood ? [.answer(["email": Secret(address)], run)] : []))
        #expect(state.picture().text.contains("Not an e-mail address") == !isGood)
    }

    @Test func pasteNeverSubmits() throws {
        var state = try Given.askedForm()
        #expect(state.take(.textPasted(PastedText("ada\n"))) == [])
        _ = state.press(.enter)
        #expect(state.take(.textPasted(PastedText("correct horse\n"))) == [])
        #expect(try question(state).progress == .filling)
        #expect(state.press(.enter) == [.answer(["username": Secret("ada"), "password": Secret("correct horse")], run)])
    }

    @Test(arguments: [Key.escape, .control("c")])
    func escapeAndControlCCancelTheAttempt(key: Key) throws {
        var state = try filled()
        #expect(state.press(key) == [.cancelSignIn(run)])
        #expect(state.opened.isEmpty)
    }

    /// The key for back on other screens cancels the attempt too, so that no port stays open.
    @Test(arguments: [Key.left, .character("h")])
    func backKeysCancelTheAttempt(key: Key) throws {
        var state = try Given.askedForm(Sample.choiceForm)
        #expect(state.press(key) == [.cancelSignIn(run)])
        var waiting = try Given.signingIn()
        #expect(waiting.press(key) == [.cancelSignIn(run)])
    }

    @Test func refusedAnswersCanBeCorrected() throws {
        var state = try filled()
        _ = state.press(.enter)
        _ = state.take(.formAnswered(run, AuthFailure(.usage, text: "user name contains a control character", hint: "type it again")))
        #expect(state.picture().text.contains("User name contains a control character."))
        #expect(try question(state).form?["username"]?.text == "ada")
        #expect(state.press(.enter) == [.answer(["username": Secret("ada"), "password": Secret("correct horse")], run)])
    }

    @Test func wrongPasswordIsAskedForAgain() throws {
        var state = try filled()
        _ = state.press(.enter)
        var again = Sample.passwordForm
        again.fields[0].suggestion = "ada"
        again.refusal = AuthFailure(.denied(code: "401"), text: "the publisher refused the sign-in with status 401")
        // The new form arrives before the confirmation of the earlier answers.
        _ = state.take(.signInReported(run, .asked(again), at: Sample.now))
        _ = state.take(.formAnswered(run, nil))
        #expect(state.picture().text.contains("The publisher refused the sign-in with status 401."))
        state.type("right")
        #expect(state.press(.enter) == [.answer(["username": Secret("ada"), "password": Secret("right")], run)])
    }

    @Test func choiceIsShownAsAList() throws {
        var state = try Given.askedForm(Sample.choiceForm)
        let lines = state.picture().text.split(separator: "\n")
        #expect(["google", "microsoft", "Let the server ask"].allSatisfy { choice in lines.contains { $0.contains(choice) } })
        _ = state.press(.down)
        #expect(state.press(.enter) == [.answer(["idp": Secret("microsoft")], run)])
    }

    @Test func suggestedChoiceIsSelectedFirst() throws {
        var form = Sample.choiceForm
        form.fields[0].suggestion = "microsoft"
        var state = try Given.askedForm(form)
        #expect(state.press(.enter) == [.answer(["idp": Secret("microsoft")], run)])
    }

    @Test func optionalFieldMayBeEmpty() throws {
        var form = Sample.passwordForm
        form.fields[0].isRequired = false
        var state = try Given.askedForm(form)
        #expect(state.picture().text.contains("Optional."))
        _ = state.press(.enter)
        state.type("x")
        #expect(state.press(.enter) == [.answer(["password": Secret("x")], run)])
    }

    @Test(arguments: [(1, 1), (20, 4), (40, 10), (80, 24), (200, 60)])
    func focusedFieldIsVisibleAtEverySize(columns: Int, rows: Int) throws {
        let state = Given.pressed(try Given.askedForm(size: Size(columns: columns, rows: rows)), .enter)
        let picture = state.picture()
        #expect(rows < 4 || picture.cursor != nil)
        #expect(rows < 10 || picture.text.contains("Password"))
    }

    // MARK: Next steps

    @Test func accountRequestIsNotAProblem() throws {
        var state = try Given.accountRequested()
        let text = state.picture().text
        #expect(text.contains("Account requested: check your email."))
        #expect(text.contains("https://app.byndid.com/downloads"))
        #expect(!text.contains("Failed:"))
        let provider = try #require(ProviderName("work"))
        #expect(state.press(.character("o")) == [.openBrowser(try Sample.url("https://app.byndid.com/downloads"), provider)])
        #expect(state.press(.enter) == [.beginSignIn(SignInRequest(provider: provider), RunID(number: 2))])
    }

    @Test func signInThatIsNotNeededIsNotAProblem() throws {
        var state = try Given.signingIn()
        let end = NoSession(.notNeeded, .verbatim("work needs no sign-in: its key gives access"))
        _ = state.take(.signInReported(run, .finishedWithoutSession(end), at: Sample.now))
        #expect(state.picture().text.contains("work needs no sign-in: its key gives access."))
        #expect(state.press(.enter) == [])
        #expect(state.opened.isEmpty)
    }
}
