import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Claims, one spoilt at a time, by the steps of OpenID Connect Core section 3.1.3.7.
@Suite struct IDTokenClaimTests {
    private let bench = IDTokenBench()
    private static let now = World.now.seconds

    @Test func acceptsTheHonestToken() throws {
        let token = try bench.validate()
        #expect(token.subject == "ada")
        #expect(token.issuer == World.issuerText)
        #expect(token.algorithm == .es256)
        #expect(token.keyID == "p256")
        #expect(token.expiresAt == World.now + .seconds(300))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let name: String
        let value: JSONValue
        let flaw: TokenError
        init(_ rule: String, _ name: String, _ value: JSONValue, _ flaw: TokenError) {
            (self.rule, self.name, self.value, self.flaw) = (rule, name, value, flaw)
        }
        var testDescription: String { "\(rule): \(name) = \(value.text)" }
    }

    @Test(arguments: [
        Case("RP-14 FAPI-11", "iss", "https://id.example.org1", .foreignIssuer),
        Case("DSC-01", "iss", "https://id.example.org/", .foreignIssuer),
        Case("DSC-01", "iss", "https://ID.example.org", .foreignIssuer),
        Case("RFC 7519 2", "iss", "https\u{37E}//id.example.org", .foreignIssuer),
        Case("FAPI-15", "iss", .null, .missingClaim("iss")),
        Case("type", "iss", 7, .wrongClaim("iss")),
        Case("RP-09 FAPI-10", "aud", "yett1", .foreignAudience),
        Case("RP-08 FAPI-13", "aud", .null, .missingClaim("aud")),
        Case("RPX-22", "aud", [], .foreignAudience),
        Case("FAPI-18", "aud", ["yett", "yett1"], .foreignAudience),
        Case("type", "aud", ["yett", 7], .wrongClaim("aud")),
        Case("type", "aud", 7, .wrongClaim("aud")),
        Case("type", "aud", ["yett": "yett"], .wrongClaim("aud")),
        Case("RPX-21", "azp", "other", .foreignParty),
        Case("type", "azp", ["yett"], .wrongClaim("azp")),
        Case("FAPI-12", "exp", .number(now - 360), .expired),
        Case("FAPI-14", "exp", .null, .missingClaim("exp")),
        Case("RPX-23", "exp", "tomorrow", .wrongClaim("exp")),
        Case("RPX-23", "exp", .string(String(now + 300)), .wrongClaim("exp")),
        Case("type", "exp", true, .wrongClaim("exp")),
        Case("type", "exp", -1, .wrongClaim("exp")),
        Case("RP-07", "iat", .null, .missingClaim("iat")),
        Case("RPX-25", "iat", .number(now + 3600), .notYetValid),
        Case("FAPI-31", "iat", .number(now - 7 * 86_400), .stale),
        Case("type", "iat", "now", .wrongClaim("iat")),
        Case("RPX-25", "nbf", .number(now + 3600), .notYetValid),
        Case("type", "nbf", "now", .wrongClaim("nbf")),
        Case("RP-02 FAPI-17", "nonce", "the-nonce1", .wrongNonce),
        Case("FAPI-16", "nonce", .null, .missingClaim("nonce")),
        Case("type", "nonce", 7, .wrongClaim("nonce")),
        Case("RP-21", "at_hash", "AAAAAAAAAAAAAAAAAAAAAA1", .wrongAccessTokenHash),
        Case("RP-21", "at_hash", "", .wrongAccessTokenHash),
        Case("type", "at_hash", 7, .wrongClaim("at_hash")),
        Case("type", "acr", 7, .wrongClaim("acr")),
        Case("type", "auth_time", "now", .wrongClaim("auth_time")),
        Case("Core 2", "sub", .null, .missingClaim("sub")),
        Case("Core 2", "sub", "", .wrongClaim("sub")),
        Case("Core 2", "sub", .string(String(repeating: "a", count: 256)), .wrongClaim("sub")),
        Case("TRM-01", "sub", "ada\u{1B}[2J", .wrongClaim("sub")),
        Case("type", "sub", 7, .wrongClaim("sub")),
        Case("RP-47", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]], .otherKind),
    ])
    func refusesWrongClaim(_ spoilt: Case) {
        #expect(bench.flaw([Member(spoilt.name, spoilt.value)]) == spoilt.flaw)
    }

    /// A claim whose value is unusual and right.
    struct HonestCase: Sendable, CustomTestStringConvertible {
        let rule: String
        let name: String
        let value: JSONValue
        init(_ rule: String, _ name: String, _ value: JSONValue) { (self.rule, self.name, self.value) = (rule, name, value) }
        var testDescription: String { "\(rule): \(name) = \(value.text)" }
    }

    @Test(arguments: [
        HonestCase("list of us", "aud", ["yett"]),
        HonestCase("azp is us", "azp", "yett"),
        HonestCase("FAPI-18 neighbour", "aud", ["yett", "yett"]),
        HonestCase("fraction", "iat", .number("\(World.now.seconds).921401")),
        HonestCase("within tolerance", "exp", .number(now - 60)),
        HonestCase("RP-22", "at_hash", .null),
        HonestCase("unknown members", "whatever", ["a": 1]),
    ])
    func acceptsWhatIsHonest(_ honest: HonestCase) throws {
        // A token that ended a minute ago must at least have been issued before that.
        let issued = Member("iat", .number(Self.now - 200))
        let changes = honest.name == "exp" ? [issued, Member(honest.name, honest.value)] : [Member(honest.name, honest.value)]
        #expect(try bench.validate(changes).subject == "ada")
    }

    @Test func acceptsTheRightAccessTokenHash() throws {
        let digest = World.accessToken.withBytes { HashFunctionName.sha256.digest(Array($0)) }
        #expect(try bench.validate([Member("at_hash", .string(Base64URL.encode(digest.prefix(16))))]).subject == "ada")
    }

    /// OpenID Connect Core appendix A.3: the access token and its hash.
    @Test func hashesTheAccessTokenAsCoreDoes() throws {
        let digest = HashFunctionName.sha256.digest(Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8))
        #expect(Base64URL.encode(digest.prefix(16)) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test func holdsTheSignInToMaxAge() throws {
        var bench = bench
        bench.maxAge = 600
        #expect(bench.flaw() == .missingClaim("auth_time"))
        #expect(bench.flaw([Member("auth_time", .number(Self.now - 3600))]) == .signedInTooLongAgo)
        #expect(bench.flaw([Member("auth_time", .number(Self.now + 3600))]) == .notYetValid)
        #expect(try bench.validate([Member("auth_time", .number(Self.now - 300))]).authenticatedAt == World.now - .seconds(300))
    }

    @Test func wantsAnyOfTheNeededContextClasses() throws {
        var validator = try bench.validator()
        validator.requiredContextClasses = ["gold", "silver"]
        func check(_ changes: [JSONValue.Member]) throws -> IDToken {
            let token = try IDTokenBench.ec.token(IDTokenBench.claims.replacing(changes), algorithm: "ES256")
            return try validator.validate(Secret(token), accessToken: nil, keys: IDTokenBench.honestKeys(), now: World.now)
        }
        #expect(World.flaw { try check([]) } == .wrongContextClass)
        #expect(World.flaw { try check([Member("acr", "bronze")]) } == .wrongContextClass)
        #expect(try check([Member("acr", "silver")]).subject == "ada")
    }

    @Test func needsAnIDToken() throws {
        #expect(World.flaw { try bench.validate(text: nil) } == .absent)
        #expect(World.flaw { try bench.validate(text: "") } == .absent)
    }

    @Test func tellsToCheckTheClock() throws {
        let error = try World.required(World.error { try bench.validate([Member("iat", .number(Self.now + 3600))]) })
        #expect(error.failure.kind == .security)
        #expect(error.failure.exitCode == 8)
        #expect(error.failure.summary == "the ID token at id.example.org is refused: it is not valid yet")
        #expect(error.failure.hint == "check this machine's clock")
    }
}
