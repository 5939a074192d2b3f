import AuthModel
import Localization
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Claims, one changed at a time, by the steps of OpenID Connect Core section 3.1.3.7.
@Suite struct IDTokenClaimTests {
    private let fixture = IDTokenFixture()
    private static let now = Fixture.now.seconds

    @Test func acceptsAValidToken() throws {
        let token = try fixture.validate()
        #expect(token.subject == "ada")
        #expect(token.issuer == Fixture.issuerText)
        #expect(token.algorithm == .es256)
        #expect(token.keyID == "p256")
        #expect(token.expiresAt == Fixture.now + .seconds(300))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let name: String
        let value: JSONValue
        let tokenError: TokenError
        init(_ rule: String, _ name: String, _ value: JSONValue, _ tokenError: TokenError) {
            (self.rule, self.name, self.value, self.tokenError) = (rule, name, value, tokenError)
        }
        var testDescription: String { "\(rule): \(name) = \(value.text)" }
    }

    @Test(arguments: [
        Case("RP-14 FAPI-11", "iss", "https://id.example.org1", .wrongIssuer),
        Case("DSC-01", "iss", "https://id.example.org/", .wrongIssuer),
        Case("DSC-01", "iss", "https://ID.example.org", .wrongIssuer),
        Case("RFC 7519 2", "iss", "https\u{37E}//id.example.org", .wrongIssuer),
        Case("FAPI-15", "iss", .null, .missingClaim("iss")),
        Case("type", "iss", 7, .invalidClaim("iss")),
        Case("RP-09 FAPI-10", "aud", "yett1", .wrongAudience),
        Case("RP-08 FAPI-13", "aud", .null, .missingClaim("aud")),
        Case("RPX-22", "aud", [], .wrongAudience),
        Case("FAPI-18", "aud", ["yett", "yett1"], .untrustedAudiences(["yett1"])),
        Case("type", "aud", ["yett", 7], .invalidClaim("aud")),
        Case("type", "aud", 7, .invalidClaim("aud")),
        Case("type", "aud", ["yett": "yett"], .invalidClaim("aud")),
        Case("RPX-21", "azp", "other", .wrongAuthorizedParty),
        Case("type", "azp", ["yett"], .invalidClaim("azp")),
        Case("FAPI-12", "exp", .number(now - 360), .expired),
        Case("FAPI-14", "exp", .null, .missingClaim("exp")),
        Case("RPX-23", "exp", "tomorrow", .invalidClaim("exp")),
        Case("RPX-23", "exp", .string(String(now + 300)), .invalidClaim("exp")),
        Case("type", "exp", true, .invalidClaim("exp")),
        Case("type", "exp", -1, .invalidClaim("exp")),
        Case("RP-07", "iat", .null, .missingClaim("iat")),
        Case("RPX-25", "iat", .number(now + 3600), .notYetValid),
        Case("FAPI-31", "iat", .number(now - 7 * 86_400), .stale),
        Case("type", "iat", "now", .invalidClaim("iat")),
        Case("RPX-25", "nbf", .number(now + 3600), .notYetValid),
        Case("type", "nbf", "now", .invalidClaim("nbf")),
        Case("RP-02 FAPI-17", "nonce", "the-nonce1", .wrongNonce),
        Case("FAPI-16", "nonce", .null, .missingClaim("nonce")),
        Case("type", "nonce", 7, .invalidClaim("nonce")),
        Case("RP-21", "at_hash", "AAAAAAAAAAAAAAAAAAAAAA1", .wrongAccessTokenHash),
        Case("RP-21", "at_hash", "", .wrongAccessTokenHash),
        Case("type", "at_hash", 7, .invalidClaim("at_hash")),
        Case("Core 2", "sub", .null, .missingClaim("sub")),
        Case("Core 2", "sub", "", .invalidClaim("sub")),
        Case("Core 2", "sub", .string(String(repeating: "a", count: 256)), .invalidClaim("sub")),
        Case("TRM-01", "sub", "ada\u{1B}[2J", .invalidClaim("sub")),
        Case("type", "sub", 7, .invalidClaim("sub")),
        Case("RP-47", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]], .wrongTokenType),
    ])
    func refusesWrongClaims(_ changed: Case) {
        #expect(fixture.tokenError([Member(changed.name, changed.value)]) == changed.tokenError)
    }

    /// SAP's acr is an object. What was not asked for decides nothing.
    @Test func authenticationThatWasNotAskedForIsNotRead() throws {
        #expect(fixture.tokenError([Member("acr", ["values": ["urn:x"]])]) == nil)
        #expect(try fixture.validate([Member("auth_time", "now")]).authenticatedAt == nil)
    }

    /// A claim with an unusual but valid value.
    struct ValidCase: Sendable, CustomTestStringConvertible {
        let rule: String
        let name: String
        let value: JSONValue
        init(_ rule: String, _ name: String, _ value: JSONValue) { (self.rule, self.name, self.value) = (rule, name, value) }
        var testDescription: String { "\(rule): \(name) = \(value.text)" }
    }

    @Test(arguments: [
        ValidCase("list of us", "aud", ["yett"]),
        ValidCase("azp is us", "azp", "yett"),
        ValidCase("FAPI-18 neighbour", "aud", ["yett", "yett"]),
        ValidCase("fraction", "iat", .number("\(Fixture.now.seconds).921401")),
        ValidCase("within tolerance", "exp", .number(now - 60)),
        ValidCase("RP-22", "at_hash", .null),
        ValidCase("unknown members", "whatever", ["a": 1]),
    ])
    func acceptsUnusualValidClaims(_ valid: ValidCase) throws {
        // A token that expired a minute ago must have been issued before that.
        let issued = Member("iat", .number(Self.now - 200))
        let changes = valid.name == "exp" ? [issued, Member(valid.name, valid.value)] : [Member(valid.name, valid.value)]
        #expect(try fixture.validate(changes).subject == "ada")
    }

    @Test func acceptsOnlyAudiencesThatTheUserTrusts() throws {
        func error(_ audience: JSONValue, trusted: Set<String>) -> TokenError? {
            Fixture.tokenError {
                var validator = try fixture.validator()
                validator.trustedAudiences = trusted
                let token = try IDTokenFixture.ec.token(IDTokenFixture.claims.replacing([Member("aud", audience)]), algorithm: "ES256")
                _ = try validator.validate(Secret(token), accessToken: nil, keys: IDTokenFixture.validKeys(), now: Fixture.now)
            }
        }
        #expect(error(["yett", "project"], trusted: ["project"]) == nil)
        #expect(error(["yett", "project", "other"], trusted: ["project"]) == .untrustedAudiences(["other"]))
        #expect(error(["project"], trusted: ["project"]) == .wrongAudience)
        #expect(error(["yett", "project"], trusted: []) == .untrustedAudiences(["project"]))
    }

    /// Google's documentation allows its issuer without the scheme, and no other provider's.
    @Test func acceptsGooglesIssuerWithoutAScheme() throws {
        for (issuer, isAccepted) in [("https://accounts.google.com", true), ("https://id.example.org", false)] {
            var validator = IDTokenValidator(
                issuer: try #require(Issuer(issuer)), clientID: Fixture.clientID, announcedAlgorithms: ["ES256"],
                nonce: Secret("the-nonce"))
            let claims = IDTokenFixture.claims.replacing([Member("iss", .string(String(issuer.dropFirst("https://".count))))])
            let token = Secret(try IDTokenFixture.ec.token(claims, algorithm: "ES256"))
            let keys = try IDTokenFixture.validKeys()
            func validate() throws -> IDToken { try validator.validate(token, accessToken: nil, keys: keys, now: Fixture.now) }
            guard isAccepted else {
                #expect(Fixture.tokenError { _ = try validate() } == .wrongIssuer)
                continue
            }
            #expect(try validate().issuer == issuer)
            validator.nonce = nil
            let renewed = try validator.validateRenewed(token, accessToken: Secret("at"), old: claims, keys: keys, now: Fixture.now)
            #expect(renewed.subject == "ada")
        }
    }

    @Test func acceptsTheRightAccessTokenHash() throws {
        let digest = Fixture.accessToken.withBytes { HashFunctionName.sha256.digest(Array($0)) }
        #expect(try fixture.validate([Member("at_hash", .string(Base64URL.encode(digest.prefix(16))))]).subject == "ada")
    }

    /// OpenID Connect Core appendix A.3: the access token and its hash.
    @Test func computesTheAccessTokenHashOfTheSpecification() throws {
        let digest = HashFunctionName.sha256.digest(Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8))
        #expect(Base64URL.encode(digest.prefix(16)) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test func enforcesMaxAge() throws {
        var fixture = fixture
        fixture.maxAge = 600
        #expect(fixture.tokenError() == .missingClaim("auth_time"))
        #expect(fixture.tokenError([Member("auth_time", "now")]) == .invalidClaim("auth_time"))
        #expect(fixture.tokenError([Member("auth_time", .number(Self.now - 3600))]) == .authenticationTooOld)
        #expect(fixture.tokenError([Member("auth_time", .number(Self.now + 3600))]) == .notYetValid)
        #expect(try fixture.validate([Member("auth_time", .number(Self.now - 300))]).authenticatedAt == Fixture.now - .seconds(300))
    }

    @Test func requiresOneOfTheContextClasses() throws {
        var validator = try fixture.validator()
        validator.requiredContextClasses = ["gold", "silver"]
        func check(_ changes: [JSONValue.Member]) throws -> IDToken {
            let token = try IDTokenFixture.ec.token(IDTokenFixture.claims.replacing(changes), algorithm: "ES256")
            return try validator.validate(Secret(token), accessToken: nil, keys: IDTokenFixture.validKeys(), now: Fixture.now)
        }
        #expect(Fixture.tokenError { try check([]) } == .wrongContextClass)
        #expect(Fixture.tokenError { try check([Member("acr", "bronze")]) } == .wrongContextClass)
        #expect(Fixture.tokenError { try check([Member("acr", 7)]) } == .invalidClaim("acr"))
        #expect(try check([Member("acr", "silver")]).subject == "ada")
    }

    @Test func requiresAnIDToken() throws {
        #expect(Fixture.tokenError { try fixture.validate(text: nil) } == .absent)
        #expect(Fixture.tokenError { try fixture.validate(text: "") } == .absent)
    }

    @Test func earlyTokenHintsAtTheClock() throws {
        let error = try Fixture.required(Fixture.error { try fixture.validate([Member("iat", .number(Self.now + 3600))]) })
        #expect(error.failure.kind == .security)
        #expect(error.failure.exitCode == 8)
        #expect(error.failure.summary == "the ID token at id.example.org is invalid: it is not valid yet")
        #expect(error.failure.hintText == "check this machine's clock")
    }
}
