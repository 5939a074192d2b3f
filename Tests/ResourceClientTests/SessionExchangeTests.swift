import AuthModel
import Localization
import OAuth
import ResourceClient
import Testing

/// The decisions for a request with one session's token. No I/O.
struct SessionExchangeTests {
    private static let token = Secret("old-token")
    private static let ended = AuthFailure(.signInAgain, text: "the session of work has ended")

    private func exchange(
        _ challenge: ChallengeResponse, restrictions: TokenRestrictions = TokenRestrictions()
    ) -> SessionExchange {
        SessionExchange(challenge: challenge, restrictions: restrictions, host: "api.example")
    }

    /// Returns the steps that follow the first one, for these events in order.
    private func steps(_ exchange: SessionExchange, _ events: SessionExchange.Event...) -> [SessionExchange.Step] {
        var exchange = exchange
        return events.map { exchange.next(after: $0) }
    }

    private func answered(_ verdict: TokenVerdict, required: StepUp? = nil) -> SessionExchange.Event {
        .answered(verdict, required: required, token: Self.token)
    }

    /// The sign-in that a resource requires for more scopes.
    private func requiredScopes(_ scopes: String) throws -> StepUp {
        let response = WebResponse(
            status: 403, headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scopes)\"")], body: [])
        return try #require(try StepUp.wanted(by: response, host: "api.example", after: nil))
    }

    @Test(arguments: [ChallengeResponse.prompt, .fail, .anonymous]) func acceptedRequestEnds(challenge: ChallengeResponse) {
        #expect(exchange(challenge).first == .send(refused: nil))
        #expect(steps(exchange(challenge), answered(.taken)) == [.finish])
    }

    @Test func refusedTokenIsRenewedOnceThenTheUserSignsInOnce() {
        let refused = answered(.refused)
        let steps = steps(exchange(.prompt), refused, refused, .signedIn, refused)
        #expect(
            steps == [.send(refused: Self.token), .signIn(reason: "phrase.token_no_longer_accepted"), .send(refused: nil), .finish])
    }

    @Test func secondRefusalIsFinalWithoutAUserToAsk() {
        #expect(steps(exchange(.fail), answered(.refused), answered(.refused)) == [.send(refused: Self.token), .finish])
        #expect(
            steps(exchange(.anonymous), answered(.refused), answered(.refused)) == [.send(refused: Self.token), .sendAnonymously])
    }

    /// The session service, which hears of the refusal, knows whether the session can be renewed.
    @Test func refusedTokenOfASessionWithoutRenewalEndsIt() {
        let ended = SessionExchange.Event.sessionEnded(Self.ended)
        #expect(
            steps(exchange(.fail), answered(.refused), ended, .openness(false, Self.ended)) == [
                .send(refused: Self.token), .askWhetherOpen(Self.ended), .fail(Self.ended),
            ])
    }

    @Test func endedSessionAsksTheProviderBeforeTheUser() {
        let ended = SessionExchange.Event.sessionEnded(Self.ended)
        #expect(steps(exchange(.anonymous), ended) == [.sendAnonymously])
        #expect(steps(exchange(.fail), ended, .openness(true, Self.ended)) == [.askWhetherOpen(Self.ended), .sendAnonymously])
        #expect(steps(exchange(.fail), ended, .openness(false, Self.ended)) == [.askWhetherOpen(Self.ended), .fail(Self.ended)])
        #expect(
            steps(exchange(.prompt), ended, .openness(false, Self.ended), .signedIn, ended, .openness(false, Self.ended)) == [
                .askWhetherOpen(Self.ended), .signIn(reason: Self.ended.message), .send(refused: nil), .askWhetherOpen(Self.ended),
                .fail(Self.ended),
            ])
    }

    @Test func requiredSignInFollowsTheOption() throws {
        let required = try requiredScopes("photos")
        #expect(steps(exchange(.prompt), answered(.taken, required: required), .signedIn) == [.stepUp(required), .send(refused: nil)])
        #expect(steps(exchange(.anonymous), answered(.taken, required: required)) == [.sendAnonymously])
        guard case .fail(let failure) = steps(exchange(.fail), answered(.taken, required: required))[0] else {
            Issue.record("must fail")
            return
        }
        #expect(failure.kind == .denied(code: "insufficient_scope") && failure.hintText == "allow it with --challenge prompt")
    }

    @Test func scopesThatTheUserExcludedAreNotRequested() throws {
        let required = try requiredScopes("photos")
        let restrictions = TokenRestrictions(scopes: ["mail"])
        guard case .fail(let failure) = steps(exchange(.prompt, restrictions: restrictions), answered(.taken, required: required))[0] else {
            Issue.record("must fail")
            return
        }
        #expect(failure.summary == "api.example requires scopes that --scope excludes: photos")
    }
}
