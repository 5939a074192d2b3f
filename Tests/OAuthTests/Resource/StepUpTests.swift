import AuthModel
import Localization
import Testing
@testable import OAuth

/// Step-up authentication (RFC 9470).
@Suite struct StepUpTests {
    private func answer(_ challenge: String, status: Int = 401) -> WebResponse {
        WebResponse(status: status, headers: [("WWW-Authenticate", challenge)])
    }

    private func wanted(_ challenge: String, status: Int = 401, after previous: StepUp? = nil) throws -> StepUp? {
        try StepUp.requirements(in: answer(challenge, status: status), host: "api.example.org", after: previous)
    }

    /// RFC 9470 section 3.
    private static let example = """
        Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", \
        acr_values="myACR"
        """
    private static let aged = #"Bearer error="insufficient_user_authentication", max_age="5", acr_values="gold silver""#

    @Test func readsTheExampleOfTheRFC() throws {
        // TOK-23, N-54.
        let stepUp = try Fixture.required(wanted(Self.example))
        #expect(stepUp.contextClasses == ["myACR"])
        #expect(stepUp.maxAge == nil)
        #expect(stepUp.reason.description == "A different authentication level is required")
        #expect(try wanted(Self.aged)?.maxAge == 5)
    }

    @Test(arguments: [
        "Bearer", #"Bearer error="invalid_token", acr_values="gold""#, #"Basic error="insufficient_user_authentication""#,
        #"Bearer error="insufficient_scope""#, #"Bearer error="insufficient_user_authentication", max_age="soon""#, "",
    ])
    func ignoresOtherChallenges(_ challenge: String) throws {
        #expect(try wanted(challenge) == nil)
    }

    /// RFC 6750 section 3.1: the scope is optional; without it, the scopes come from the resource's metadata.
    @Test func missingScopeComesFromTheResourceMetadata() throws {
        let withoutScope = #"Bearer error="insufficient_scope", error_description="Required scope: admin""#
        #expect(try wanted(withoutScope, status: 403) == nil)
        let challenge = try Fixture.required(StepUp.challengeWithoutScopes(in: answer(withoutScope, status: 403)))
        let stepUp = try Fixture.required(StepUp(challenge, scopes: ["admin"]))
        #expect(stepUp.scopes.values == ["admin"])
        #expect(stepUp.maxAge == nil && stepUp.contextClasses.isEmpty)
        #expect(stepUp.reason.code == "insufficient_scope")
        #expect(StepUp(challenge, scopes: []) == nil)
        #expect(StepUp.challengeWithoutScopes(in: answer(withoutScope, status: 200)) == nil)
        #expect(StepUp.challengeWithoutScopes(in: answer(#"Bearer error="insufficient_scope", scope="a""#, status: 403)) == nil)
        #expect(StepUp.challengeWithoutScopes(in: answer(#"Bearer error="invalid_token""#, status: 401)) == nil)
    }

    @Test(arguments: [200, 400, 407, 500]) func ignoresOtherStatusCodes(_ status: Int) throws {
        #expect(try wanted(Self.example, status: status) == nil)
    }

    @Test func readsDPoPChallenges() throws {
        #expect(try wanted("Basic realm=x, dpop error=\"insufficient_user_authentication\", max_age=0", status: 403)?.maxAge == 0)
    }

    @Test func stepsUpOnce() throws {
        // TOK-23, N-55: a second challenge is an error, the same one or another.
        let first = try Fixture.required(wanted(Self.example))
        for challenge in [Self.example, Self.aged] {
            let error = try Fixture.required(Fixture.error { try wanted(challenge, after: first) })
            #expect(error.operation == .stepUp)
            #expect(error.failure.kind == .denied(code: "insufficient_user_authentication"))
            #expect(error.host == "api.example.org")
        }
        #expect(try wanted("Bearer error=\"invalid_token\"", after: first) == nil)
    }

    @Test func requestsContextClassesAndMaxAge() throws {
        let stepUp = try Fixture.required(wanted(Self.aged))
        let request = stepUp.applied(to: Fixture.request())
        #expect(request.acrValues == "gold silver")
        #expect(request.maxAge == 5)
        #expect(stepUp.applied(to: Fixture.request(maxAge: 3)).maxAge == 3)
        #expect(stepUp.applied(to: Fixture.request(maxAge: 600)).maxAge == 5)
        let sent = try Fixture.required(Fixture.prepared(request).url.query)
        #expect(sent.contains("acr_values=gold%20silver"))
        #expect(sent.contains("max_age=5"))
    }

