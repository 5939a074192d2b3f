import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// No URL sends a credential to a place outside its session: every kind, with and without the account's name.
@Suite(.serialized) struct HostileURLTests {
    /// URLs, where `{own}` is the provider's own origin, `{port}` its port, `{other}` another server's origin.
    static let urls = [
        // Another server, and other names for this one: each is a different origin.
        "{other}/", "{other}/sharing/rest/portals/self", "{other}/server/rest/services/Traffic/MapServer", "{other}/comment",
        "{other}/api/hello", "http://127.0.0.2:{port}/sharing/rest/x", "http://localhost:{port}/sharing/rest/x",
        "http://127.1:{port}/sharing/rest/x", "http://0x7f.1:{port}/", "http://0177.0.0.1:{port}/", "http://2130706433:{port}/",
        "http://0.0.0.0:{port}/sharing/rest/x", "http://[::ffff:127.0.0.1]:{port}/", "https://127.0.0.1:{port}/sharing/rest/x",
        "http://user@127.0.0.1:{port}/", "http://127.0.0.1:{port}@evil.example/", "http://evil.example/", "{own}.evil.example/",
        // Paths that lead out of an allowed path.
        "{own}/sharing/../evil", "{own}/sharing/rest/../../evil", "{own}/sharing/%2e%2e/evil", "{own}/sharing/.%2E/evil",
        "{own}/sharing/..;/evil", "{own}/sharing/..%2fevil", "{own}/sharing%2f..%2fevil", "{own}/sharing/%252e%252e/evil",
        "{own}/sharing/..%5cevil", "{own}/sharing\\..\\evil", "{own}/../evil", "{own}/sharing/../../evil",
        "{own}/sharing/%c0%ae%c0%ae/evil",
        "{own}/sharing%2frest/evil", "{own}/sharingevil/rest/x", "{own}/lonely/../evil", "{own}/lonely/%2e%2e/evil",
        "{own}/lonely/..;/evil",
        "{own}/server/../evil/rest/services/x",
    ]

    /// The path prefixes at which the token of a session may appear.
    typealias Places = [String]

    /// The session's token. A bound token is printed only with the proof for one request.
    private func knownToken(of session: String, in world: CommandWorld) async -> String {
        let plain = await world.run("token", session, "--no-renew").output
        guard plain.isEmpty else { return String(plain.filter { !$0.isNewline }) }
        let lines = await world.run("token", session, "--no-renew", "--dpop", "GET", "https://api.example.org/").output.split(
            separator: "\n")
        return lines.first?.split(separator: " ").last.map(String.init) ?? ""
    }

    /// Requests every URL in every way, and checks everything that both servers received.
    ///
    /// - Parameters:
    ///   - places: the paths of the session's own server where its tokens may appear.
    private func requestHostileURLs(
        _ session: String, at server: some LoggingServer, places: Places, other: SandboxServer, world: CommandWorld
    ) async throws {
        let token = await knownToken(of: session, in: world)
        try #require(!token.isEmpty)
        let own = server.origin
        let port = String(own.split(separator: ":").last ?? "")
        let provider = String(session.split(separator: "/").first ?? "")
        server.clearRequests()
        other.clearRequests()
        let before = try await world.sessions().count
        for template in Self.urls {
            let url = template.replacing("{own}", with: own).replacing("{port}", with: port).replacing("{other}", with: other.issuer)
            for name in [session, provider] {
                for challenge in ["fail", "anonymous"] {
                    _ = await world.run("request", name, "--challenge", challenge, url)
                }
            }
        }
        for request in other.requests {
            #expect(!request.holds(String(token)), "\(request.path) of another server")
            #expect(!request.showsWhoAsks, "\(request.path) of another server: \(request.headers)")
        }
        for request in server.requests where request.holds(String(token)) {
            #expect(places.contains { request.path.hasPrefix($0) } && !request.path.contains(".."), "\(request.path)")
        }
        // No session was created for another origin, and none was changed.
        #expect(try await world.sessions().count == before)
        #expect(await knownToken(of: session, in: world) == token)
    }

    private func withOtherServer(_ body: (SandboxServer) async throws -> Void) async throws {
        try await SandboxServer.running(.lasting, body)
    }

    @Test(arguments: ["oidc", "oauth2"]) func openIDAndOAuthTokensStayAtTheirOrigin(kind: String) async throws {
        try await withOtherServer { other in
            try await withEmptyHome(.lasting) { server, world in
                try world.configure(
                    """
                    [providers.op]
                    kind = "\(kind)"
                    issuer = "\(server.issuer)"
                    client_id = "yett"
                    api_hosts = ["127.0.0.1:\(server.port)"]
                    scopes = ["openid", "profile", "offline_access"]
                    """)
                try await world.signIn("op")
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/"], other: other, world: world)
            }
        }
    }

