import AuthModel
import Testing

@testable import Sandbox

@Suite struct GrantsTests {
    private static let start = Timestamp(milliseconds: 1_000_000)

    private static let authorization = Grants.Authorization(
        clientID: "yett", redirectURI: "http://127.0.0.1:1/callback", challenge: "challenge", scopes: ["openid", "offline_access"],
        nonce: "n", username: "ada", authenticatedAt: start, browserSession: "browser")

    private func grants(
        rotation: SandboxConfiguration.Rotation = .rotatesAndDetectsReuse, refresh: SandboxConfiguration.RefreshTokens = .forOfflineAccess
    ) -> Grants {
        Grants(
            rules: Grants.Rules(lifetimes: SandboxConfiguration.Lifetimes(), refreshTokens: refresh, rotation: rotation),
            makeName: OpenIDProvider.makeName)
    }

    private func redeem(
        _ grants: inout Grants, _ code: String, clientID: String = "yett", redirectURI: String? = "http://127.0.0.1:1/callback",
        challenge: String? = "challenge", after seconds: Int = 0
    ) throws(ErrorReply) -> Grants.Issued {
        try grants.redeem(
            code: code, clientID: clientID, redirectURI: redirectURI, challenge: challenge, now: Self.start + .seconds(seconds))
    }

    private func refresh(_ grants: inout Grants, _ token: String?, after seconds: Int = 0) throws(ErrorReply) -> Grants.Issued {
        try grants.refresh(token: token ?? "", clientID: "yett", scopes: nil, now: Self.start + .seconds(seconds))
    }

    private func firstIssued(_ grants: inout Grants) throws -> Grants.Issued {
        try redeem(&grants, grants.issueCode(for: Self.authorization, now: Self.start))
    }

