import AuthModel
import Localization
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// OpenID Connect Discovery and RFC 8414.
@Suite struct ProviderMetadataTests {
    private func failure(_ changes: [JSONValue.Member], _ requirement: ProviderMetadata.Requirement = .openIDComplete) -> OAuthError? {
        Fixture.error {
            try ProviderMetadata(
                Fixture.json(Fixture.document.replacing(changes).text), issuer: Fixture.issuer, requirement: requirement, now: Fixture.now)
        }
    }

    @Test func readsAValidDocument() throws {
        let metadata = try Fixture.metadata()
        #expect(metadata.issuer?.text == Fixture.issuerText)
        // DSC-18: the token endpoint may be on another host.
        #expect(metadata.tokenEndpoint?.text == "https://tokens.example.org/token")
        #expect(metadata.keysEndpoint?.text == "https://id.example.org/keys")
        #expect(metadata.announcesIssuerInResponses)
        #expect(metadata.offersAccountCreation == true)
        #expect(metadata.idTokenAlgorithms == ["RS256", "ES256"])
    }

    @Test(arguments: [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
        "id_token_signing_alg_values_supported",
    ])
    func errorNamesTheMissingMember(_ name: String) throws {
        // DSC-02, DSC-07.
        let error = try Fixture.required(failure([Member(name, .null)]))
        #expect(error.kind == .missingMember(name))
        #expect(error.failure.exitCode == 7)
        #expect(error.failure.summary == "the provider metadata at id.example.org lacks \(name)")
    }

    @Test(arguments: Fixture.document.members?.map(\.name) ?? []) func refusesWrongTypes(_ name: String) throws {
        for value in [7, ["a": "b"], [7], [["a"]]] as [JSONValue] {
            let error = try Fixture.required(failure([Member(name, value)]))
            guard case .wrongMember(let member, _) = error.kind else {
                Issue.record("\(name) = \(value.text): \(error.kind)")
                continue
            }
            #expect(member == name)
            #expect(error.failure.exitCode == 7)
        }
    }

    @Test(arguments: [
        "https://id.example.orgINVALID", "https://id.example.org/", "https://ID.example.org", "HTTPS://id.example.org",
        "https://id.example.org:443",
    ])
    func refusesAnotherIssuer(_ issuer: String) throws {
        // RP-31, FAPI-03, DSC-01.
        let error = try Fixture.required(failure([Member("issuer", .string(issuer))]))
        #expect(error.kind == .issuerMismatch(found: issuer))
        #expect(error.failure.exitCode == 8)
        #expect(error.failure.message == UserMessage("metadata.of_other_issuer", ["host": "id.example.org", "issuer": issuer]))
    }