    @Test func emptyChallengeRequiresANewSignIn() throws {
        let stepUp = try Fixture.required(wanted(#"Bearer error="insufficient_user_authentication""#))
        #expect(stepUp.applied(to: Fixture.request()).prompt == "login")
        #expect(try Fixture.required(wanted(Self.aged)).applied(to: Fixture.request()).prompt == nil)
    }

    /// {"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}
    private static let encodedClaims = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxNjA0MTA2NjUxIn19fQ"
    private static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#

    @Test(arguments: [encodedClaims, encodedClaims + "==", #"{\"access_token\":{\"nbf\":{\"essential\":true,\"value\":\"1604106651\"}}}"#])
    func requestsTheRequiredClaims(_ text: String) throws {
        let challenge = #"Bearer realm="", authorization_uri="https://id.example.org/a", error="insufficient_claims", claims="\#(text)""#
        let stepUp = try Fixture.required(wanted(challenge))
        #expect(stepUp.claims == Self.claims)
        #expect(stepUp.contextClasses.isEmpty && stepUp.maxAge == nil && stepUp.scopes.isEmpty)
        let request = stepUp.applied(to: Fixture.request())
        #expect(request.claims == Self.claims && request.prompt == nil)
        #expect(try Fixture.required(Fixture.prepared(request).url.query).contains("&claims=%7B%22access_token%22"))
        #expect(Fixture.error { try wanted(challenge, after: stepUp) }?.failure.kind == .denied(code: "insufficient_claims"))
    }

    @Test(arguments: [
        "", "x", "e30", "bnVsbA", #"{\"id_token\":{\"phone_number\":null}}"#, #"{\"access_token\":7}"#, #"{\"access_token\":{}}"#,
        Base64.encode(Array(#"{"access_token":{"a":"\#(String(repeating: "x", count: 3000))"}}"#.utf8)),
    ])
    func ignoresUnusableClaims(_ text: String) throws {
        #expect(try wanted(#"Bearer error="insufficient_claims", claims="\#(text)""#) == nil)
    }

    /// A resource may say which token it accepts, and not which data of the user are requested.
    @Test func requestsNoClaimsAboutTheUser() throws {
        let text = #"{\"access_token\":{\"acrs\":{\"value\":\"c1\"}},\"userinfo\":{\"email\":null},\"id_token\":{\"email\":null}}"#
        let stepUp = try Fixture.required(wanted(#"Bearer error="insufficient_claims", claims="\#(text)""#))
        #expect(stepUp.claims == #"{"access_token":{"acrs":{"value":"c1"}}}"#)
    }

    @Test func addsTheRequiredScopes() throws {
        let stepUp = try Fixture.required(wanted(#"Bearer error="insufficient_scope", scope="profile files:write""#, status: 403))
        let request = stepUp.applied(to: Fixture.request())
        #expect(request.scopes == ["openid", "profile", "files:write"])
        #expect(request.acrValues == nil)
        #expect(request.prompt == nil)
        #expect(Fixture.error { try wanted(#"Bearer error="insufficient_scope", scope="x""#, after: stepUp) } != nil)
    }

    @Test func newIDTokenMustSatisfyTheChallenge() throws {
        // N-55, N-66, RPX-28.
        let stepUp = try Fixture.required(wanted(Self.aged))
        let validator = stepUp.applied(to: try IDTokenFixture().validator())
        let now = Fixture.now.seconds
        func tokenError(_ changes: [JSONValue.Member]) -> TokenError? {
            Fixture.tokenError {
                let token = try IDTokenFixture.ec.token(IDTokenFixture.claims.replacing(changes), algorithm: "ES256")
                return try validator.validate(
                    Secret(token), accessToken: nil, keys: IDTokenFixture.validKeys(), now: Fixture.now)
            }
        }
        let fresh = JSONValue.Member("auth_time", .number(now))
        #expect(tokenError([fresh, .init("acr", "silver")]) == nil)
        #expect(tokenError([fresh, .init("acr", "gold")]) == nil)
        #expect(tokenError([fresh, .init("acr", "bronze")]) == .wrongContextClass)
        #expect(tokenError([fresh]) == .wrongContextClass)
        #expect(tokenError([.init("acr", "gold")]) == .missingClaim("auth_time"))
        #expect(tokenError([.init("auth_time", .number(now - 600)), .init("acr", "gold")]) == .authenticationTooOld)
        #expect(
            stepUp.applied(to: IDTokenValidator(issuer: try Fixture.issuer, clientID: "yett", announcedAlgorithms: nil, maxAge: 2))
                .maxAge
                == 2)
    }

    @Test func sessionClaimsMustSatisfyTheChallenge() throws {
        let stepUp = try Fixture.required(wanted(Self.aged))
        let now = Fixture.now.seconds
        func tokenError(_ claims: JSONValue) -> TokenError? {
            Fixture.tokenError { try stepUp.check(claims, host: "id.example.org", now: Fixture.now) }
        }
        #expect(tokenError(["acr": "gold", "auth_time": .number(now)]) == nil)
        #expect(tokenError(["acr": "bronze", "auth_time": .number(now)]) == .wrongContextClass)
        #expect(tokenError(["auth_time": .number(now)]) == .wrongContextClass)
        #expect(tokenError(["acr": "gold"]) == .missingClaim("auth_time"))
        #expect(tokenError(["acr": "gold", "auth_time": .number(now - 600)]) == .authenticationTooOld)
        #expect(tokenError(["acr": 7, "auth_time": .number(now)]) == .invalidClaim("acr"))
        let failure = Fixture.error { try stepUp.check([:], host: "id.example.org", now: Fixture.now) }?.failure
        #expect(failure?.summary == "the new sign-in at id.example.org is invalid: the sign-in was not of the requested kind")
        #expect(failure?.exitCode == 8)
        let scopes = try Fixture.required(wanted(#"Bearer error="insufficient_scope", scope="x""#))
        try scopes.check([:], host: nil, now: Fixture.now)
    }
}
