import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Protected resource metadata (RFC 9728).
@Suite struct ResourceMetadataTests {
    private static let document: JSONValue = [
        "resource": "https://api.example.org/mcp", "authorization_servers": ["https://id.example.org", "https://other.example.org/t"],
        "scopes_supported": ["read", "write"], "resource_name": "The \u{1B}[31mAPI", "dpop_bound_access_tokens_required": true,
        "dpop_signing_alg_values_supported": ["ES256"], "unknown": ["a": 1],
    ]

    private func read(
        _ changes: [JSONValue.Member] = [], called: String = "https://api.example.org/mcp", challenge: String? = nil, place: Int = 0
    ) throws -> ResourceMetadata {
        let locations = try locations(called, challenge: challenge)
        return try ResourceMetadata(
            Fixture.json(Self.document.replacing(changes).text), at: Fixture.required(locations.dropFirst(place).first), now: Fixture.now)
    }

    private func locations(_ called: String, challenge: String? = nil) throws -> [ResourceMetadata.Location] {
        let answer = WebResponse(status: 401, headers: challenge.map { [("WWW-Authenticate", $0)] } ?? [])
        return ResourceMetadata.locations(of: try Fixture.url(called), challenge: answer.tokenChallenges.first)
    }

    @Test(
        "section 3.1: inserted before the path, then before none",
        arguments: [
            ("https://resource.example.com", ["https://resource.example.com/.well-known/oauth-protected-resource"]),
            ("https://resource.example.com/", ["https://resource.example.com/.well-known/oauth-protected-resource"]),
            (
                "https://resource.example.com/resource1",
                [
                    "https://resource.example.com/.well-known/oauth-protected-resource/resource1",
                    "https://resource.example.com/.well-known/oauth-protected-resource",
                ]
            ),
            (
                "https://Resource.example.com:8443/a/b/?x=1#y",
                [
                    "https://resource.example.com:8443/.well-known/oauth-protected-resource/a/b/?x=1",
                    "https://resource.example.com:8443/.well-known/oauth-protected-resource/a/b/",
                    "https://resource.example.com:8443/.well-known/oauth-protected-resource",
                ]
            ),
        ])
    func derivesWellKnownLocations(_ called: String, _ places: [String]) throws {
        #expect(try locations(called).map(\.url.text) == places)
    }

    @Test func challengeLocationComesFirst() throws {
        let named = "https://api.example.org/.well-known/oauth-protected-resource/x"
        let wellKnown = [
            "https://api.example.org/.well-known/oauth-protected-resource/mcp",
            "https://api.example.org/.well-known/oauth-protected-resource",
        ]
        func places(_ challenge: String) throws -> [String] {
            try locations("https://api.example.org/mcp", challenge: challenge).map(\.url.text)
        }
        #expect(try places("Bearer resource_metadata=\"\(named)\"") == [named] + wellKnown)
        // A challenge location that is also well-known is requested once.
        #expect(try places("Bearer resource_metadata=\"\(wellKnown[0])\"") == wellKnown)
        // An unsafe location is not requested.
        #expect(try places("Bearer resource_metadata=\"http://evil.example/m\"") == wellKnown)
        #expect(try places("Bearer error=\"invalid_token\"") == wellKnown)
        // A resource without TLS has no locations, unless it is on this machine.
        #expect(try locations("http://api.example.org/mcp").isEmpty)
        #expect(try locations("http://127.0.0.1:9000/mcp").count == 2)
    }

    @Test(arguments: ["http://127.0.0.1:631/admin", "https://[::1]/m", "https://localhost/m", "https://x.localhost/m"])
    func remoteResourcesCannotNameLocalServers(place: String) throws {
        // N-50.
        let challenge = "Bearer resource_metadata=\"\(place)\""
        #expect(try locations("https://api.example.org/mcp", challenge: challenge).allSatisfy { !$0.url.origin.isThisMachine })
        #expect(try locations("http://127.0.0.1:9000/mcp", challenge: challenge).first?.url.text == place)
        let metadata = try read([Member("authorization_servers", [.string(place), "https://id.example.org"])])
        #expect(metadata.authorizationServers.map(\.text) == ["https://id.example.org"])
    }

