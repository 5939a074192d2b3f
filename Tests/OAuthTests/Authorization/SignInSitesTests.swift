import AuthModel
import Testing
@testable import OAuth

/// Whether a page may sign the user in for the endpoint that gets the tokens (RFC 9700 section 4.4).
@Suite struct SignInSitesTests {
    private typealias Change = (inout ProviderConfiguration) -> Void

    /// The rules of a provider. Without an issuer, the endpoints are not of another one's service.
    private func sites(issuer: String? = nil, isKnown: Bool = false, _ change: Change = { _ in }) throws -> SignInSites {
        var provider = ProviderConfiguration(
            name: try #require(ProviderName("tools")), kind: .oauth2, issuer: issuer.flatMap(Issuer.init), clientID: "c")
        provider.resources = ["https://api.example/mcp"]
        change(&provider)
        return SignInSites(provider) { _, _, _ in isKnown }
    }

    private func accepts(
        _ page: String, _ tokens: String, namedBy endpoint: String? = nil, isKnown: Bool = false, _ change: Change = { _ in }
    ) throws -> Bool {
        let hosts = try refused(page, tokens, namedBy: endpoint, by: try sites(isKnown: isKnown, change))
        let both = [page, tokens].compactMap { WebURL($0)?.origin.authority }
        #expect(hosts.isEmpty || hosts == both)
        return hosts.isEmpty
    }

    /// Returns the hosts that are refused; empty if the page is accepted.
    private func refused(_ page: String, _ tokens: String, namedBy endpoint: String? = nil, by sites: SignInSites) throws -> [String] {
        let source = try #require(WebURL(page))
        var metadata = ProviderMetadata()
        let target = try #require(WebURL(tokens))
        metadata.tokenEndpoint = target
        if endpoint == nil { metadata.authorizationEndpoint = source }
        do throws(AuthFailure) {
            try sites.require(source, namedBy: endpoint.flatMap { WebURL($0) }, tokens: target, at: metadata)
            return []
        } catch {
            #expect(error.kind == .security)
            return try #require(error.unconfirmedHosts)
        }
    }

    @Test(arguments: [
        ("https://id.example/a", "https://id.example/t", true), ("https://www.id.example/a", "https://id.example/t", true),
        ("https://id.example/a", "https://www.id.example/t", true), ("https://login.id.example/a", "https://id.example/t", true),
        // A host below the page's may be a user's.
        ("https://id.example/a", "https://evil.id.example/t", false), ("https://www.id.example/a", "https://evil.id.example/t", false),
        ("https://login.id.example/a", "https://api.id.example/t", false), ("https://xid.example/a", "https://id.example/t", false),
        ("https://user.id.example/a", "https://www.id.example/t", false),
        // Another port may be another user's program.
        ("https://nas.example:8443/a", "https://nas.example:9443/t", false),
        ("http://localhost:3000/a", "http://localhost:4000/t", false), ("http://127.0.0.9:9109/a", "http://127.0.0.1:9109/t", false),
        ("https://login.id.example:8443/a", "https://id.example/t", false), ("http://localhost/a", "https://localhost/t", false),
    ])
    func pageIsOnTheSiteOfTheTokens(page: String, tokens: String, isAccepted: Bool) throws {
        #expect(try accepts(page, tokens) == isAccepted)
    }

    /// The user chose the issuer, and no resource.
    @Test func providerWithoutAResourceIsNotAsked() throws {
        #expect(try accepts("https://a.example/", "https://b.example/") { $0.resources = [] })
        #expect(try accepts("https://a.example/", "https://b.example/") { $0.kind = .exchange })
        #expect(try accepts("https://a.example/", "https://b.example/", isKnown: true))
    }

    @Test func userConfirmsThePageTogetherWithTheTokens() throws {
        let hosts = ["a.example", "b.example:8443"]
        #expect(try accepts("https://a.example/", "https://b.example:8443/") { $0.signInHosts = hosts })
        // A later token endpoint is another question, and so is a later page.
        for (page, tokens) in [
            ("https://a.example/", "https://c.example/"), ("https://a.example/", "https://b.example/"),
            ("https://c.example/", "https://b.example:8443/"), ("https://a.example:8443/", "https://b.example:8443/"),
        ] {
            #expect(try !accepts(page, tokens) { $0.signInHosts = hosts })
        }
        // A list by hand may have the other order.
        #expect(try accepts("https://a.example/", "https://b.example:8443/") { $0.signInHosts = hosts.reversed() })
    }

    /// What an older version kept of two answers does not confirm pages of one for tokens of the other.
    @Test func lastConfirmedHostGetsTheTokens() throws {
        let hosts = ["a.example", "b.example", "c.example", "d.example"]
        #expect(try accepts("https://c.example/", "https://d.example/") { $0.signInHosts = hosts })
        #expect(try !accepts("https://c.example/", "https://b.example/") { $0.signInHosts = hosts })
        #expect(try !accepts("https://a.example/", "https://b.example/") { $0.signInHosts = hosts })
    }

    /// A setting says nothing about the other endpoint, which a document may still name.
    @Test func endpointsOfTheConfigurationBelongTogether() throws {
        let page = WebURL("https://a.example/")
        let tokens = WebURL("https://b.example/t")
        let both: Change = { $0.endpoints = .init(authorization: page, token: tokens) }
        #expect(try accepts("https://a.example/", "https://b.example/", both))
        #expect(try !accepts("https://a.example/", "https://b.example/") { $0.endpoints.token = tokens })
        #expect(try !accepts("https://a.example/", "https://b.example/") { $0.endpoints.authorization = page })
        let codes: Change = { $0.endpoints = .init(token: tokens, deviceAuthorization: WebURL("https://b.example/d")) }
        #expect(try accepts("https://c.example/", "https://b.example/", namedBy: "https://b.example/d", codes))
        #expect(try !accepts("https://c.example/", "https://b.example/", namedBy: "https://d.example/d", codes))
        #expect(try !accepts("https://c.example/", "https://b.example/", namedBy: "https://b.example/d"))
        // Those of a server without a document are configured when its resource is added, and its document may appear later.
        let assumed: Change = { $0.endpoints = .init(authorization: WebURL("https://b.example/a"), token: tokens) }
        #expect(try !accepts("https://c.example/", "https://b.example/", namedBy: "https://b.example/d", assumed))
    }

    // MARK: The issuer

    /// Metadata could name the page and the token endpoint of another service together: the resource would get its tokens.
    @Test(arguments: [
        ("https://id.example", ["id.example", "evil.test"]), ("https://login.evil.test", []),
        ("https://evil.test:8443", ["evil.test:8443", "evil.test"]),
    ])
    func tokensOfAnotherServiceAreRefused(service: String, hosts: [String]) throws {
        let (page, tokens) = (service + "/a", service + "/t")
        #expect(try refused(page, tokens, by: try sites(issuer: "https://evil.test")) == hosts)
        #expect(try refused(page, tokens, by: try sites(issuer: "https://evil.test", isKnown: true)) == [])
        #expect(try refused(page, tokens, by: try sites(issuer: "https://evil.test") { $0.signInHosts = hosts }) == [])
        #expect(try refused(page, tokens, by: try sites(issuer: "https://evil.test") { $0.resources = [] }) == [])
        // The user says where the tokens come from.
        let byHand = try sites(issuer: "https://evil.test") { $0.endpoints.token = WebURL(tokens) }
        #expect(try refused(page, tokens, by: byHand) == [])
    }

    /// The programs of this machine are the user's, on each port.
    @Test(arguments: [
        ("http://localhost:7001", "http://localhost:7002", true), ("http://localhost:7001", "http://127.0.0.1:7002", true),
        ("http://127.0.0.1:7001", "http://[::1]:7001", true), ("http://127.0.0.1:7001", "http://127.0.0.9:7001", false),
        ("https://nas.example:7001", "https://nas.example:7002", false),
    ])
    func portsOfThisMachineBelongTogether(issuer: String, service: String, isAccepted: Bool) throws {
        #expect(try refused(service + "/a", service + "/t", by: try sites(issuer: issuer)).isEmpty == isAccepted)
        let endpoint = try #require(WebURL(service + "/u"))
        #expect(try sites(issuer: issuer).acceptsUserInfo(at: endpoint, tokens: WebURL(issuer + "/t")) == isAccepted)
    }

    /// An older version asked at a sign-in about the page and the tokens alone. One answer is enough for all three.
    @Test func answerOfAnOlderVersionIsAskedForAgainOnce() throws {
        let (page, tokens) = ("https://a.test/a", "https://b.example/t")
        let all = ["a.test", "b.example", "evil.invalid"]
        let rows: [([String], [String])] = [([], all), (["a.test", "b.example"], all), (all, [])]
        for (confirmed, hosts) in rows {
            #expect(try refused(page, tokens, by: try sites(issuer: "https://evil.invalid") { $0.signInHosts = confirmed }) == hosts)
        }
        // A page of the issuer says that the tokens are its own, if it belongs to them.
        #expect(try refused(page, tokens, by: try sites(issuer: "https://a.test")) == ["a.test", "b.example"])
        #expect(try refused(page, tokens, by: try sites(issuer: "https://a.test") { $0.signInHosts = ["a.test", "b.example"] }) == [])
    }

    /// A page of the issuer's own does not vouch for the device codes of another service.
    @Test func pageOfTheIssuerVouchesForItsOwnTokensOnly() throws {
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = WebURL("https://evil.test/a")
        metadata.deviceAuthorizationEndpoint = WebURL("https://id.example/d")
        let tokens = try #require(WebURL("https://id.example/t"))
        metadata.tokenEndpoint = tokens
        let codes = try #require(metadata.deviceAuthorizationEndpoint)
        let sites = try sites(issuer: "https://evil.test")
        let failure = #expect(throws: AuthFailure.self) { try sites.require(codes, tokens: tokens, at: metadata) }
        #expect(failure?.unconfirmedHosts == ["evil.test", "id.example"])
    }

    @Test(arguments: [
        ("https://id.example/u", true), ("https://api.evil.test/u", true), ("https://graph.test/u", false),
        ("https://graph.test/own", true),
    ])
    func userInfoIsOfTheServiceOfTheTokens(endpoint: String, isAccepted: Bool) throws {
        let sites = try sites(issuer: "https://evil.test") { $0.endpoints.userInfo = WebURL("https://graph.test/own") }
        let url = try #require(WebURL(endpoint))
        #expect(sites.acceptsUserInfo(at: url, tokens: WebURL("https://id.example/t")) == isAccepted)
        #expect(try self.sites(issuer: "https://evil.test") { $0.resources = [] }.acceptsUserInfo(at: url, tokens: nil))
    }

    @Test func metadataNameTheHostsToConfirm() throws {
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = WebURL("https://id.example/authorize")
        metadata.tokenEndpoint = WebURL("https://id.example/token")
        #expect(try sites().unconfirmedHosts(of: metadata) == [])
        metadata.deviceAuthorizationEndpoint = WebURL("https://other.example/device")
        metadata.pushedAuthorizationEndpoint = WebURL("https://other.example/par")
        #expect(try sites().unconfirmedHosts(of: metadata) == ["other.example", "id.example"])
        #expect(try sites(isKnown: true).unconfirmedHosts(of: metadata) == [])
    }
}
