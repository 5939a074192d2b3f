import AuthModel
import Testing
@testable import OAuth

/// Whether a page may sign the user in for the endpoint that gets the tokens (RFC 9700 section 4.4).
@Suite struct SignInSitesTests {
    private typealias Change = (inout ProviderConfiguration) -> Void

    private func sites(isKnown: Bool = false, _ change: Change = { _ in }) throws -> SignInSites {
        var provider = ProviderConfiguration(
            name: try #require(ProviderName("tools")), kind: .oauth2, issuer: Issuer("https://id.example"), clientID: "c")
        provider.resources = ["https://api.example/mcp"]
        change(&provider)
        return SignInSites(provider) { _, _, _ in isKnown }
    }

    private func accepts(
        _ page: String, _ tokens: String, namedBy endpoint: String? = nil, isKnown: Bool = false, _ change: Change = { _ in }
    ) throws -> Bool {
        let sites = try sites(isKnown: isKnown, change)
        let source = try #require(WebURL(page))
        let target = try #require(WebURL(tokens))
        do throws(AuthFailure) {
            try sites.require(source, namedBy: endpoint.flatMap { WebURL($0) }, tokens: target)
            return true
        } catch {
            #expect(error.kind == .security)
            #expect(error.unconfirmedHosts == [source.origin.authority, target.origin.authority])
            return false
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
