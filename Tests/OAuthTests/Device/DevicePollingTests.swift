import AuthModel
import Localization
import Testing
@testable import OAuth

/// Polling by RFC 8628 section 3.5, event by event.
@Suite struct DevicePollingTests {
    private static let start: Duration = .seconds(1000)
    private static let pending = Fixture.json(#"{"error":"authorization_pending"}"#, status: 400)
    private static let slowDown = Fixture.json(#"{"error":"slow_down"}"#, status: 400)
    private static let page = Fixture.json("<html>busy</html>", status: 200)

    /// A polling run whose polls are answered one at a time.
    private struct Run {
        var polling: DevicePolling
        var now = DevicePollingTests.start
        var action: DevicePolling.Action

        init(_ changes: [JSONValue.Member] = []) throws {
            polling = DevicePolling(try DeviceFixture.read(changes), now: now)
            action = polling.begin(now: now)
        }

        /// Advances to the next poll, answers it (`nil`: no response came) and returns the following wait in seconds.
        mutating func answer(_ response: WebResponse?) throws -> Int64 {
            now = try Fixture.required(pollTime)
            action =
                response.map { polling.answered($0, host: "tokens.example.org", now: now, date: Fixture.now) }
                ?? polling.unanswered(now: now)
            return try Fixture.required(pollTime.map { ($0 - now).wholeSeconds })
        }

        /// Like ``answer(_:)``, for the response that ends the polling.
        mutating func end(_ response: WebResponse, requiresProof: Bool = false) throws -> Result<TokenSet, OAuthError> {
            now = try Fixture.required(pollTime)
            let last = polling.answered(response, host: "tokens.example.org", requiresProof: requiresProof, now: now, date: Fixture.now)
            guard case .finish(let result) = last else { throw Fixture.Missing() }
            return result
        }

        var pollTime: Duration? {
            if case .poll(let time) = action { time } else { nil }
        }
    }

    @Test func sendsTheDeviceCodeToTheTokenEndpoint() throws {
        let request = try TokenEndpoint.poll(DeviceFixture.read([]), at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.url.text == "https://tokens.example.org/token")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=the-device-code&client_id=yett")
    }

    /// Flows that are older than RFC 8628 have other parameters, another address, and their own authentication.
    @Test func pollsAsTheServiceWants() throws {
        func request(_ change: (inout DeviceDialect) -> Void) throws -> WebRequest {
            var dialect = ProviderDialect()
            dialect.tokenParameters = ["audience": "api"]
            change(&dialect.device)
            let client = OAuthClient(id: "yett", credential: .post(Secret("s")), dialect: dialect)
            return try TokenEndpoint.poll(DeviceFixture.read([]), at: Fixture.metadata(), client: client)
        }
        func body(_ change: (inout DeviceDialect) -> Void) throws -> String { String(decoding: try request(change).body, as: UTF8.self) }
        let salesforce = try body {
            $0.grantType = "device"
            $0.codeParameter = "code"
        }
        #expect(salesforce == "grant_type=device&code=the-device-code&audience=api&client_id=yett&client_secret=s")
        let amazon = try body { $0.pollParameters = ["user_code": "{user_code}"] }
        #expect(amazon.contains("&device_code=the-device-code&user_code=WDJB-MJHT&"))
        let facebook = try request {
            $0.grantType = nil
            $0.tokenEndpoint = WebURL("https://id.example.org/login_status")
            $0.clientToken = "public"
        }
        #expect(facebook.url.path == "/login_status")
        #expect(String(decoding: facebook.body, as: UTF8.self) == "device_code=the-device-code&access_token=yett%7Cpublic")
    }

    /// The service's own codes go before its statuses, and what has no meaning ends the polling as before.
    @Test func answersMeanWhatTheServiceSays() throws {
        var dialect = ProviderDialect()
        dialect.device.meanings = [
            "400": .pending, "429": .slowDown, "410": .expired, "418": .denied, "1349152": .expired, "17": .slowDown,
        ]
        func answer(_ status: Int, _ body: String = "") throws -> DevicePolling.Action {
            var polling = DevicePolling(try DeviceFixture.read([]), now: Self.start)
            return polling.answered(
                Fixture.json(body, status: status), host: "tokens.example.org", dialect: dialect, now: Self.start, date: Fixture.now)
        }
        func failure(_ action: DevicePolling.Action) -> AuthFailure.Kind? {
            if case .finish(.failure(let error)) = action { error.failure.kind } else { nil }
        }
        for _ in 0..<3 { #expect(try answer(400) == .poll(at: Self.start + .seconds(5))) }
        #expect(try answer(429) == .poll(at: Self.start + .seconds(10)))
        #expect(try answer(400, #"{"error":{"message":"m","code":17,"error_subcode":7}}"#) == .poll(at: Self.start + .seconds(10)))
        #expect(try failure(answer(410)) == .timedOut)
        #expect(try failure(answer(418)) == .denied(code: "access_denied"))
        #expect(try failure(answer(400, #"{"error":{"message":"m","code":463,"error_subcode":1349152}}"#)) == .timedOut)
        #expect(try failure(answer(403, #"{"error":"unauthorized_client"}"#)) == .denied(code: "unauthorized_client"))
        // A client that the service does not know waits for nothing.
        #expect(try failure(answer(400, #"{"error":"invalid_client"}"#)) == .denied(code: "invalid_client"))
        #expect(try answer(400, #"{"error":"not yet"}"#) == .poll(at: Self.start + .seconds(5)))
    }

    @Test func sendsNoDeviceCodeToAnotherProvider() throws {
        let authorization = try DeviceFixture.read([])
        var other = try Fixture.metadata()
        other.issuer = Issuer("https://evil.example")
        #expect(Fixture.error { try TokenEndpoint.poll(authorization, at: other, client: OAuthClient(id: "yett")) }?.failure.exitCode == 8)
        #expect(Fixture.error { try TokenEndpoint.poll(authorization, at: Fixture.metadata(), client: OAuthClient(id: "other")) } != nil)
    }

    @Test func waitsTheIntervalBeforeEveryPoll() throws {
        // DEV-02, DEV-04, N-30.
        var run = try Run()
        #expect(run.pollTime == Self.start + .seconds(5))
        for _ in 0..<5 { #expect(try run.answer(Self.pending) == 5) }
        #expect(try Run([.init("interval", .null)]).pollTime == Self.start + .seconds(5))
        #expect(try Run([.init("interval", 9)]).pollTime == Self.start + .seconds(9))
    }

    @Test func slowDownLengthensAllLaterIntervals() throws {
        // DEV-03, N-31.
        var run = try Run()
        #expect(try run.answer(Self.slowDown) == 10)
        #expect(try run.answer(Self.pending) == 10)
        #expect(try run.answer(Self.slowDown) == 15)
        #expect(try run.answer(Self.pending) == 15)
        #expect(try run.answer(Self.pending) == 15)
    }

    @Test(arguments: [(20, 20), (3, 10), (-1, 10)]) func slowDownMayNameALongerInterval(_ named: Int64, _ wait: Int64) throws {
        var run = try Run()
        let slow = Fixture.json(#"{"error":"slow_down","interval":\#(named)}"#, status: 400)
        #expect(try run.answer(slow) == wait)
        #expect(try run.answer(Self.pending) == wait)
    }

    @Test(arguments: [200, 400, 403, 428, 429]) func acceptsPendingWithAnyStatus(_ status: Int) throws {
        // Some servers send the RFC's errors with status 200, 403, 428 or 429.
        var run = try Run()
        #expect(try run.answer(Fixture.json(#"{"error":"authorization_pending"}"#, status: status)) == 5)
        #expect(try run.answer(Fixture.json(#"{"error":"slow_down"}"#, status: status)) == 10)
    }

    @Test func backsOffWithoutAResponse() throws {
        // DEV-10, N-33: the wait doubles each time, up to a limit; a valid response resets it.
        var run = try Run([.init("expires_in", 3600)])
        let waits = try (0..<6).map { _ in try run.answer(nil) }
        #expect(waits == [10, 20, 40, 60, 60, 60])
        #expect(try run.answer(Self.pending) == 5)
        #expect(try run.answer(nil) == 10)
    }

    @Test(arguments: [
        WebResponse(status: 500), WebResponse(status: 503), WebResponse(status: 429), WebResponse(status: 408), page,
        Fixture.json("<html>", status: 403), Fixture.json("<html>", status: 400), Fixture.json("<html>", status: 404),
        Fixture.json(#"{"error":"temporarily_unavailable"}"#, status: 400),
    ])
    func backsOffOnUnusableResponses(_ unusable: WebResponse) throws {
        var run = try Run()
        #expect(try run.answer(unusable) == 10)
        #expect(try run.answer(unusable) == 20)
        #expect(try run.answer(Self.slowDown) == 10)
        #expect(try run.answer(unusable) == 20)
    }

    @Test func neverPollsFasterThanTheInterval() throws {
        var run = try Run([.init("interval", 90), .init("expires_in", 3600)])
        #expect(try run.answer(nil) == 90)
        #expect(try run.answer(WebResponse(status: 503, headers: [("Retry-After", "1")])) == 90)
        #expect(try run.answer(WebResponse(status: 503, headers: [("Retry-After", "200")])) == 200)
    }

    @Test(arguments: ["access_denied", "invalid_grant", "invalid_client", "unsupported_grant_type", "whatever"])
    func otherErrorsEndThePolling(_ code: String) throws {
        // DEV-06, N-32.
        var run = try Run()
        let result = try run.end(Fixture.json(#"{"error":"\#(code)"}"#, status: 400))
        #expect(
            result
                == .failure(
                    OAuthError(.devicePolling, .refused(ServerError(code: code), status: 400), host: "tokens.example.org")))
    }

    @Test func endsWhenTheServerReportsAnExpiredCode() throws {
        // DEV-05.
        var run = try Run()
        guard case .failure(let error) = try run.end(Fixture.json(#"{"error":"expired_token"}"#, status: 400)) else {
            throw Fixture.Missing()
        }
        #expect(error.failure.kind == .timedOut)
        #expect(error.failure.summary == "the code for tokens.example.org was not confirmed in time")
        #expect(error.failure.hintText == "sign in again for a new code")
    }

    @Test func endsWhenTheCodeExpires() throws {
        var run = try Run([.init("expires_in", 12)])
        #expect(try run.answer(Self.pending) == 5)
        run.now += .seconds(5)
        let expiry = OAuthError(.devicePolling, .lifetimeOver, host: "id.example.org")
        #expect(run.polling.answered(Self.pending, host: nil, now: run.now, date: Fixture.now) == .finish(.failure(expiry)))
        #expect(run.polling.unanswered(now: run.now) == .finish(.failure(expiry)))
        #expect(expiry.failure.exitCode == 4)
        // A code that expires before the first poll is not polled for.
        #expect(try Run([.init("expires_in", 5)]).action == .finish(.failure(expiry)))
    }

    @Test func secondUnreadableErrorEndsThePolling() throws {
        var run = try Run()
        #expect(try run.answer(Fixture.json("", status: 400)) == 10)
        #expect(try run.answer(Self.pending) == 5)
        #expect(try run.answer(Fixture.json("", status: 401)) == 10)
        guard case .failure(let error) = try run.end(Fixture.json("{}", status: 400)) else { throw Fixture.Missing() }
        #expect(error.kind == .refusedUnreadably(status: 400))
    }

    @Test(arguments: [
        Fixture.json("", status: 302), Fixture.json("{}", status: 200), Fixture.json("[]", status: 200), Fixture.json("", status: 404),
        Fixture.json(#"{"access_token":"at","token_type":"mac"}"#), Fixture.json(#"{"access_token":7,"token_type":"Bearer"}"#),
    ])
    func invalidResponsesEndThePolling(_ response: WebResponse) throws {
        var run = try Run()
        guard case .failure = try run.end(response) else {
            Issue.record("taken")
            return
        }
    }

    @Test func returnsTheTokens() throws {
        // DEV-01.
        var run = try Run()
        #expect(try run.answer(Self.pending) == 5)
        let answer = Fixture.json(#"{"access_token":"at","token_type":"Bearer","expires_in":60}"#)
        let tokens = try run.end(answer).get()
        #expect(tokens.accessToken == Secret("at"))
        #expect(tokens.scopes == ["openid"])
        #expect(tokens.accessExpiresAt == Fixture.now + .seconds(60))
        var bound = try Run()
        #expect(
            try bound.end(answer, requiresProof: true)
                == .failure(OAuthError(.devicePolling, .tokenTypeNotUnderstood, host: "tokens.example.org")))
    }
}
