import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The question whether a program may have a token.
@Suite struct QuestionTests {
    private func asked(ticks: Int = 2) throws -> (state: AppState, question: TokenConsentRequest) {
        var state = try Given.sessions()
        let question = try Given.question()
        _ = state.take(.serviceReported(.asked(question)))
        for _ in 0..<ticks { _ = state.take(.ticked(Sample.now + .seconds(2))) }
        return (state, question)
    }

    @Test func questionOpensOverOtherScreensAndCountsDown() throws {
        let (state, _) = try asked()
        let picture = state.picture().text
        #expect(picture.contains("Issue the access token of work/ada@example.org?"))
        #expect(picture.contains("/usr/bin/git (process 4711)"))
        #expect(picture.contains("Denied in 28 seconds."))
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1))
    }

    @Test func questionShowsScopeAndAudience() throws {
        var state = try Given.sessions()
        var question = try Given.question()
        question.restrictions = TokenRestrictions(scopes: ["read", "mail"], audience: "https://api.example.org/")
        _ = state.take(.serviceReported(.asked(question)))
        let picture = state.picture().text
        #expect(picture.contains("/usr/bin/git (process 4711) requests it."))
        #expect(picture.contains("It is limited to these scopes: mail read."))
        #expect(picture.contains("Its audience is https://api.example.org/."))
    }

    @Test func questionShowsWhatTheProgramSaysTheTokenIsFor() throws {
        var state = try Given.sessions()
        var question = try Given.question()
        question.destination = "registry.example.org/team/app\u{1B}[2J"
        _ = state.take(.serviceReported(.asked(question)))
        let text = state.picture().text
        #expect(text.contains("According to the program, it is for "))
        #expect(text.contains("registry.example.org/team/app\u{FFFD}[2J."))
    }

    /// Less than the token is issued, so the question does not speak of the session's rights.
    @Test func questionNamesWhatIsIssuedInPlaceOfTheToken() throws {
        for (subject, heading) in [
            (TokenRequest.RoleSubject.list, "Issue the list of roles of work/ada@example.org?"),
            (.credentials("000000000001/ReadOnly"), "Issue only credentials of the role 000000000001/ReadOnly of work/ada@example.org?"),
        ] {
            var question = try Given.question()
            (question.subject, question.destination) = (subject, "000000000001/ReadOnly")
            #expect(QuestionWords.heading(question) == heading)
            #expect(QuestionWords.program(question) == "/usr/bin/git (process 4711) requests it.")
            #expect(QuestionWords.destination(question) == nil)
            var state = try Given.sessions()
            _ = state.take(.serviceReported(.asked(question)))
            #expect(state.picture().text.contains("requests it.") && !state.picture().text.contains("access token"))
        }
    }

    @Test(arguments: [(Key.character("y"), true), (.character("n"), false), (.escape, false)])
    func keysAnswerTheQuestion(key: Key, allows: Bool) throws {
        var (state, question) = try asked()
        let depth = state.opened.count
        #expect(state.press(key) == [.answerQuestion(question.id, allows: allows)])
        #expect(state.opened.count == depth - 1)
    }

    /// A click that is meant for the one answer never meets the other: both are there from the start.
    @Test func answersKeepTheirPlaces() throws {
        var places: [[Rect]] = []
        for ticks in [0, 2] {
            let picture = try asked(ticks: ticks).state.picture()
            let yes = try #require(picture.find(" y Allow "))
            let no = try #require(picture.find(" n Deny "))
            let expected: Role = ticks == 0 ? .muted : .text
            #expect(picture.style(at: Point(column: yes.left + 3, row: yes.top))?.role == expected)
            #expect(picture.style(at: Point(column: no.left + 3, row: no.top))?.role == .text)
            places.append([yes, no])
        }
        #expect(places[0] == places[1])
    }

    @Test func clickOnAYesThatWaitsIsNoAnswer() throws {
        var (state, _) = try asked(ticks: 0)
        let depth = state.opened.count
        let yes = try #require(state.picture().find(" y Allow "))
        #expect(state.take(.mouseUsed(MouseEvent(.pressed, at: yes.origin))) == [])
        #expect(state.opened.count == depth)
    }

    @Test(arguments: [0, 1])
    func yesIsNotAcceptedBeforeTheQuestionCouldBeRead(ticks: Int) throws {
        var (state, question) = try asked(ticks: ticks)
        #expect(state.press(.character("y")) == [])
        #expect(state.notice?.text == QuestionWords.readFirst)
        #expect(state.press(.character("n")) == [.answerQuestion(question.id, allows: false)])
    }

    @Test func hiddenQuestionMustBeReadAgain() throws {
        var (state, first) = try asked(ticks: 0)
        var second = first
        second.id = TokenConsentRequest.ID("x-2")
        second.program = "/usr/bin/curl"
        _ = state.take(.serviceReported(.asked(second)))
        for _ in 0..<2 { _ = state.take(.ticked(Sample.now + .seconds(2))) }
        #expect(state.press(.character("y")) == [.answerQuestion(second.id, allows: true)])
        // The same key, pressed again, was meant for the question that has closed.
        #expect(state.press(.character("y")) == [])
        for _ in 0..<2 { _ = state.take(.ticked(Sample.now + .seconds(4))) }
        #expect(state.press(.character("y")) == [.answerQuestion(first.id, allows: true)])
    }

    @Test func settledQuestionBelowDoesNotResetTheOneAbove() throws {
        var (state, first) = try asked(ticks: 0)
        var second = first
        second.id = TokenConsentRequest.ID("x-2")
        _ = state.take(.serviceReported(.asked(second)))
        for _ in 0..<2 { _ = state.take(.ticked(Sample.now + .seconds(2))) }
        _ = state.take(.serviceReported(.settled(first.id)))
        #expect(state.press(.character("y")) == [.answerQuestion(second.id, allows: true)])
        #expect(state.opened.isEmpty)
    }

    @Test func questionStaysWhenASignInBelowItEnds() throws {
        var state = try Given.signingIn()
        let question = try Given.question()
        _ = state.take(.serviceReported(.asked(question)))
        let session = try Sample.session("work/ada@example.org")
        _ = state.take(.serviceReported(.sessionsChanged([session])))
        _ = state.take(.signInReported(RunID(number: 1), .finished(.success(session)), at: Sample.now))
        #expect(state.current == OpenScreen(QuestionScreen(question: question)))
    }

    @Test func enterIsNotAnAnswer() throws {
        var (state, _) = try asked()
        let before = state.opened
        #expect(state.press(.enter) == [])
        #expect(state.opened == before)
    }

    @Test func questionClosesWhenItIsSettledElsewhere() throws {
        var (state, question) = try asked()
        _ = state.take(.serviceReported(.settled(TokenConsentRequest.ID("another"))))
        #expect(state.current == OpenScreen(QuestionScreen(question: question, ticks: 2)))
        _ = state.take(.serviceReported(.settled(question.id)))
        #expect(state.opened.isEmpty)
    }

    @Test func questionClosesAtItsDeadline() throws {
        var (state, question) = try asked()
        _ = state.take(.ticked(question.deadline))
        #expect(state.opened.isEmpty)
        #expect(state.notice?.text == QuestionWords.isOver)
    }

    @Test(arguments: [(29, true), (20, false)])
    func questionSettledAtItsDeadlineSaysThatTimeIsOver(second: Int64, isOver: Bool) throws {
        var (state, question) = try asked()
        _ = state.take(.ticked(Sample.now + .seconds(second)))
        _ = state.take(.serviceReported(.settled(question.id)))
        #expect(state.opened.isEmpty)
        #expect(state.notice?.text == (isOver ? QuestionWords.isOver : nil))
    }

    @Test func lateAnswerIsReported() throws {
        var (state, _) = try asked()
        _ = state.take(.questionAnswered(TokenConsentRequest.isOver))
        #expect(state.notice?.text == QuestionWords.tooLate)
    }
}
