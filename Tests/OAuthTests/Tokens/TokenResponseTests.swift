import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Responses of the token endpoint.
@Suite struct TokenResponseTests {
    private static let validResponse: JSONValue = [
        "access_token": "at", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt", "id_token": "a.b.c",
        "scope": "openid email",
    ]

    private func read(_ changes: [JSONValue.Member], requiresProof: Bool = false) throws -> TokenSet {
        try TokenResponse.tokens(
            Fixture.json(Self.validResponse.replacing(changes).text), .codeExchange, host: "tokens.example.org", requested: ["openid"],
            requiresProof: requiresProof, now: Fixture.now)
    }

    @Test func readsAValidResponse() throws {
        let tokens = try read([Member("unknown", ["a": 1])])
        #expect(tokens.accessToken == Secret("at"))
        #expect(tokens.refreshToken == Secret("rt"))
        #expect(tokens.idToken == Secret("a.b.c"))
        #expect(tokens.accessExpiresAt == Fixture.now + .seconds(3600))
        #expect(tokens.scopes == ["openid", "email"])
        #expect(tokens.receivedAt == Fixture.now)
    }

    @Test func refusesUnsupportedTokenTypes() throws {
        // TOK-01, N-71, TOK-22.
        #expect(Fixture.error { try read([Member("token_type", .null)]) }?.kind == .missingMember("token_type"))
        for type in ["mac", "N_A", "Bearer ", "bearerx"] {
            #expect(Fixture.error { try read([Member("token_type", .string(type))]) }?.kind == .tokenTypeNotUnderstood)
        }
        #expect(Fixture.error { try read([], requiresProof: true) }?.kind == .tokenTypeNotUnderstood)
        #expect(Fixture.error { try read([Member("token_type", "DPoP")]) }?.kind == .tokenTypeNotUnderstood)
    }

    @Test(arguments: [("bearer", false), ("BEARER", false), ("Bearer", false), ("DPoP", true), ("dpop", true)])
    func tokenTypeIsCaseInsensitive(_ type: String, _ requiresProof: Bool) throws {
        // DPOP-08.
        #expect(try read([Member("token_type", .string(type))], requiresProof: requiresProof).tokenType == type)
    }

    @Test func limitsTheNumberOfScopes() throws {
        let many = (0..<2000).map { "s\($0)" }.joined(separator: " ")
        #expect(try read([Member("scope", .string(many))]).scopes.values.count == 2000)
        let tooMany = (0..<5000).map { "s\($0)" }.joined(separator: " ")
        guard case .wrongMember("scope", _)? = Fixture.error({ try read([Member("scope", .string(tooMany))]) })?.kind else {
            Issue.record("the flood was taken")
            return
        }
    }

    @Test(arguments: ["access_token", "token_type", "refresh_token", "id_token", "scope"])
    func refusesWrongTypes(_ name: String) throws {
        // TOK-02.
        // Scopes may be an array of texts or numbers.
        let wrong: [JSONValue] = name == "scope" ? [7, true, [:], [true], [[:]]] : [7, true, [], [:], ["text"]]
        for value in wrong {
            guard case .wrongMember(let member, _)? = Fixture.error({ try read([Member(name, value)]) })?.kind else {
                Issue.record("\(name) = \(value.text) was taken")
                continue
            }
            #expect(member == name)
        }
    }

    @Test(arguments: ["", "two words", "line\nbreak", "tök", "esc\u{1B}"]) func refusesTokensThatCannotBeSent(_ token: String) {
        #expect(Fixture.error { try read([Member("access_token", .string(token))]) } != nil)
    }

    @Test func requiresAnAccessToken() {
        #expect(Fixture.error { try read([Member("access_token", .null)]) }?.kind == .missingMember("access_token"))
    }

