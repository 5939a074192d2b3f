import AuthModel
import Testing
@testable import OAuth

/// The polling of RFC 8628 section 3.5, event by event.
@Suite struct DevicePollingTests {
    private static let start: Duration = .seconds(1000)
    private static let pending = World.json(#"{"error":"authorization_pending"}"#, status: 400)
    private static let slowDown = World.json(#"{"error":"slow_down"}"#, status: 400)
    private static let page = World.json("<html>busy</html>", status: 200)

    /// A poll's answer; `nil`: none came.
    private struct Run {
        var polling: DevicePolling
        var now = DevicePollingTests.start
        var action: DevicePolling.Action

        init(_ changes: [JSONValue.Member] = []) throws {
            polling = DevicePolling(try DeviceBench.read(changes), now: now)
            action = polling.begin(now: now)
        }

        /// Goes to the moment of the next poll and answers it; gives the wait that follows, in seconds.
        mutating func answer(_ response: WebResponse?) throws -> Int64 {
            now = try World.required(pollTime)
            action =
                response.map { polling.answered($0, host: "tokens.example.org", now: now, date: World.now) } ?? polling.unanswered(now: now)
            return try World.required(pollTime.map { ($0 - now).wholeSeconds })
        }

        /// The same, for the answer that ends it.
        mutating func end(_ response: WebResponse, requiresProof: Bool = false) throws -> Result<TokenSet, OAuthError> {
            now = try World.required(pollTime)
            let last = polling.answered(response, host: "tokens.example.org", requiresProof: requiresProof, now: now, date: World.now)
            guard case .finish(let result) = last else { throw World.Missing() }
            return result
        }

        var pollTime: Duration? {
            if case .poll(let time) = action { time } else { nil }
        }
    }

    @Test func asksTheTokenEndpointWithTheDeviceCode() throws {
        let request = try TokenEndpoint.poll(DeviceBench.read([]), at: World.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.url.text == "https://tokens.example.org/token")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=the-device-code&client_id=yett")
    }

    @Test func takesNoDeviceCodeToAnotherProvider() throws {
        let authorization = try DeviceBench.read([])
        var other = try World.metadata()
        other.issuer = Issuer("https://evil.example")
        #expect(World.error { try TokenEndpoint.poll(authorization, at: other, client: OAuthClient(id: "yett")) }?.failure.exitCode == 8)
        #expect(World.error { try TokenEndpoint.poll(authorization, at: World.metadata(), client: OAuthClient(id: "other")) } != nil)
    }

    @Test func waitsTheIntervalFromTheFirstPollOn() throws {
        // DEV-02, DEV-04, N-30.
        var run = try Run()
        #expect(run.pollTime == Self.start + .seconds(5))
        for _ in 0..<5 { #expect(try run.answer(Self.pending) == 5) }
        #expect(try Run([.init("interval", .null)]).pollTime == Self.start + .seconds(5))
        #expect(try Run([.init("interval", 9)]).pollTime == Self.start + .seconds(9))
    }

    @Test func slowsDownForGood() throws {
        // DEV-03, N-31.
        var run = try Run()
        #expect(try run.answer(Self.slowDown) == 10)
        #expect(try run.answer(Self.pending) == 10)
        #expect(try run.answer(Self.slowDown) == 15)
        #expect(try run.answer(Self.pending) == 15)
        #expect(try run.answer(Self.pending) == 15)
    }

    @Test(arguments: [(20, 20), (3, 10), (-1, 10)]) func takesANamedIntervalThatIsLonger(_ named: Int64, _ wait: Int64) throws {
        var run = try Run()
        let slow = World.json(#"{"error":"slow_down","interval":\#(named)}"#, status: 400)
        #expect(try run.answer(slow) == wait)
        #expect(try run.answer(Self.pending) == wait)
    }

    @Test(arguments: [200, 400, 403, 428, 429]) func understandsPendingUnderAnyStatus(_ status: Int) throws {
        // Some answer 200, 403, 428 or 429 with the errors of the RFC.
        var run = try Run()
        #expect(try run.answer(World.json(#"{"error":"authorization_pending"}"#, status: status)) == 5)
        #expect(try run.answer(World.json(#"{"error":"slow_down"}"#, status: status)) == 10)
    }

    @Test func backsOffWhenNothingAnswers() throws {
        // DEV-10, N-33: doubled each time, up to a limit; a proper answer ends it.
        var run = try Run([.init("expires_in", 3600)])
        let waits = try (0..<6).map { _ in try run.answer(nil) }
        #expect(waits == [10, 20, 40, 60, 60, 60])
        #expect(try run.answer(Self.pending) == 5)
        #expect(try run.answer(nil) == 10)
    }

    @Test(arguments: [
        WebResponse(status: 500), WebResponse(status: 503), WebResponse(status: 429), WebResponse(status: 408), page,
        World.json("<html>", status: 403), World.json("<html>", status: 400), World.json("<html>", status: 404),
        World.json(#"{"error":"temporarily_unavailable"}"#, status: 400),
    ])
    func backsOffInTrouble(_ trouble: WebResponse) throws {
        var run = try Run()
        #expect(try run.answer(trouble) == 10)
        #expect(try run.answer(trouble) == 20)
        #expect(try run.answer(Self.slowDown) == 10)
        #expect(try run.answer(trouble) == 20)
    }

    @Test func isNeverFasterThanTheInterval() throws {
        var run = try Run([.init("interval", 90), .init("expires_in", 3600)])
        #expect(try run.answer(nil) == 90)
        #expect(try run.answer(WebResponse(status: 503, headers: [("Retry-After", "1")])) == 90)
        #expect(try run.answer(WebResponse(status: 503, headers: [("Retry-After", "200")])) == 200)
    }

    @Test(arguments: ["access_denied", "invalid_grant", "invalid_client", "unsupported_grant_type", "whatever"])
    func anyOtherErrorIsFinal(_ code: String) throws {
        // DEV-06, N-32.
        var run = try Run()
        let result = try run.end(World.json(#"{"error":"\#(code)"}"#, status: 400))
        #expect(
            result
                == .failure(
                    OAuthError(.devicePolling, .refused(ServerError(code: code), status: 400), host: "tokens.example.org")))
    }

    @Test func endsWhenTheServerSaysThatTheCodeIsOver() throws {
        // DEV-05.
        var run = try Run()
        guard case .failure(let error) = try run.end(World.json(#"{"error":"expired_token"}"#, status: 400)) else { throw World.Missing() }
        #expect(error.failure.kind == .timedOut)
        #expect(error.failure.summary == "the code of tokens.example.org was not confirmed in time")
        #expect(error.failure.hint == "sign in again for a new code")
    }

    @Test func endsWithTheCode() throws {
        var run = try Run([.init("expires_in", 12)])
        #expect(try run.answer(Self.pending) == 5)
        run.now += .seconds(5)
        let over = OAuthError(.devicePolling, .lifetimeOver, host: "id.example.org")
        #expect(run.polling.answered(Self.pending, host: nil, now: run.now, date: World.now) == .finish(.failure(over)))
        #expect(run.polling.unanswered(now: run.now) == .finish(.failure(over)))
        #expect(over.failure.exitCode == 4)
        // A code that ends before the first poll is due is not polled for.
        #expect(try Run([.init("expires_in", 5)]).action == .finish(.failure(over)))
    }

    @Test func anUnreadableRefusalIsFinalTheSecondTime() throws {
        var run = try Run()
        #expect(try run.answer(World.json("", status: 400)) == 10)
        #expect(try run.answer(Self.pending) == 5)
        #expect(try run.answer(World.json("", status: 401)) == 10)
        guard case .failure(let error) = try run.end(World.json("{}", status: 400)) else { throw World.Missing() }
        #expect(error.kind == .refusedUnreadably(status: 400))
    }

    @Test(arguments: [
        World.json("", status: 302), World.json("{}", status: 200), World.json("[]", status: 200), World.json("", status: 404),
        World.json(#"{"access_token":"at","token_type":"mac"}"#), World.json(#"{"access_token":7,"token_type":"Bearer"}"#),
    ])
    func aWrongAnswerIsFinal(_ response: WebResponse) throws {
        var run = try Run()
        guard case .failure = try run.end(response) else {
            Issue.record("taken")
            return
        }
    }

    @Test func givesTheTokens() throws {
        // DEV-01.
        var run = try Run()
        #expect(try run.answer(Self.pending) == 5)
        let answer = World.json(#"{"access_token":"at","token_type":"Bearer","expires_in":60}"#)
        let tokens = try run.end(answer).get()
        #expect(tokens.accessToken == Secret("at"))
        #expect(tokens.scopes == ["openid"])
        #expect(tokens.accessExpiresAt == World.now + .seconds(60))
        var bound = try Run()
        #expect(
            try bound.end(answer, requiresProof: true)
                == .failure(OAuthError(.devicePolling, .tokenTypeNotUnderstood, host: "tokens.example.org")))
    }
}