    @Test func boundTokensStayAtTheirOrigin() async throws {
        try await withOtherServer { other in
            let bound = SandboxConfiguration(autoApproves: "ada", proofs: .init(support: .required))
            try await withSession(bound, more: "dpop = \"required\"") { server, world in
                // Even its own issuer may not get the token unless the configuration names it.
                try await requestHostileURLs(try await world.onlySession(), at: server, places: [], other: other, world: world)
            }
        }
    }

    @Test func exchangedTokensStayAtTheirOrigin() async throws {
        try await withOtherServer { other in
            try await withSandbox { server, world in
                try world.configure(
                    issuer: server.issuer,
                    more: "[providers.made]\nkind = \"exchange\"\nissuer = \"\(server.issuer)\"\nclient_id = \"yett\"\nfrom = \"sandbox\"")
                try await world.signIn("sandbox")
                let made = await world.run("login", "made")
                try #require(made.status == 0, "\(made.errors)")
                try await requestHostileURLs("made/ada", at: server, places: [], other: other, world: world)
            }
        }
    }

    @Test func arcGISPortalTokensStayAtTheirOrigin() async throws {
        try await withOtherServer { other in
            try await ArcGISCommandTests.signedIn { server, world in
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/sharing/"], other: other, world: world)
            }
        }
    }

    @Test func standaloneServerTokensStayAtTheirServer() async throws {
        try await withOtherServer { other in
            try await ArcGISCommandTests.running { server, world in
                let signed = await world.run(
                    ["request", "ag", "--challenge", "prompt", server.origin + ArcGISCommandTests.lonely], user: ArcGISCommandTests.user
                )
                try #require(signed.status == 0, "\(signed.errors)")
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/lonely"], other: other, world: world)
            }
        }
    }

    @Test func mapsIndoorsTokensStayAtTheirOrigin() async throws {
        try await withOtherServer { other in
            try await withSolution(more: "idp = \"google\"") { server, world in
                try await world.signIn("mi")
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/"], other: other, world: world)
            }
        }
    }