    @Test func codeIsValidOnce() throws {
        var grants = grants()
        let code = grants.issueCode(for: Self.authorization, now: Self.start)
        let issued = try redeem(&grants, code, after: 59)
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start)?.authorization.username == "ada")
        #expect(throws: ErrorReply.self) { try redeem(&grants, code) }
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start) == nil)
        #expect(throws: ErrorReply.self) { try refresh(&grants, issued.refreshToken) }
    }

    @Test(arguments: [
        (SandboxClient.Lifetimes(accessToken: .seconds(2), refreshToken: nil), false),
        (SandboxClient.Lifetimes(accessToken: .seconds(2), refreshToken: .zero), true),
    ])
    func clientMayHaveItsOwnLifetimes(lifetimes: SandboxClient.Lifetimes, hasRefreshToken: Bool) throws {
        let rules = Grants.Rules(
            lifetimes: SandboxConfiguration.Lifetimes(), refreshTokens: .forOfflineAccess, rotation: .rotatesAndDetectsReuse,
            clients: ["yett": lifetimes])
        var grants = Grants(rules: rules, makeName: OpenIDProvider.makeName)
        let issued = try firstIssued(&grants)
        #expect((issued.refreshToken != nil) == hasRefreshToken)
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start + .seconds(1)) != nil)
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start + .seconds(2)) == nil)
        #expect(throws: ErrorReply.self) { try refresh(&grants, issued.refreshToken) }
    }

    @Test func codeIsBoundToItsRequest() throws {
        var grants = grants()
        let code = grants.issueCode(for: Self.authorization, now: Self.start)
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, clientID: "yett-fixed") }
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, redirectURI: "http://127.0.0.1:2/callback") }
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, redirectURI: nil) }
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, challenge: "other") }
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, challenge: nil) }
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, after: 60) }
        #expect(throws: ErrorReply.self) { try redeem(&grants, "unknown") }
        #expect(try redeem(&grants, code).scopes == ["openid", "offline_access"])
    }

    @Test func verifierWithoutAChallengeIsRefused() throws {
        var grants = grants()
        var authorization = Self.authorization
        authorization.challenge = nil
        let code = grants.issueCode(for: authorization, now: Self.start)
        #expect(throws: ErrorReply.self) { try redeem(&grants, code, challenge: "challenge") }
        #expect(try redeem(&grants, code, challenge: nil).refreshToken != nil)
    }

    @Test func refreshTokensRotateAndReuseRevokesTheGrant() throws {
        var grants = grants()
        let first = try firstIssued(&grants)
        let second = try refresh(&grants, first.refreshToken)
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.accessToken != first.accessToken)
        #expect(grants.inspect(accessToken: first.accessToken, now: Self.start) != nil)
        #expect(throws: ErrorReply.self) { try refresh(&grants, first.refreshToken) }
        #expect(throws: ErrorReply.self) { try refresh(&grants, second.refreshToken) }
        #expect(grants.inspect(accessToken: second.accessToken, now: Self.start) == nil)
    }

    @Test func refreshTokensThatDoNotRotateStayValid() throws {
        var grants = grants(rotation: .keeps)
        let first = try firstIssued(&grants)
        #expect(try refresh(&grants, first.refreshToken).refreshToken == nil)
        #expect(try refresh(&grants, first.refreshToken).accessToken.isEmpty == false)
    }

    @Test func refreshTokensExpireAndAreBoundToClientAndScope() throws {
        var grants = grants()
        let token = try #require(try firstIssued(&grants).refreshToken)
        #expect(throws: ErrorReply.self) { try refresh(&grants, token, after: 86_400) }
        #expect(throws: ErrorReply.self) { try grants.refresh(token: token, clientID: "yett-fixed", scopes: nil, now: Self.start) }
        #expect(throws: ErrorReply.self) {
            try grants.refresh(token: token, clientID: "yett", scopes: ["openid", "email"], now: Self.start)
        }
        #expect(try grants.refresh(token: token, clientID: "yett", scopes: ["openid"], now: Self.start).scopes == ["openid"])
    }

    @Test(arguments: [
        (SandboxConfiguration.RefreshTokens.forOfflineAccess, ["openid"], false), (.forOfflineAccess, ["offline_access"], true),
        (.always, ["openid"], true), (.never, ["offline_access"], false),
    ])
    func refreshTokenIsIssuedByTheRules(rule: SandboxConfiguration.RefreshTokens, scopes: [String], isGiven: Bool) throws {
        var grants = grants(refresh: rule)
        var authorization = Self.authorization
        authorization.scopes = ScopeSet(scopes)
        let issued = try redeem(&grants, grants.issueCode(for: authorization, now: Self.start))
        #expect((issued.refreshToken != nil) == isGiven)
    }

    @Test func revokingAnAccessTokenKeepsTheGrant() throws {
        var grants = grants()
        let issued = try firstIssued(&grants)
        try grants.revoke(token: issued.accessToken, clientID: "yett")
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start) == nil)
        #expect(try refresh(&grants, issued.refreshToken).accessToken.isEmpty == false)
    }

    @Test func revokingARefreshTokenRevokesTheGrant() throws {
        var grants = grants()
        let issued = try firstIssued(&grants)
        #expect(throws: ErrorReply.self) { try grants.revoke(token: issued.refreshToken ?? "", clientID: "yett-fixed") }
        try grants.revoke(token: "unknown", clientID: "yett")
        try grants.revoke(token: issued.refreshToken ?? "", clientID: "yett")
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start) == nil)
        #expect(throws: ErrorReply.self) { try refresh(&grants, issued.refreshToken) }
    }

    @Test(arguments: [(["openid"], false), (["openid", "offline_access"], true)])
    func endOfTheBrowserSessionEndsOnlineGrants(scopes: [String], survives: Bool) throws {
        var grants = grants()
        var authorization = Self.authorization
        authorization.scopes = ScopeSet(scopes)
        let issued = try redeem(&grants, grants.issueCode(for: authorization, now: Self.start))
        grants.end(browserSession: "another", username: "ada")
        #expect(grants.inspect(accessToken: issued.accessToken, now: Self.start) != nil)
        grants.end(browserSession: "browser", username: "ada")
        #expect((grants.inspect(accessToken: issued.accessToken, now: Self.start) != nil) == survives)
    }
}
