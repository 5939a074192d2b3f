import AuthModel
import Localization
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Providers whose tenants have an issuer each.
@Suite struct TenantIssuerTests {
    private static let text = "https://id.example.org/{tenantid}/v2.0"
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let other = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    private static func issuer(_ tenant: String) -> String { "https://id.example.org/\(tenant)/v2.0" }

    private func metadata(at place: String, published: String, pattern: String? = text) throws -> ProviderMetadata {
        let document = Fixture.document.replacing([Member("issuer", .string(published))])
        return try ProviderMetadata(
            Fixture.json(document.text), issuer: Fixture.required(Issuer(place)), requirement: .openID,
            pattern: pattern.flatMap(IssuerPattern.init), now: Fixture.now)
    }

    private func validate(
        published: String, iss: String, tid: JSONValue, keyIssuer: JSONValue? = nil
    ) throws -> IDToken {
        let rule = try Fixture.required(IssuerRule(published: published, pattern: Fixture.required(IssuerPattern(Self.text))))
        let validator = IDTokenValidator(rule, clientID: Fixture.clientID, announcedAlgorithms: ["ES256"], nonce: Secret("the-nonce"))
        let claims = IDTokenFixture.claims.replacing([Member("iss", .string(iss)), Member("tid", tid)])
        let token = try IDTokenFixture.ec.token(claims, algorithm: "ES256")
        let key = try IDTokenFixture.ec.jwk(keyIssuer.map { [Member("issuer", $0)] } ?? [])
        return try validator.validate(
            Secret(token), accessToken: Fixture.accessToken, keys: IDTokenFixture.keys([key]), now: Fixture.now)
    }

    @Test(arguments: [
        "https://id.example.org/v2.0", "https://{tenantid}.example.org/v2.0", "https://id.example.org/{tenantid}/{tenantid}",
        "https://id.example.org/x{tenantid}/v2.0", "https://id.example.org/{tenantid}x", "http://id.example.org/{tenantid}",
        "https://id.example.org{tenantid}", "https://id.example.org/?t={tenantid}", "https://id.example.org/{tenant}/v2.0", "{tenantid}",
        "https://id.example.org/{tenantid}/?x", "https://id.example.org/{tenantid}/#x", "",
    ])
    func otherPatternsAreRefused(_ text: String) {
        #expect(IssuerPattern(text) == nil)
    }

    @Test func patternKnowsItsTenants() throws {
        let pattern = try Fixture.required(IssuerPattern(Self.text))
        #expect(pattern.issuer(of: Self.tenant) == Self.issuer(Self.tenant))
        for text in ["", ".", "..", "a/b", "a?b", "{tenantid}", "a b", "é", String(repeating: "a", count: 129)] {
            #expect(pattern.issuer(of: text) == nil, "\(text)")
            #expect(!pattern.isTenantIssuer(Self.issuer(text)), "\(text)")
        }
        #expect(pattern.tenant(of: Self.issuer(Self.tenant)) == Self.tenant)
        #expect(!pattern.isTenantIssuer("https://id.example.org/v2.0") && !pattern.isTenantIssuer("https://id.example.org//v2.0"))
        #expect(!pattern.isTenantIssuer("https://ID.example.org/\(Self.tenant)/v2.0"))
        #expect(IssuerPattern("https://id.example.org/{tenantid}")?.issuer(of: "t") == "https://id.example.org/t")
    }