    @Test(arguments: ["rp-initiated", "direct", "secure-access"]) func beyondIdentityTokensStayAtTheirOrigin(mode: String) async throws {
        let tables = [
            "rp-initiated": "url = \"{origin}/start?redirect={redirect}\"",
            "direct": "authorization_endpoint = \"{origin}/v2/authorize\"\nclient_id = \"acme-cloud\"\nscopes = [\"openid\"]\n"
                + "exchange_url = \"{origin}/exchange\"",
            "secure-access": "issuer = \"{origin}\(SecureAccessTests.application)\"\nclient_id = \"acme-cloud\"",
        ]
        try await withOtherServer { other in
            try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
                "mode = \"\(mode)\"\n" + (tables[mode] ?? "").replacing("{origin}", with: origin)
            } _: { server, world in
                try await world.signIn("bi")
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/"], other: other, world: world)
            }
        }
    }

    @Test func openWebTokensStayAtTheirOrigin() async throws {
        try await withOtherServer { other in
            try await OpenWebCommandTests.signedIn { server, world in
                try await requestHostileURLs(try await world.onlySession(), at: server, places: ["/"], other: other, world: world)
                #expect(server.calls(of: "/user/login").isEmpty)
            }
        }
    }

    /// Only the gateway's own response may replace a session, and a guest session is created only for the gateway.
    @Test func responsesOfOtherServersAreNotStored() async throws {
        try await withOtherServer { other in
            try await OpenWebCommandTests.running { (server, world) async throws in
                let result = await world.run("request", "ow", other.issuer + "/comment")
                #expect(result.status == 8 && result.errors.contains("tokens of ow are not sent to"), "\(result.errors)")
                #expect(server.requests.isEmpty && other.requests.isEmpty)
                #expect(try await world.sessions().isEmpty)
            }
        }
    }

    // MARK: A configuration changed to another server

    private static let uses = [
        ["token", "{}"], ["renew", "{}"], ["request", "{}", "{other}/comment"], ["request", "{}", "{other}/api/hello"],
        ["request", "{}", "{other}/sharing/rest/portals/self"], ["sessions", "{}", "--remote"], ["inspect", "{}"],
        ["providers", "check", "{provider}"], ["providers", "details", "{provider}"], ["status", "{}"],
        ["exec", "{}", "--", "/bin/true"], ["logout", "{}"],
    ]

    /// Uses and ends a session in every way after its provider's URLs have changed to another server's.
    ///
    /// The other server must not see the session's token.
    private func useAndEndAfterMove(_ session: String, from own: String, to other: SandboxServer, world: CommandWorld) async throws {
        let token = await world.run("token", session).output.trimmed
        let text = try world.text(world.configurationPath)
        try world.configure(
            text.replacing(own, with: other.issuer).replacing(own.dropFirst("http://".count), with: other.issuer.dropFirst(7)))
        let provider = String(session.split(separator: "/").first ?? "")
        for use in Self.uses {
            let arguments = use.map {
                $0.replacing("{}", with: session).replacing("{other}", with: other.issuer).replacing("{provider}", with: provider)
            }
            let result = await world.run(arguments)
            if ["token", "renew", "exec"].contains(use[0]) {
                #expect(result.status == 2 && result.errors.contains("has changed since"), "\(arguments): \(result.errors)")
            }
            // Refused because of the session or because of the URL.
            if use[0] == "request" { #expect([2, 8].contains(result.status), "\(arguments): \(result.errors)") }
        }
        #expect(!other.requests.contains { $0.holds(String(token)) }, "\(other.requests.filter { $0.holds(String(token)) }.map(\.path))")
        let left = try await world.sessions().compactMap { $0["session"]?.string }
        #expect(!left.contains(session))
    }

    @Test func movedGatewaySessionEndsAtTheOldGateway() async throws {
        try await withOtherServer { other in
            try await OpenWebCommandTests.signedIn { server, world in
                try await useAndEndAfterMove(try await world.onlySession(), from: server.origin, to: other, world: world)
                #expect(server.calls(of: "/user/logout").count == 1)
                #expect(!other.requests.contains { $0.path.hasSuffix("/user/logout") })
            }
        }
    }

    @Test func movedTenantSessionEndsAtTheOldTenant() async throws {
        try await withOtherServer { other in
            try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
                """
                mode = "secure-access"
                issuer = "\(origin)\(SecureAccessTests.application)"
                client_id = "acme-cloud"
                tokens_url = "\(origin)\(SecureAccessTests.application)/tokens"
                """
            } _: { server, world in
                try await world.signIn("bi")
                try await useAndEndAfterMove(try await world.onlySession(), from: server.origin, to: other, world: world)
                #expect(server.requests.contains { $0.path.hasSuffix("/revoke") })
            }
        }
    }

    @Test func movedPortalSessionEndsAtTheOldPortal() async throws {
        try await withOtherServer { other in
            try await ArcGISCommandTests.signedIn { server, world in
                try await useAndEndAfterMove(try await world.onlySession(), from: server.origin, to: other, world: world)
                #expect(server.calls(of: "/sharing/rest/oauth2/revokeToken").count == 1)
            }
        }
    }

    @Test func movedSolutionSessionEndsAtTheOldSolution() async throws {
        try await withOtherServer { other in
            try await withSolution(more: "idp = \"google\"") { server, world in
                try await world.signIn("mi")
                try await useAndEndAfterMove(try await world.onlySession(), from: server.origin, to: other, world: world)
                #expect(server.requests.contains { $0.path == "/connect/revocation" })
            }
        }
    }

    @Test func movedIssuerSessionEndsAtTheOldIssuer() async throws {
        try await withOtherServer { other in
            try await withSession { server, world in
                try await useAndEndAfterMove(try await world.onlySession(), from: server.issuer, to: other, world: world)
                #expect(server.requests.filter { $0.path == "/revoke" }.count == 2)
            }
        }
    }

    @Test func sessionOfAnOldBackendIsNotSentToTheNewOne() async throws {
        try await withOtherServer { other in
            try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
                "mode = \"rp-initiated\"\nurl = \"\(origin)/start?redirect={redirect}\"\nsession_check_url = \"\(origin)/check\""
            } _: { server, world in
                server.changeCommon { $0.answers = [PredefinedResponse(at: "/check", body: "{\"sub\":\"ada\"}")] }
                try await world.signIn("bi")
                try await useAndEndAfterMove(try await world.onlySession(), from: server.origin, to: other, world: world)
            }
        }
    }
}

extension CommandWorld {
    /// Returns the name of the only session.
    func onlySession() async throws -> String {
        let names = try await sessions().compactMap { $0["session"]?.string }
        try #require(names.count == 1, "\(names)")
        return names[0]
    }
}

/// A server of either kind, and what it received.
private protocol LoggingServer {
    var origin: String { get }
    var requests: [LoggedRequest] { get }
    func clearRequests()
}

extension SandboxServer: LoggingServer { fileprivate var origin: String { issuer } }

extension VendorServer: LoggingServer {}

extension LoggedRequest {
    /// Whether a text occurs anywhere in the request.
    fileprivate func holds(_ text: String) -> Bool {
        path.contains(text) || query.contains { $0.value.contains(text) } || form.contains { $0.value.contains(text) }
            || headers.contains { $0.value.contains(text) } || String(decoding: body, as: UTF8.self).contains(text)
    }

    /// Whether the request identifies the session.
    fileprivate var showsWhoAsks: Bool {
        ["authorization", "dpop", "x-esri-authorization", "x-openweb-token", "x-guid", "cookie"].contains { header($0) != nil }
    }
}
