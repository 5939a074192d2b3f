import AuthModel
import OAuth
import Testing

@testable import AuthEngine
@testable import ProviderKinds

/// Where credentials may be sent, decided by the URL alone.
struct CredentialGateTests {
    private static func provider(
        _ kind: ProviderKind, own: (any KindSettings)? = nil, hosts: [String] = [], resources: [String] = []
    ) throws -> ProviderConfiguration {
        var provider = ProviderConfiguration(
            name: try #require(ProviderName("p")), kind: kind, issuer: Issuer("https://id.example"), clientID: "yett")
        provider.apiHosts = hosts
        provider.resources = resources
        provider.kindSettings = own
        return provider
    }

    private func admits(_ provider: ProviderConfiguration, _ text: String, issuer: String? = nil) throws -> Bool {
        CredentialGate(provider).admits(try #require(WebURL(text)), issuer: issuer)
    }

    @Test(arguments: [
        ("https://api.example/x", true), ("https://API.example:443/x", true), ("https://api.example:8443/x", false),
        ("https://api.example.evil/", false), ("https://xapi.example/", false), ("http://api.example/", false),
        ("https://ports.example:8443/", true), ("https://ports.example/", false), ("https://res.example/any", true),
        ("https://id.example/", false), ("https://[0:0:0:0:0:0:0:1]:9/", true), ("https://api.example/..%2f", false),
    ])
    func admitsConfiguredHostsAndResources(_ url: String, _ isAdmitted: Bool) throws {
        for kind in [ProviderKind.oidc, .oauth2, .exchange, .mapsIndoors, .beyondIdentity] {
            let provider = try Self.provider(
                kind, hosts: ["api.example", "ports.example:8443", "[::1]:9"], resources: ["https://res.example/mcp"])
            #expect(try admits(provider, url) == isAdmitted, "\(kind)")
        }
    }

    @Test(
        arguments: [
            ("https://gis.example/portal/sharing/rest/x", nil, true), ("https://gis.example/portal/sharing/../evil", nil, false),
            ("https://gis.example/portal/sharingx", nil, false), ("https://gis.example/server/rest/x", nil, false),
            ("https://gis.example/portal/sharing/a%2Fb", nil, false),
            ("https://alone.example/gis/rest/x", "https://alone.example/gis", true),
            ("https://alone.example/gisx", "https://alone.example/gis", false),
            ("https://gis.example/portal/sharing/x", "https://alone.example/gis", false),
            ("https://alone.example/gis/rest/x", "https://gis.example/portal", false),
        ] as [(String, String?, Bool)])
    func admitsOnlyTheServerOfAnArcGISSession(_ url: String, _ issuer: String?, _ isAdmitted: Bool) throws {
        let portal = try #require(WebURL("https://gis.example/portal"))
        #expect(try admits(try Self.provider(.arcGIS, own: ArcGISConfiguration(portal: portal)), url, issuer: issuer) == isAdmitted)
    }

    @Test(
        arguments: [
            ("https://gw.example/comment", "https://gw.example/sp", true), ("https://gw.example/comment", nil, true),
            ("https://gw.example/comment", "https://old.example/sp", false),
            ("https://old.example/comment", "https://old.example/sp", false),
        ] as [(String, String?, Bool)])
    func admitsOnlyTheGatewayOfAnOpenWebSession(_ url: String, _ issuer: String?, _ isAdmitted: Bool) throws {
        let gateway = try #require(WebURL("https://gw.example"))
        let settings = OpenWebConfiguration(gateway: gateway, spotID: "sp", voucher: .provider("piano", .user))
        #expect(try admits(try Self.provider(.openWeb, own: settings), url, issuer: issuer) == isAdmitted)
    }

    // MARK: The client certificate

    @Test(arguments: [
        ("https://gis.example/portal/sharing/rest", true), ("https://named.example/rest/info", true),
        ("https://federated.example/server/rest/info", true), ("https://other.example/server/rest/info", false),
        ("https://gis.example:8443/portal", false), ("https://services.arcgis.com/x", false),
    ])
    func clientCertificateIsPresentedOnlyToThePortalAndItsServers(_ text: String, _ isShown: Bool) throws {
        let portal = try #require(WebURL("https://gis.example/portal"))
        var provider = try Self.provider(.arcGIS, own: ArcGISConfiguration(portal: portal), hosts: ["named.example"])
        provider.clientCertificateFile = "/dev/null"
        var adapter = ArcGISAdapter(
            configuration: provider, settings: ArcGISConfiguration(portal: portal), environment: KindTests.environment)
        adapter.federated = [try #require(WebURL("https://federated.example/server"))]
        #expect((adapter.policy(for: try #require(WebURL(text))).clientCertificate != nil) == isShown)
    }

    // MARK: Paths

    @Test(arguments: ["/a/../b", "/a/%2e%2e/b", "/a/..;/b", "/a%5cb", "/%252e%252e/a", "/a/..%2fb"])
    func transportRefusesAmbiguousPaths(_ path: String) throws {
        let url = try #require(WebURL("https://a.example" + path))
        #expect(throws: AuthFailure.self) { try RequestCheck.check(WebRequest(method: .get, url: url), .standard) }
    }
}
