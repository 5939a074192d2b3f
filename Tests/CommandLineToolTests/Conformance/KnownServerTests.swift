import AuthModel
import OAuth
import TOML
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Authorization servers that a shipped preset knows.
@Suite struct KnownServerTests {
    /// Has the metadata of one server, without PKCE.
    private struct OneServer: ProviderDiscovery {
        let published: String
        /// The page of the consent, with PKCE.
        var page: String?
        /// The origin of the token endpoint, if it is not the issuer's.
        var tokens: String?

        func metadata(of provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
            guard let issuer = provider.issuer else { throw AuthFailure(.bug, text: "no issuer") }
            let document = JSONValue.members(
                ("issuer", .string(published)), ("authorization_endpoint", .string(page ?? issuer.text + "/authorize")),
                ("token_endpoint", .string((tokens ?? issuer.text) + "/token")),
                ("code_challenge_methods_supported", page == nil ? .null : ["S256"]))
            do throws(OAuthError) {
                return try ProviderMetadata(
                    WebResponse(status: 200, body: Array(document.text.utf8)), issuer: issuer, requirement: .oauth,
                    pattern: provider.dialect.issuerPattern, now: Timestamp(seconds: 1_800_000_000))
            } catch { throw error.failure }
        }

        func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource? { nil }
        func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage? { nil }
    }

    private func plan(
        _ issuer: String, published: String? = nil, page: String? = nil, tokens: String? = nil, presets: [String] = []
    ) async throws -> ProviderPlan {
        let resource = try #require(WebURL("https://api.example.org/mcp"))
        let metadata = try #require(ResourceMetadata(assumedFor: resource))
        let planner = ResourcePlanner(
            discovery: OneServer(published: published ?? issuer, page: page, tokens: tokens),
            presets: PresetLibrary(folders: presets, rules: .standard))
        return try await planner.plan(
            DiscoveredResource(called: resource, metadata: metadata, challenge: nil), issuer: try #require(Issuer(issuer)),
            name: try ProviderName(argument: "x"), scopes: ["read"], redirects: [])
    }

    /// The issuer in Entra's document is that of a tenant, and neither Entra nor Cognito announces PKCE.
    @Test func presetKnowsTheServerOfAResource() async throws {
        let entra = try await plan(
            "https://login.microsoftonline.com/organizations/v2.0", published: "https://login.microsoftonline.com/{tenantid}/v2.0")
        let settings = Dictionary(uniqueKeysWithValues: entra.settings(clientID: "c", clientSecretFile: nil).map { ($0.key, $0.value) })
        #expect(settings["issuer_pattern"] == "\"https://login.microsoftonline.com/{tenantid}/v2.0\"")
        #expect(settings["redirect"]?.contains("http://localhost/callback") == true)
        #expect(settings["revocation"] == "\"none\"")
        #expect(settings["resource_parameter"] == "\"off\"" && settings["renewal_scopes"] == "\"sent\"")
        // The resource decides what the tokens are for, and the user decides who gets them.
        #expect(settings["scopes"]?.contains("read") == true && settings["scopes"]?.contains("User.Read") == false)
        #expect(settings["api_hosts"] == nil)
        _ = try await plan("https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1Cd2Ef3")
    }

    /// A preset knows its own hosts and what a fixed issuer says, and nothing of the hosts of a service's customers.
    @Test(arguments: [
        ("https://id.example", "https://tokens.example", true), ("https://www.id.example", "https://api.id.example", true),
        ("https://login.id.example", "https://id.example", false), ("https://id.example", "https://id.example", false),
        ("https://www.figma.com", "https://api.figma.com", false), ("https://account.box.com", "https://api.box.com", false),
        ("https://www.figma.com", "https://api.box.com", true), ("https://www.figma.com", "https://evil.figma.com", true),
        ("https://id.example", "https://accounts.google.com", false), ("https://id.example", "https://acme.okta.com", true),
    ])
    func pageOfAnotherServiceIsUnconfirmed(page: String, issuer: String, isAnother: Bool) async throws {
        var plan = try await plan(issuer, page: page + "/authorize")
        let hosts = [page, issuer].compactMap { WebURL($0)?.origin.authority }
        #expect(plan.unconfirmedHosts == (isAnother ? hosts : []))
        #expect(plan.table["sign_in_hosts"] == nil)
        plan.confirmHosts()
        #expect(plan.table["sign_in_hosts"]?.strings == (isAnother ? hosts : nil))
    }