    @Test func metadataHasThePatternOrOneTenant() throws {
        let common = try metadata(at: Self.issuer("common"), published: Self.text)
        #expect(common.issuer?.text == Self.issuer("common"))
        #expect(common.issuerRule?.published == Self.text)
        // A domain stands for the tenant whose ID the document has.
        #expect(
            try metadata(at: Self.issuer("contoso.example"), published: Self.issuer(Self.tenant)).issuerRule?.published
                == Self.issuer(Self.tenant))
        for published in [
            "https://evil.example/\(Self.tenant)/v2.0", "https://id.example.org/a/b/v2.0", "https://id.example.org/v2.0",
            "https://id.example.org/{tenant}/v2.0", Self.issuer(Self.tenant) + "/",
        ] {
            let error = Fixture.error { try metadata(at: Self.issuer("common"), published: published) }
            #expect(error?.kind == .issuerMismatch(found: published), "\(published)")
        }
        // A tenant that is named by its ID cannot be another one.
        let foreign = Fixture.error { try metadata(at: Self.issuer(Self.other), published: Self.issuer(Self.tenant)) }
        #expect(foreign?.kind == .issuerMismatch(found: Self.issuer(Self.tenant)))
        #expect(try metadata(at: Self.issuer(Self.tenant), published: Self.issuer(Self.tenant)).issuerRule != nil)
    }

    @Test func issuerInTheDocumentIsNamed() throws {
        func failure(_ published: String) throws -> AuthFailure {
            try Fixture.required(Fixture.error { try metadata(at: Self.issuer("contoso.example"), published: published, pattern: nil) })
                .failure
        }
        let concrete = try failure(Self.issuer(Self.tenant))
        #expect(concrete.message.english.contains(Self.issuer(Self.tenant)))
        #expect(concrete.hint?.english.contains("issuer = \"\(Self.issuer(Self.tenant))\"") == true)
        #expect(try failure(Self.text).hint?.english.contains("issuer_pattern = \"\(Self.text)\"") == true)
        // An issuer at another host is not recommended.
        #expect(try failure("https://evil.example/x").hint == "hint.check_address_letter_by_letter")
        #expect(try failure("https://evil.example/{tenantid}").hint == "hint.check_address_letter_by_letter")
        #expect(try failure("a\"\n\u{1B}[31m").message.english.contains("a'?[31m"))
    }

    @Test func idTokenNamesItsOwnTenant() throws {
        #expect(
            try validate(published: Self.text, iss: Self.issuer(Self.tenant), tid: .string(Self.tenant)).issuer == Self.issuer(Self.tenant))
        #expect(
            try validate(published: Self.issuer(Self.tenant), iss: Self.issuer(Self.tenant), tid: .string(Self.tenant)).subject == "ada")
        let wrong: [(published: String, iss: String, tid: JSONValue)] = [
            (Self.text, Self.issuer(Self.tenant), .string(Self.other)), (Self.text, Self.issuer(Self.tenant), .null),
            (Self.text, Self.text, "{tenantid}"), (Self.text, Self.issuer("common"), .string(Self.tenant)),
            (Self.text, Self.issuer("a/../b"), "a/../b"), (Self.text, Self.issuer(Self.tenant.uppercased()), .string(Self.tenant)),
            (Self.text, "https://evil.example/\(Self.tenant)/v2.0", .string(Self.tenant)),
            // The document names one tenant, so that no other tenant's tokens are accepted.
            (Self.issuer(Self.other), Self.issuer(Self.tenant), .string(Self.tenant)),
        ]
        for row in wrong {
            #expect(Fixture.tokenError { try validate(published: row.published, iss: row.iss, tid: row.tid) } == .wrongIssuer, "\(row)")
        }
        #expect(Fixture.tokenError { try validate(published: Self.text, iss: Self.issuer(Self.tenant), tid: 7) } == .invalidClaim("tid"))
    }

    /// Some keys are for the tokens of one tenant only.
    @Test func keyOfAnotherTenantIsRefused() throws {
        func validate(_ keyIssuer: String) throws -> IDToken {
            try self.validate(
                published: Self.text, iss: Self.issuer(Self.tenant), tid: .string(Self.tenant), keyIssuer: .string(keyIssuer))
        }
        _ = try validate(Self.text)
        _ = try validate(Self.issuer(Self.tenant))
        #expect(Fixture.tokenError { try validate(Self.issuer(Self.other)) } == .wrongIssuer)
    }

    @Test func callbackMayNameTheTenant() throws {
        let metadata = try metadata(at: Self.issuer("common"), published: Self.text)
        let pending = try Fixture.prepared(metadata: metadata).pending
        func isAccepted(_ iss: String) -> Bool {
            let query = FormEncoding.encode([("code", "c"), ("state", pending.state.reveal()), ("iss", iss)])
            if case .accepted = AuthorizationResponse(query: query, for: pending) { return true }
            return false
        }
        #expect(isAccepted(Self.issuer(Self.tenant)) && isAccepted(Self.text))
        #expect(!isAccepted("https://evil.example/\(Self.tenant)/v2.0") && !isAccepted("https://id.example.org"))
    }
}