    /// Services that answer every request with 200 say in their own members why there is no token.
    @Test(arguments: [
        (#"{"code":20003,"msg":"invalid code"}"#, "invalid code"), (#"{"success":false,"message":"no such app"}"#, "no such app"),
        (#"{"status":"fail","reason":"expired"}"#, "expired"),
    ])
    func answerWithoutATokenHasItsReason(_ body: String, _ reason: String) {
        let error = Fixture.error {
            try TokenResponse.tokens(Fixture.json(body), .codeExchange, host: nil, requested: [], now: Fixture.now)
        }
        #expect(error?.kind == .refusedUnreadably(status: 200, reason: reason))
        #expect(error?.failure.exitCode == 5)
    }

    @Test func createdTokensAreTokens() throws {
        let body = #"{"access_token":"at","token_type":"Bearer","expires":"86400"}"#
        let tokens = try TokenResponse.tokens(
            Fixture.json(body, status: 201), .codeExchange, host: nil, requested: [], now: Fixture.now)
        #expect(tokens.accessExpiresAt == Fixture.now + .seconds(86_400))
    }

    @Test(
        arguments: [
            (.number("3600"), 3600), (.number("3600.9"), 3600), (.string("3600"), 3600), (.number("0"), 0), (.number("-5"), 0),
            (.string("-5"), 0), (.string("1.5"), 1), (.number("1e3"), 1000), (.number("1e30"), 3_155_760_000),
            (.number("1e400"), 3_155_760_000), (.number("-1e400"), 0),
        ] as [(JSONValue, Int64)])
    func clampsLifetimes(_ value: JSONValue, _ seconds: Int64) throws {
        #expect(try read([Member("expires_in", value)]).accessExpiresAt == Fixture.now + .seconds(seconds))
    }

    @Test(arguments: ["soon", "-", "1e3", true, [], [:]] as [JSONValue]) func refusesInvalidLifetimes(_ value: JSONValue) {
        #expect(Fixture.error { try read([Member("expires_in", value)]) } != nil)
    }

    @Test func acceptsAMinimalResponse() throws {
        // FAPI-23, TOK-11.
        let answer = Fixture.json(#"{"access_token":"at","token_type":"bearer","refresh_token":null,"expires_in":null}"#)
        let tokens = try TokenResponse.tokens(answer, .codeExchange, host: nil, requested: ["openid"], now: Fixture.now)
        #expect(tokens.accessExpiresAt == nil)
        #expect(tokens.refreshToken == nil)
        #expect(tokens.idToken == nil)
        #expect(tokens.scopes == ["openid"])
    }

    @Test func keepsTheRefreshTokenUnlessRotated() throws {
        let old = try read([])
        let bare = Fixture.json(#"{"access_token":"at2","token_type":"Bearer"}"#)
        let kept = try TokenResponse.renewed(bare, host: nil, old: old, now: Fixture.now)
        #expect(kept.refreshToken == Secret("rt"))
        #expect(kept.scopes == ["openid", "email"])
        let rotated = Fixture.json(#"{"access_token":"at2","token_type":"Bearer","refresh_token":"rt2"}"#)
        #expect(try TokenResponse.renewed(rotated, host: nil, old: old, now: Fixture.now).refreshToken == Secret("rt2"))
    }

    /// Duende's and LinkedIn's responses to a renewal name none. A token that was bound has to be bound again.
    @Test func renewedTokenKeepsTheTypeOfTheFormer() throws {
        var old = try read([])
        let bare = Fixture.json(#"{"access_token":"at2"}"#)
        #expect(try TokenResponse.renewed(bare, host: nil, old: old, now: Fixture.now).tokenType == old.tokenType)
        let other = Fixture.json(#"{"access_token":"at2","token_type":"mac"}"#)
        #expect(Fixture.error { try TokenResponse.renewed(other, host: nil, old: old, now: Fixture.now) } != nil)
        old.tokenType = "DPoP"
        let bound = old
        #expect(Fixture.error { try TokenResponse.renewed(bare, host: nil, old: bound, now: Fixture.now) } != nil)
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        var headers: [String: String] = [:]
        let kind: OAuthError.Kind
        let outcome: OAuthError.GrantOutcome
        let exit: Int32
        var testDescription: String { "\(status) \(body)" }

        /// An error of the protocol, which is read as such.
        static func refused(
            _ status: Int, _ code: String, description: String? = nil, _ outcome: OAuthError.GrantOutcome, exit: Int32
        ) -> Answer {
            let more = description.map { #","error_description":"\#($0)""# } ?? ""
            return Answer(
                status: status, body: #"{"error":"\#(code)"\#(more)}"#,
                kind: .refused(ServerError(code: code, description: description), status: status), outcome: outcome, exit: exit)
        }
    }

    @Test(arguments: [
        Answer.refused(400, "invalid_grant", .ended, exit: 6),
        Answer.refused(403, "invalid_code", .ended, exit: 6),
        Answer.refused(401, "invalid_client", .kept, exit: 2),
        Answer.refused(200, "bad_refresh_token", .endedIfRepeated, exit: 6),
        Answer.refused(403, "Forbidden", .kept, exit: 7),
        Answer.refused(404, "not_found", .kept, exit: 7),
        Answer.refused(401, "Unauthorized", .endedIfRepeated, exit: 6),
        Answer.refused(403, "Invalid_Grant", .kept, exit: 7),
        Answer.refused(400, "invalid_dpop_proof", .kept, exit: 7),
        Answer.refused(400, "slow_down", .kept, exit: 7),
        // Trouble at the server in a successful response.
        Answer(
            status: 200, body: #"{"error":"server_error"}"#, kind: .serverFailure(status: 200, retryAfter: nil), outcome: .kept, exit: 7),
        Answer(
            status: 200, body: #"{"ok":false,"error":"internal_error"}"#, kind: .refused(ServerError(code: "internal_error"), status: 200),
            outcome: .kept, exit: 7),
        // ServiceNow's answer to bad credentials.
        Answer.refused(401, "server_error", description: "access_denied", .endedIfRepeated, exit: 6),
        // The secret is wrong, not the refresh token.
        Answer.refused(200, "incorrect_client_credentials", .kept, exit: 2),
        Answer(
            status: 200, body: #"{"ok":false,"error":"bad_client_secret"}"#,
            kind: .refused(ServerError(code: "bad_client_secret"), status: 200), outcome: .kept, exit: 2),
        Answer.refused(400, "invalid_client_secret", .kept, exit: 2),
        // Microsoft Entra's answer if the secret has expired, and Google's if it is missing.
        Answer.refused(401, "invalid_client", description: "AADSTS7000222: The provided client secret keys are expired.", .kept, exit: 2),
        Answer.refused(400, "invalid_request", description: "client_secret is missing.", .kept, exit: 2),
        // The client was not authenticated, so nothing is known about the grant (RFC 6749 section 5.2).
        Answer.refused(400, "invalid_client", description: "Invalid client", .kept, exit: 2),
        Answer.refused(401, "deleted_client", description: "The OAuth client was deleted.", .kept, exit: 2),
        Answer.refused(401, "unauthorized", description: "Bad credentials", .kept, exit: 2),
        // Gitea's words for a refresh token that was used before.
        Answer.refused(400, "unauthorized_client", description: "token was already used", .ended, exit: 6),
        // X, if the secret of a confidential client is missing or wrong, and Microsoft Entra, for a client that was deleted.
        Answer.refused(401, "unauthorized_client", description: "Missing valid authorization header", .kept, exit: 2),
        Answer.refused(400, "unauthorized_client", description: "AADSTS700016: Application was not found.", .kept, exit: 2),
        // Atlassian's words for a dead refresh token, and those of Exact Online.
        Answer.refused(403, "unauthorized_client", description: "refresh_token is invalid", .ended, exit: 6),
        Answer.refused(401, "unauthorized_client", description: "Old refresh token used.", .ended, exit: 6),
        // Salesforce and Okta, from a network that the organisation does not allow.
        Answer.refused(400, "invalid_grant", description: "ip restricted or invalid login hours", .kept, exit: 7),
        Answer.refused(400, "access_denied", description: "Policy evaluation failed for this request.", .kept, exit: 7),
        // Salesforce, for a user who signs in too often, and for trouble of its own.
        Answer.refused(400, "invalid_grant", description: "login rate exceeded", .kept, exit: 7),
        Answer.refused(400, "unknown_error", description: "retry your request", .kept, exit: 7),
        // Microsoft Entra, for a client that asks too often.
        Answer.refused(400, "invalid_grant", description: "AADSTS50196: The server terminated an operation.", .kept, exit: 7),
        // Ory and Authelia, if two renewals meet.
        Answer.refused(
            400, "invalid_request", description: "Failed to refresh token because of multiple concurrent requests using the same token",
            .kept, exit: 7),
        Answer.refused(400, "invalid_request", description: "Failed to refresh token. Please retry the request.", .kept, exit: 7),
        // Slack, from another network, and while a workspace moves.
        Answer.refused(200, "accesslimited", .kept, exit: 7),
        Answer.refused(200, "team_added_to_org", .kept, exit: 7),
        // Withings, with status 200.
        Answer(
            status: 200, body: #"{"status":601,"body":{},"error":"Too Many Requests"}"#,
            kind: .refused(ServerError(code: "Too Many Requests"), status: 200), outcome: .kept, exit: 7),
        Answer.refused(400, "invalid_grant", description: "not issued to this client secret", .ended, exit: 6),
        Answer(status: 400, body: "", kind: .refusedUnreadably(status: 400), outcome: .endedIfRepeated, exit: 6),
        Answer(status: 400, body: "<!doctype html><p>Sign in", kind: .pageInstead(status: 400), outcome: .kept, exit: 7),
        Answer(status: 401, body: "<html>", kind: .pageInstead(status: 401), outcome: .kept, exit: 7),
        Answer(status: 400, body: #"{"error":7}"#, kind: .refusedUnreadably(status: 400, reason: "7"), outcome: .endedIfRepeated, exit: 6),
        Answer(status: 403, body: "<html>", kind: .unexpectedStatus(403), outcome: .kept, exit: 7),
        Answer(status: 404, body: "", kind: .notFound, outcome: .kept, exit: 7),
        Answer(
            status: 500, body: #"{"error":"internal_server_error"}"#, kind: .serverFailure(status: 500, retryAfter: nil), outcome: .kept,
            exit: 7),
        Answer(
            status: 503, body: "", headers: ["retry-after": "30"], kind: .serverFailure(status: 503, retryAfter: .seconds(30)),
            outcome: .kept,
            exit: 7),
        Answer(status: 429, body: #"{"error":"slow"}"#, kind: .serverFailure(status: 429, retryAfter: nil), outcome: .kept, exit: 7),
        Answer(
            status: 400, body: #"{"error":"temporarily_unavailable"}"#, kind: .serverFailure(status: 400, retryAfter: nil), outcome: .kept,
            exit: 7),
        Answer(status: 400, body: #"{"error":"use_dpop_nonce"}"#, kind: .nonceRequired, outcome: .kept, exit: 5),
        Answer(status: 307, body: "", kind: .redirected, outcome: .kept, exit: 8),
        Answer(status: 200, body: "<html>", kind: .notJSON(isHTML: true), outcome: .kept, exit: 7),
        Answer(
            status: 200, body: #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#, kind: .notJSON(isHTML: false),
            outcome: .kept, exit: 7),
    ])
    func separatesEndedGrantsFromTransientErrors(_ answer: Answer) throws {
        // TOK-06, TOK-12, TOK-13.
        let old = try read([])
        let response = Fixture.json(answer.body, status: answer.status, headers: answer.headers.map { ($0.key, $0.value) })
        let error = try Fixture.required(
            Fixture.error { try TokenResponse.renewed(response, host: "tokens.example.org", old: old, now: Fixture.now) })
        #expect(error.kind == answer.kind)
        #expect(error.grantOutcome == answer.outcome)
        #expect(error.failure.exitCode == answer.exit)
    }

    @Test(
        arguments: [
            ("120", 120), ("1.25", 2), ("0", 0), (" 7 ", 7), ("99999999999999999999", 86_400), ("Fri, 15 Jan 2027 08:00:30 GMT", 30),
            ("Fri, 15 Jan 2027 07:00:00 GMT", 0), ("Friday, 15-Jan-27 08:00:30 GMT", 30), ("Fri Jan 15 08:00:30 2027", 30),
            ("9223372036854775807", 86_400), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("soon", nil), ("-1", nil), ("", nil),
            ("Fri, 15 Foo 2027 08:00:30 GMT", nil), ("2027-01-15T08:00:30Z", 30), ("2027-01-15", nil),
        ] as [(String, Int64?)])
    func readsRetryAfter(_ text: String, _ seconds: Int64?) {
        let response = WebResponse(status: 503, headers: [("Retry-After", text)])
        #expect(response.retryAfter(now: Fixture.now) == seconds.map { Duration.seconds($0) })
    }

    /// Fields that services had before Retry-After, with a number of seconds or a moment.
    @Test(
        arguments: [
            ("RateLimit-Reset", "50", 50), ("X-RateLimit-Reset", "12.5", 13), ("x-rate-limit-reset", "\(Fixture.now.seconds + 90)", 90),
            ("X-RateLimit-Reset", "\(Fixture.now.milliseconds + 90_000)", 90), ("X-RateLimit-Reset", "\(Fixture.now.seconds - 5)", 0),
            ("X-RateLimit-Reset", "2027-01-15T08:01Z", nil), ("X-RateLimit-Reset", "2027-01-15T08:01:00.000Z", 60),
            ("RateLimit", "\"api\";r=0;t=55", 55), ("RateLimit", "limit=100, remaining=0, reset=50", 50),
            ("RateLimit", "\"a\";r=9;t=5, \"b\";r=0;t=60", 60), ("RateLimit", "\"api\";r=0", nil),
            ("X-RateLimit-Reset", "soon", nil), ("X-Reset", "5", nil),
        ] as [(String, String, Int64?)])
    func readsWhenRequestsAreAllowedAgain(_ name: String, _ text: String, _ seconds: Int64?) {
        let response = WebResponse(status: 429, headers: [(name, text)])
        #expect(response.retryAfter(now: Fixture.now) == seconds.map { Duration.seconds($0) })
        #expect(WebResponse(status: 503, headers: [(name, text)]).retryAfter(now: Fixture.now) == nil)
    }

    /// An API without requests left is asked again later, and its answer says nothing about the user.
    @Test func refusalOfTooManyRequestsIsTemporary() throws {
        func error(_ headers: [(String, String)], _ body: String = #"{"message":"API rate limit exceeded"}"#) -> OAuthError.Kind? {
            Fixture.error {
                try WebResponse(status: 403, headers: headers, body: Array(body.utf8)).requireSuccess(
                    .userInfo, host: nil, now: Fixture.now)
            }?.kind
        }
        let spent = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(Fixture.now.seconds + 60)")]
        #expect(error(spent) == .serverFailure(status: 403, retryAfter: .seconds(60)))
        #expect(error([("Retry-After", "7")]) == .serverFailure(status: 403, retryAfter: .seconds(7)))
        #expect(error([("RateLimit", "\"api\";r=0;t=60")]) == .serverFailure(status: 403, retryAfter: .seconds(60)))
        #expect(error([("X-RateLimit-Remaining", "1")]) == .refusedUnreadably(status: 403, reason: "API rate limit exceeded"))
        #expect(error(spent, #"{"error":"insufficient_scope"}"#) == .refused(ServerError(code: "insufficient_scope"), status: 403))
    }
}