    private static let endpoints = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint", "introspection_endpoint",
        "end_session_endpoint", "device_authorization_endpoint", "pushed_authorization_request_endpoint", "registration_endpoint",
    ]

    @Test(arguments: endpoints) func refusesUnsafeEndpoints(_ name: String) throws {
        // DSC-06, DSC-08, TRM-14, TRM-15.
        for text in [
            "http://id.example.org/x", "http://localhost/x", "https://trusted@evil.example/x", "https://id.example.org/x#f",
            "javascript:alert(1)",
            "file:///etc/passwd", "data:text/html,x", "/relative", "https://", "https://id.example.org/$(id)`x`",
            "https://id.example.org/\n", "--flag",
            // A remote provider may not name an endpoint on this machine.
            "http://127.0.0.1:8080/x", "https://127.0.0.1/x", "https://[::1]/x", "https://localhost/x", "https://a.localhost/x",
            "https://127.1/x", "https://0x7f.1/x", "https://0177.0.0.1/x", "https://2130706433/x", "https://0.0.0.0/x", "https://[::]/x",
            "https://[::ffff:127.0.0.1]/x", "https://[::ffff:7f00:1]/x", "https://[0:0:0:0:0:0:0:1]/x",
        ] {
            let error = try Fixture.required(failure([Member(name, .string(text))]))
            #expect(error.kind == .unsafeEndpoint(member: name))
            #expect(error.failure.exitCode == 8)
        }
    }

    @Test(arguments: endpoints) func emptyTextIsNoEndpoint(_ name: String) throws {
        let isRequired = ["authorization_endpoint", "token_endpoint", "jwks_uri"].contains(name)
        let error = Fixture.error { try Fixture.metadata([Member(name, "")]) }
        #expect(error?.kind == (isRequired ? .missingMember(name) : nil))
    }

    @Test func acceptsHTTPOnALoopbackLiteral() throws {
        let issuer = try Fixture.required(Issuer("http://127.0.0.1:8080/api"))
        let document: JSONValue = [
            "issuer": "http://127.0.0.1:8080/api", "authorization_endpoint": "http://127.0.0.1:8080/api/auth",
            "token_endpoint": "http://[::1]:8080/token", "jwks_uri": "http://127.0.0.1:8080/jwks",
        ]
        let metadata = try ProviderMetadata(Fixture.json(document.text), issuer: issuer, requirement: .openID, now: Fixture.now)
        #expect(metadata.tokenEndpoint?.text == "http://[::1]:8080/token")
    }

    @Test func ignoresNullAndUnknownMembers() throws {
        let metadata = try Fixture.metadata([Member("x_unknown", ["a": 1])])
        #expect(metadata.tokenEndpoint != nil)
        let text = Fixture.document.text.dropLast() + ",\"service_documentation\":7,\"op_policy_uri\":null}"
        _ = try ProviderMetadata(Fixture.json(String(text)), issuer: Fixture.issuer, requirement: .openIDComplete, now: Fixture.now)
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let kind: OAuthError.Kind
        var testDescription: String { "\(status) \(body)" }
    }

    @Test(arguments: [
        Answer(status: 200, body: "<!doctype html><title>Hello</title>", kind: .notJSON(isHTML: true)),
        Answer(status: 200, body: "", kind: .notJSON(isHTML: false)),
        Answer(status: 200, body: "[]", kind: .notJSON(isHTML: false)),
        Answer(status: 200, body: "{\"issuer\":\"https://id.example.org\",\"issuer\":\"x\"}", kind: .notJSON(isHTML: false)),
        Answer(status: 404, body: "not found", kind: .notFound),
        Answer(status: 404, body: #"{"error":"not_found"}"#, kind: .notFound),
        Answer(status: 401, body: #"{"error":"invalid_token"}"#, kind: .unexpectedStatus(401)),
        Answer(status: 302, body: "", kind: .redirected),
        Answer(status: 500, body: "", kind: .serverFailure(status: 500, retryAfter: nil)),
        Answer(status: 204, body: "", kind: .unexpectedStatus(204)),
    ])
    func reportsUnusableResponses(_ answer: Answer) throws {
        let error = try Fixture.required(
            Fixture.error {
                try ProviderMetadata(
                    Fixture.json(answer.body, status: answer.status), issuer: Fixture.issuer, requirement: .openID, now: Fixture.now)
            })
        #expect(error.kind == answer.kind)
        #expect(error.host == "id.example.org")
        #expect(error.failure.exitCode == 7)
    }

    @Test(arguments: [
        (
            "https://a.example",
            ["https://a.example/.well-known/openid-configuration", "https://a.example/.well-known/oauth-authorization-server"]
        ),
        (
            "https://a.example/",
            ["https://a.example/.well-known/openid-configuration", "https://a.example/.well-known/oauth-authorization-server"]
        ),
        (
            "https://a.example/t/1",
            [
                "https://a.example/t/1/.well-known/openid-configuration", "https://a.example/.well-known/oauth-authorization-server/t/1",
                "https://a.example/.well-known/openid-configuration/t/1",
                "https://a.example/t/1/.well-known/oauth-authorization-server",
            ]
        ),
        (
            "https://a.example:8443/t/",
            [
                "https://a.example:8443/t/.well-known/openid-configuration",
                "https://a.example:8443/.well-known/oauth-authorization-server/t",
                "https://a.example:8443/.well-known/openid-configuration/t",
                "https://a.example:8443/t/.well-known/oauth-authorization-server",
            ]
        ),
    ])
    func derivesMetadataLocations(_ issuer: String, _ urls: [String]) throws {
        // DSC-19, N-46.
        let issuer = try Fixture.required(Issuer(issuer))
        #expect(ProviderMetadata.locations(of: issuer, kind: .oidc).map(\.text) == urls)
        #expect(ProviderMetadata.locations(of: issuer, kind: .oauth2).first?.text == urls[1])
    }

    @Test func configuredEndpointsOverrideAndDocumentsOnlyAdd() throws {
        var metadata = try Fixture.metadata([Member("revocation_endpoint", .null)])
        metadata.supplement(from: try Fixture.metadata([Member("token_endpoint", "https://id.example.org/other")]))
        #expect(metadata.revocationEndpoint?.text == "https://id.example.org/revoke")
        #expect(metadata.tokenEndpoint?.text == "https://tokens.example.org/token")
        metadata.override(with: .init(token: try Fixture.url("https://hand.example/token")))
        #expect(metadata.tokenEndpoint?.text == "https://hand.example/token")
        var otherIssuer = try Fixture.metadata()
        otherIssuer.issuer = Issuer("https://evil.example")
        otherIssuer.revocationEndpoint = try Fixture.url("https://evil.example/revoke")
        var bare = try Fixture.metadata([Member("revocation_endpoint", .null)])
        bare.supplement(from: otherIssuer)
        #expect(bare.revocationEndpoint == nil)
    }

    @Test func mtlsEndpointsAreKeptSeparate() throws {
        // RP-28.
        let aliases: JSONValue = ["token_endpoint": "https://mtls.example.org/token", "revocation_endpoint": .null, "unknown": 7]
        let metadata = try Fixture.metadata([Member("mtls_endpoint_aliases", aliases)])
        #expect(metadata.tokenEndpoint?.text == "https://tokens.example.org/token")
        #expect(metadata.forCertificateClients.tokenEndpoint?.text == "https://mtls.example.org/token")
        #expect(metadata.forCertificateClients.revocationEndpoint == metadata.revocationEndpoint)
        #expect(metadata.forCertificateClients.authorizationEndpoint == metadata.authorizationEndpoint)
        let plain = try Fixture.metadata()
        #expect(plain.forCertificateClients == plain)
        // PHP's empty object.
        #expect(try Fixture.metadata([Member("mtls_endpoint_aliases", [])]) == plain)
        for (value, kind) in [
            ("x", .wrongMember("mtls_endpoint_aliases", expected: "phrase.expected_object")),
            (["token_endpoint": 7], .wrongMember("token_endpoint", expected: "phrase.expected_string")),
            (["token_endpoint": "http://mtls.example.org/token"], .unsafeEndpoint(member: "token_endpoint")),
            (["token_endpoint": "https://127.0.0.1/token"], .unsafeEndpoint(member: "token_endpoint")),
            (["userinfo_endpoint": "https://[::ffff:127.0.0.1]/me"], .unsafeEndpoint(member: "userinfo_endpoint")),
        ] as [(JSONValue, OAuthError.Kind)] {
            #expect(failure([Member("mtls_endpoint_aliases", value)])?.kind == kind)
        }
    }
}