    /// A resource's own server can name the page and the token endpoint of another service, whose tokens it would get.
    @Test(arguments: [
        ("https://mcp.example.com", "https://id.example.net", true), ("https://mcp.pagerduty.com", "https://app.pagerduty.com", false),
        ("https://a.co.uk", "https://b.co.uk", true), ("https://a.example.co.uk", "https://b.example.co.uk", false),
        ("https://127.0.0.1:7001", "https://127.0.0.1:7002", false), ("http://localhost:7001", "http://localhost:7002", false),
        ("https://nas.example:8443", "https://nas.example:9443", true), ("https://id.example.com:8443", "https://sso.example.com", true),
        ("https://10.0.0.1", "https://10.1.0.1", true), ("https://10.0.0.1:8443", "https://10.0.0.1", true),
        ("https://login.microsoftonline.com/organizations/v2.0", "https://login.example.net", false),
        // Two customers of a hosting service, which has regions.
        ("https://a-x-uc.a.run.app", "https://b-y-uc.a.run.app", true),
        ("https://a.execute-api.eu-west-1.amazonaws.com", "https://b.execute-api.eu-west-1.amazonaws.com", true),
        ("https://a.eastus-01.azurewebsites.net", "https://b.eastus-01.azurewebsites.net", true),
        ("https://a.replit.app", "https://b.replit.app", true), ("https://a.run.app", "https://a.run.app", false),
        // Any customer of a service has such an issuer, and may choose its page.
        ("https://evil-1815.projects.oryapis.com", "https://id.example.net", true),
        ("https://acme-1815.projects.oryapis.com", "https://acme-1815.projects.oryapis.com", false),
    ])
    func tokensOfAnotherServiceAreUnconfirmed(issuer: String, service: String, isAnother: Bool) async throws {
        let plan = try await plan(issuer, page: service + "/authorize", tokens: service)
        let hosts = [service, issuer].compactMap { WebURL($0)?.origin.authority }
        #expect(plan.unconfirmedHosts == (isAnother ? hosts : []))
    }

    /// A place may be in the path of the issuer alone.
    @Test(arguments: [
        ("https://accounts.google.com", true), ("https://accounts.google.com/", true), ("https://accounts.google.com/x", false),
        ("https://login.microsoftonline.com/organizations/v2.0", true), ("https://login.microsoftonline.com.example/x/v2.0", false),
        ("https://acme.auth0.com", false), ("https://acme.zitadel.cloud", false),
        ("https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1Cd2Ef3", false),
    ])
    func issuerAtAFixedHostIsKnown(issuer: String, isKnown: Bool) throws {
        let presets = PresetLibrary(folders: [], rules: .standard)
        let page = try #require(WebURL("https://page.example")).origin
        let tokens = try #require(WebURL("https://tokens.example")).origin
        #expect(presets.knows(page: page, tokens: tokens, of: Issuer(issuer)) == isKnown)
    }

    /// Google's resources name its server with a slash, and Dropbox has no issuer of its own.
    @Test func presetSaysWhatBringsARefreshToken() async throws {
        let google = try await plan("https://accounts.google.com/", published: "https://accounts.google.com")
        #expect(google.table["extra_params"]?["access_type"]?.string == "offline")
        let page = "https://www.dropbox.com/oauth2/authorize"
        let dropbox = try await plan("https://mcp.dropbox.com", page: page)
        #expect(dropbox.table["extra_params"]?["token_access_type"]?.string == "offline")
        #expect(try await plan("https://mcp.dropbox.com", page: page + "/other").table["extra_params"] == nil)
        // The audience of its preset is another API.
        let atlassian = try await plan("https://mcp.atlassian.com", page: "https://auth.atlassian.com/authorize")
        #expect(atlassian.table["extra_params"] == nil)
    }

    @Test(arguments: [
        "https://id.example.org", "https://login.microsoftonline.com.example.org/organizations/v2.0",
        "https://evil.cfapps.eu10.hana.ondemand.com/oauth/token",
    ])
    func unknownServerHasToAnnouncePKCE(issuer: String) async throws {
        let failure = await #expect(throws: AuthFailure.self) { try await plan(issuer) }
        #expect(failure?.kind == .security)
    }
}
