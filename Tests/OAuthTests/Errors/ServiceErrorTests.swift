import AuthModel
import Localization
import Testing
@testable import OAuth

/// Errors in the forms that services use instead of RFC 6749 section 5.2.
@Suite struct ServiceErrorTests {
    /// A refusal of a renewal, and what the user reads.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var body: String
        var status = 400
        /// The OAuth error code; `nil` if the text is only a reason.
        var code: String?
        var text: String

        var testDescription: String { "\(status) \(body)" }
    }

    private static let refusals: [Refusal] = [
        Refusal(body: #"{"error":"invalid_grant","error_description":"dead"}"#, code: "invalid_grant", text: "invalid_grant: dead"),
        Refusal(body: #"{"error":"invalid_grant","message":"dead"}"#, code: "invalid_grant", text: "invalid_grant: dead"),
        Refusal(body: #"{"error":{"code":"invalid_grant","message":"dead"}}"#, code: "invalid_grant", text: "invalid_grant: dead"),
        Refusal(body: #"{"errors":[{"code":"invalid_grant"}]}"#, code: "invalid_grant", text: "invalid_grant"),
        // Fitbit.
        Refusal(
            body: #"{"errors":[{"errorType":"invalid_grant","message":"Refresh token invalid: x"}],"success":false}"#,
            code: "invalid_grant",
            text: "invalid_grant: Refresh token invalid: x"),
        Refusal(body: #"{"status":400,"message":"authorization_pending"}"#, code: "authorization_pending", text: "authorization_pending"),
        Refusal(body: #"{"error":{"code":190,"type":"OAuthException","message":"Code expired"}}"#, text: "OAuthException: Code expired"),
        Refusal(body: #"{"error":{"status":"DENIED","message":"No"}}"#, text: "DENIED: No"),
        Refusal(body: #"{"error":400,"message":"Bad Request"}"#, text: "Bad Request"),
        Refusal(body: #"{"error":400}"#, text: "400"),
        Refusal(
            body: #"{"reason":"Invalid Token!","error":"invalid_grant"}"#, code: "invalid_grant", text: "invalid_grant: Invalid Token!"),
        Refusal(body: #"{"errcode":40029,"errmsg":"invalid code"}"#, text: "invalid code"),
        Refusal(body: #"{"fault":{"faultstring":"Invalid access token","detail":{"errorcode":"x"}}}"#, text: "Invalid access token"),
        Refusal(body: #"{"status":400,"message":"Invalid refresh token"}"#, text: "Invalid refresh token"),
        Refusal(body: #"{"errorCode":"E0000011","errorSummary":"Invalid token provided"}"#, text: "Invalid token provided"),
        Refusal(body: #"{"errors":["first","second"]}"#, text: "first"),
        Refusal(body: #"{"errors":[{"message":"no such app","code":"x1"}]}"#, text: "x1: no such app"),
        Refusal(
            body: #"{"type":"about:blank","title":"Forbidden","detail":"The app was removed","status":403}"#, text: "The app was removed"),
        Refusal(body: #"{"title":"Forbidden","status":403}"#, text: "Forbidden"),
        Refusal(body: #"{"status":"error"}"#, text: "error"),
        Refusal(body: #"{"result":false,"status":400,"errorMessage":"Incorrect code"}"#, text: "Incorrect code"),
        Refusal(body: #"{"errorCode":"ACCESS_DENIED","description":"No such client"}"#, text: "No such client"),
        Refusal(
            body: #"{"data":{"error":"Invalid refresh token","request":"/token"},"success":false,"status":400}"#,
            text: "Invalid refresh token"),
        // A sentence of which nothing can be shown.
        Refusal(body: "{\"code\":\"InvalidAuthCode\",\"message\":\"\u{4E0D}\u{5408}\u{6CD5}\"}", text: "InvalidAuthCode"),
        Refusal(body: #"{"error_code":"invalid_grant","message":"dead"}"#, code: "invalid_grant", text: "invalid_grant: dead"),
        Refusal(body: #"[{"logref":"59ae","message":"Bad credentials"}]"#, status: 401, text: "Bad credentials"),
        Refusal(body: #"[{"message":"dead","errorCode":"invalid_grant"}]"#, code: "invalid_grant", text: "invalid_grant: dead"),
        Refusal(body: #"["gone"]"#, text: "gone"),
        Refusal(body: "  The app was removed.\r\nSee the console.", text: "The app was removed."),
        Refusal(body: #""gone""#, text: "gone"),
        Refusal(body: "no \u{1B}[31mred\u{202E} text", text: "no ?[31mred? text"),
        Refusal(body: "{\"detail\":\"\(String(repeating: "x", count: 5000))\"}", text: String(repeating: "x", count: 240)),
    ]

    @Test(arguments: refusals)
    func reasonIsRead(_ refusal: Refusal) throws {
        let response = Fixture.json(refusal.body, status: refusal.status)
        let error = try Fixture.required(
            Fixture.error { try response.requireSuccess(.codeExchange, host: "id.example.org", now: Fixture.now) })
        if let code = refusal.code {
            guard case .refused(let found, refusal.status) = error.kind else { throw Fixture.Missing() }
            #expect(found.code == code)
        } else {
            guard case .refusedUnreadably(refusal.status, _) = error.kind else { throw Fixture.Missing() }
        }
        let text = error.failure.message.english
        #expect(text.hasSuffix(": " + refusal.text), "\(text)")
    }

    @Test(arguments: ["", "<html>no</html>", "{}", "[]", "{\"broken\":", "\u{0}\u{1}", "null", "7"])
    func otherBodiesHaveNoReason(_ body: String) throws {
        let response = Fixture.json(body, status: 400)
        let error = try Fixture.required(
            Fixture.error { try response.requireSuccess(.codeExchange, host: "id.example.org", now: Fixture.now) })
        #expect(error.kind == .refusedUnreadably(status: 400))
        #expect(error.failure.message.english.hasSuffix("gave no reason"))
    }

    @Test func forbiddenRequestWithAReasonIsRefused() throws {
        let response = Fixture.json(#"{"message":"Missing scope"}"#, status: 403)
        func error(_ operation: OAuthError.Operation, _ response: WebResponse = response) -> OAuthError? {
            Fixture.error { try response.requireSuccess(operation, host: nil, now: Fixture.now) }
        }
        #expect(error(.userInfo)?.kind == .refusedUnreadably(status: 403, reason: "Missing scope"))
        #expect(error(.userInfo)?.failure.exitCode == 5)
        // A proxy may say so for a moment.
        #expect(error(.renewal)?.kind == .unexpectedStatus(403, reason: "Missing scope"))
        #expect(error(.renewal)?.grantOutcome == .kept)
        #expect(error(.userInfo, Fixture.json("<html>", status: 403))?.kind == .unexpectedStatus(403))
    }

    @Test func reasonOfAnotherStatusIsShown() throws {
        let response = Fixture.json(#"{"message":"Missing scope"}"#, status: 418)
        let error = try Fixture.required(Fixture.error { try response.requireSuccess(.userInfo, host: "id.example.org", now: Fixture.now) })
        #expect(error.kind == .unexpectedStatus(418, reason: "Missing scope"))
        #expect(error.failure.message.english.hasSuffix("status 418: Missing scope"))
    }

    /// Only a member that nothing but an error has makes a successful response an error.
    @Test(
        arguments: [
            (#"{"error":{"message":"no"}}"#, "no"), (#"{"error":401}"#, "401"), (#"{"ok":false,"error":{"message":"no"}}"#, "no"),
            (#"{"ok":false}"#, nil), (#"{"success":false,"message":"no"}"#, "no"), (#"{"errors":[{"message":"no"}],"data":null}"#, "no"),
            (#"{"error":true}"#, nil),
        ] as [(String, String?)])
    func errorInASuccessfulResponseIsAnError(_ body: String, _ reason: String?) throws {
        let error = Fixture.error {
            try UserInfo.claims(Fixture.json(body), subject: nil, requiresSubject: false, host: nil, now: Fixture.now)
        }
        #expect(error?.kind == .refusedUnreadably(status: 200, reason: reason))
        #expect(error?.failure.exitCode == 5)
    }

    @Test(arguments: [
        #"{"error":null}"#, #"{"error":0}"#, #"{"error":false}"#, #"{"error":""}"#, #"{"errors":[]}"#, #"{"ok":true}"#, #"{"error":{}}"#,
        #"{"message":"hello","status":"active","title":"Dr","detail":"x","code":"7"}"#,
    ])
    func otherMembersOfASuccessfulResponseAreNoError(_ body: String) throws {
        _ = try UserInfo.claims(Fixture.json(body), subject: nil, requiresSubject: false, host: nil, now: Fixture.now)
    }

    @Test func secretsInAReasonAreHidden() throws {
        let request = WebRequest.form(try Fixture.url("https://id.example.org/token"), [("refresh_token", "secret-refresh-token")])
        let response = Fixture.json("unknown token secret-refresh-token", status: 400).keeping(SecretRedactor(of: request))
        let error = try Fixture.required(Fixture.error { try response.requireSuccess(.renewal, host: nil, now: Fixture.now) })
        #expect(error.kind == .refusedUnreadably(status: 400, reason: "unknown token [hidden]"))
    }

    /// What refusals of a renewal mean for the session, in the words of Keycloak, Bitbucket, Auth0, Exact Online, Rauthy, Dropbox, Yahoo,
    /// Strava, Twitch, HubSpot, Supabase, Facebook and Microsoft Entra.
    @Test(arguments: [
        (401, #"{"error":"unauthorized_client","error_description":"Invalid client or Invalid client credentials"}"#, "kept"),
        (400, #"{"error":"unauthorized_client","error_description":"Invalid OAuth client credentials"}"#, "kept"),
        (400, #"{"error":"unauthorized_client","error_description":"not for this grant type"}"#, "ended"),
        (401, #"{"error":"access_denied","error_description":"Unauthorized"}"#, "kept"),
        (403, #"{"error":"access_denied","error_description":"Unauthorized"}"#, "ended"),
        (403, #"{"error":"mfa_required","error_description":"Multifactor authentication required"}"#, "ended"),
        (400, #"{"error":"access_denied","error_description":"Rate limit exceeded: access_token not expired"}"#, "kept"),
        (400, #"{"error":"invalid_grant","error_description":"Token is not valid yet"}"#, "kept"),
        (400, #"{"error":"invalid_client: Invalid client_id or client_secret"}"#, "kept"),
        (401, #"{"error":"INVALID_CLIENT_SECRET"}"#, "kept"), (400, #"{"error":"INVALID_GRANT"}"#, "ended"),
        (401, #"{"message":"Authorization Error","errors":[{"resource":"Application","field":"","code":"invalid"}]}"#, "kept"),
        (400, #"{"message":"Bad Request","errors":[{"resource":"RefreshToken","field":"x","code":"invalid"}]}"#, "endedIfRepeated"),
        (404, #"{"error":"NotFound","message":"Refresh Token does not exist"}"#, "endedIfRepeated"),
        (404, #"{"error":"NotFound","message":"no such path"}"#, "kept"),
        (403, #"{"status":403,"message":"invalid client secret"}"#, "kept"), (400, #"{"status":400,"message":"invalid client"}"#, "kept"),
        (400, #"{"status":400,"message":"Invalid refresh token"}"#, "endedIfRepeated"),
        (400, #"{"status":"BAD_CLIENT_SECRET","message":"missing or invalid client secret"}"#, "kept"),
        (401, #"{"id":"unauthorized","message":"Unable to verify OAuth client"}"#, "kept"),
        (401, #"[{"logref":"59ae","message":"Error : 'Fetch token call failed Bad credentials'"}]"#, "kept"),
        (422, #"{"message":"Unrecognized client_id"}"#, "kept"), (404, #"{"status":404,"message":"client does not exist"}"#, "kept"),
        (400, #"{"error":{"message":"An unexpected error has occurred.","type":"OAuthException","is_transient":true,"code":2}}"#, "kept"),
        (400, #"{"error":{"message":"Session has expired","type":"OAuthException","is_transient":false,"code":190}}"#, "endedIfRepeated"),
        (400, #"{"error":"invalid_grant","suberror":"message_only","error_description":"AADSTS53000: not compliant"}"#, "kept"),
        (400, #"{"error":"interaction_required","error_description":"AADSTS53003: been blocked by Conditional Access"}"#, "kept"),
        (400, #"{"error":"invalid_grant","error_description":"AADSTS70043: due to checks by conditional access"}"#, "ended"),
        (400, #"{"error":"interaction_required","suberror":"basic_action","error_description":"AADSTS50076"}"#, "ended"),
    ])
    func renewalIsRefused(status: Int, body: String, outcome: String) throws {
        let response = Fixture.json(body, status: status)
        let error = try Fixture.required(Fixture.error { try response.requireSuccess(.renewal, host: nil, now: Fixture.now) })
        #expect("\(error.grantOutcome)" == outcome)
        #expect(error.isAboutClient == (outcome == "kept" && error.failure.kind == .configuration))
    }

    /// The page of a proxy is not the service's word, also if it asks for a sign-in.
    @Test func pageThatAsksForAuthenticationSaysNothingOfTheClient() throws {
        var response = Fixture.json("<html>", status: 401)
        response.headers.append(("WWW-Authenticate", "Basic realm=\"x\""))
        let error = try Fixture.required(Fixture.error { try response.requireSuccess(.renewal, host: nil, now: Fixture.now) })
        #expect(error.kind == .pageInstead(status: 401))
    }

    /// A challenge for Basic authentication means the client, also if the body does not say so (RFC 6749 section 5.2).
    @Test func challengeForTheClientKeepsTheSession() throws {
        var response = Fixture.json(#"{"message":"Unauthorized","error":401}"#, status: 401)
        response.headers.append(("WWW-Authenticate", "Basic realm=\"x\""))
        let error = try Fixture.required(Fixture.error { try response.requireSuccess(.renewal, host: nil, now: Fixture.now) })
        #expect(error.grantOutcome == .kept && error.isAboutClient)
    }

    /// A service that answers no more requests for now is asked again later, with any status. The reason of a renewal is shown.
    @Test(arguments: [
        (403, #"{"error_code":"rate_limit_exceeded"}"#), (400, #"{"error":"rate_limit_exceeded"}"#),
        (403, #"{"error":"Too Many Requests"}"#), (200, #"{"ok":false,"error":"ratelimited"}"#),
    ])
    func serviceOverItsLimitIsAskedLater(status: Int, body: String) throws {
        let response = Fixture.json(body, status: status)
        func kind(_ operation: OAuthError.Operation) -> OAuthError.Kind? {
            Fixture.error {
                if status != 200 { try response.requireSuccess(operation, host: nil, now: Fixture.now) }
                try ResponseReader(response, operation, host: nil).requireNoError(status: status)
            }?.kind
        }
        #expect(kind(.deviceAuthorization) == .serverFailure(status: status, retryAfter: nil))
        guard body.contains("\"error\"") else { return }
        guard case .refused(let error, status)? = kind(.renewal) else { throw Fixture.Missing() }
        #expect(error.isTemporary)
    }

    /// WeChat's number for a busy system.
    @Test func busyServiceIsAskedLater() throws {
        let reader = try ResponseReader(Fixture.json(#"{"errcode":-1,"errmsg":"system error"}"#), .renewal, host: nil)
        #expect(Fixture.error { try reader.requireNoError(status: 200) }?.kind == .serverFailure(status: 200, retryAfter: nil))
    }
}