    @Test func readsAValidDocument() throws {
        let metadata = try read()
        #expect(metadata.resource.text == "https://api.example.org/mcp")
        #expect(metadata.authorizationServers.map(\.text) == ["https://id.example.org", "https://other.example.org/t"])
        #expect(metadata.scopes == ["read", "write"])
        #expect(metadata.name == "The ?[31mAPI")
        #expect(metadata.requiresProof)
        #expect(metadata.proofAlgorithms == ["ES256"])
        let request = try ResourceMetadata.request(Fixture.required(locations("https://api.example.org/mcp").first))
        #expect(request.method == .get)
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    private static func mismatch(_ resource: String) -> OAuthError.Kind {
        .mismatch(what: UserMessage("phrase.resource_found", ["url": resource]))
    }

    @Test(
        "TOK-24, N-48, N-49: a document about another resource",
        arguments: [
            "https://api.example.org/mcp1", "https://api.example.org/mcp/", "https://api.example.org/MCP", "https://api.example.org/mc",
            "https://API.example.org/mcp", "https://evil.example/mcp", "http://api.example.org/mcp", "https://api.example.org:443/mcp",
            "https://api.example.org/mcp?x=1", "https://api.example.org/mcp#x", "mcp", "",
        ])
    func refusesAnotherResource(_ resource: String) throws {
        for challenge in [nil, "Bearer resource_metadata=\"https://api.example.org/meta\""] {
            let error = try Fixture.required(Fixture.error { try read([Member("resource", .string(resource))], challenge: challenge) })
            #expect(error.host == "api.example.org")
            if resource.isEmpty { continue }
            #expect(error.kind == Self.mismatch(resource))
            #expect(error.failure.exitCode == 8)
        }
    }

    @Test func resourceMustMatchTheLocation() throws {
        // Section 3.3: the document at the root describes the root, not the path that was called.
        let root = [Member("resource", "https://api.example.org")]
        #expect(try read(root, place: 1).resource.text == "https://api.example.org")
        #expect(try read([Member("resource", "https://api.example.org/")], place: 1).resource.text == "https://api.example.org/")
        #expect(Fixture.error { try read(place: 1) }?.kind == Self.mismatch("https://api.example.org/mcp"))
        let whole = try read(root, called: "https://api.example.org/")
        #expect(whole.resource.text == "https://api.example.org")
        #expect(!whole.isBroader)
        #expect(try !read().isBroader)
    }

    @Test(
        "a document may describe a parent of the requested resource",
        arguments: [
            "https://api.example.org", "https://api.example.org/", "https://api.example.org/v1", "https://api.example.org/v1/",
        ])
    func reportsABroaderResource(_ resource: String) throws {
        for challenge in [nil, "Bearer resource_metadata=\"https://api.example.org/meta\""] {
            let metadata = try read(
                [Member("resource", .string(resource))], called: "https://api.example.org/v1/mcp", challenge: challenge)
            #expect(metadata.resource.text == resource)
            #expect(metadata.isBroader)
        }
    }

    @Test(arguments: [
        "https://api.example.org/v", "https://api.example.org/v1/m", "https://api.example.org/v1/mcp/x", "https://api.example.org/v2",
        "https://example.org", "http://api.example.org", "https://api.example.org:8443", "https://api.example.org/v1?x",
    ])
    func refusesResourcesThatAreNotParents(_ resource: String) {
        #expect(
            Fixture.error { try read([Member("resource", .string(resource))], called: "https://api.example.org/v1/mcp") }?.kind
                == Self.mismatch(resource))
    }

    @Test func resourceMayOmitTheQuery() throws {
        let challenge = "Bearer resource_metadata=\"https://api.example.org/meta\""
        let called = "https://api.example.org/mcp?page=2"
        #expect(try read(called: called, challenge: challenge).resource.text == "https://api.example.org/mcp")
        let whole = [Member("resource", "https://api.example.org/mcp?page=2")]
        #expect(try read(whole, called: called, challenge: challenge).resource.query == "page=2")
        #expect(
            Fixture.error { try read([Member("resource", "https://api.example.org/mcp?page=3")], called: called, challenge: challenge) }
                != nil)
    }

    @Test(arguments: [
        "resource", "authorization_servers", "scopes_supported", "resource_name", "dpop_bound_access_tokens_required",
        "dpop_signing_alg_values_supported",
    ])
    func refusesWrongTypes(_ name: String) {
        for value in [7, [:], [7]] as [JSONValue] {
            guard case .wrongMember(name, _)? = Fixture.error({ try read([Member(name, value)]) })?.kind else {
                Issue.record("\(name) = \(value.text) was taken")
                continue
            }
        }
    }

    @Test func acceptsAMinimalDocument() throws {
        let location = try Fixture.required(locations("https://api.example.org/mcp").first)
        let metadata = try ResourceMetadata(Fixture.json(#"{"resource":"https://api.example.org/mcp"}"#), at: location, now: Fixture.now)
        #expect(metadata.authorizationServers.isEmpty)
        #expect(metadata.scopes == nil)
        #expect(!metadata.requiresProof)
        #expect(Fixture.error { try read([Member("resource", .null)]) }?.kind == .missingMember("resource"))
    }

    @Test func ignoresUnsafeAuthorizationServers() throws {
        let mixed: JSONValue = ["http://id.example.org", "https://id.example.org", "https://id.example.org", "https://a.example/?x", "id"]
        #expect(try read([Member("authorization_servers", mixed)]).authorizationServers.map(\.text) == ["https://id.example.org"])
        let error = Fixture.error { try read([Member("authorization_servers", ["http://id.example.org", "javascript:x"])]) }
        #expect(error?.kind == .unsafeEndpoint(member: "authorization_servers"))
    }

    @Test func userChoosesTheAuthorizationServer() throws {
        // TOK-25, N-50: a server that the user did not choose is never used, even if it is the only one.
        let metadata = try read()
        let first = try Fixture.issuer
        let second = try Fixture.required(Issuer("https://other.example.org/t"))
        let unlisted = try Fixture.required(Issuer("https://evil.example"))
        #expect(metadata.authorizationServer(among: [unlisted, second]) == .chosen(second))
        #expect(metadata.authorizationServer(among: [unlisted]) == .ask([first, second]))
        #expect(metadata.authorizationServer(among: []) == .ask([first, second]))
        #expect(try read([Member("authorization_servers", .null)]).authorizationServer(among: [first]) == .none)
    }

    @Test(arguments: [(404, 7), (302, 7), (500, 7), (401, 7)]) func reportsUnavailableDocuments(_ status: Int, _ exit: Int32) throws {
        let location = try Fixture.required(locations("https://api.example.org/mcp").first)
        let response = Fixture.json(#"{"error":"invalid_token"}"#, status: status)
        #expect(Fixture.error { try ResourceMetadata(response, at: location, now: Fixture.now) }?.failure.exitCode == exit)
    }

    @Test(arguments: [
        ("https://api.example.org/v1?x=1", true), ("urn:example:api", true), ("api://3f2c/x%20y", true), ("a:b", true), ("", false),
        ("api.example.org", false), (":x", false), ("https:", false), ("https://api.example.org/#x", false),
        ("https://api.example.org/ x", false),
        ("1a:b", false), ("https://ä.example", false), ("urn:a%2", false), ("urn:a%zz", false), ("urn:\u{1B}[31m", false),
    ])
    func resourceIndicatorsAreAbsoluteWithoutFragment(text: String, isOne: Bool) {
        // RFC 8707 section 2.
        #expect(ResourceIndicator.isValid(text) == isOne)
    }
}
