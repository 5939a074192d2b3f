import AuthModel
import Localization
import OAuth
import Testing
import UserConfiguration

@testable import AuthEngine
@testable import ProviderKinds

/// The steps and fields that each kind declares before a sign-in.
struct KindTests {
    /// A provider of one kind, and what it declares.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var own: (any KindSettings)?
        var kind: ProviderKind
        var client = "yett"
        var purpose = SignInRequest.Purpose.signIn
        var resource: String?
        var steps: [String]
        var fields: Set<String> = []

        var testDescription: String { name }
    }

    static let site = WebURL("https://site.example.org/x")
    static let environment = EngineEnvironment(
        makeAdapter: EngineEnvironment.allKinds, transport: CurlTransport(version: "test", environment: [:]), time: SystemTimeSource(),
        cacheDirectory: nil)
    static let defaultSteps = ["discover", "open", "wait", "exchange", "verify", "seal"]

    static let rows: [Row] = {
        guard let site else { return [] }
        func openWeb(_ voucher: OpenWebConfiguration.Voucher) -> any KindSettings {
            OpenWebConfiguration(gateway: site, spotID: "sp", voucher: voucher)
        }
        let mediated = BeyondIdentityConfiguration(
            mode: .mediated(.init(page: "https://site.example.org/start?redirect={redirect}")), signUp: .form(site, .standard),
            recovery: site)
        let direct = BeyondIdentityConfiguration(mode: .direct(.init(exchange: site)), signUp: .browser(site))
        let arcGIS = ArcGISConfiguration(portal: site)
        let form = OpenWebConfiguration.Publisher.form(site, header: "x-token")
        let solution = MapsIndoorsConfiguration.solution(.init(gateway: site, apiKey: "k"))
        let server = "https://other.example.org/rest/services"
        return [
            Row(name: "oidc", kind: .oidc, steps: defaultSteps),
            Row(name: "exchange", kind: .exchange, steps: ["discover", "exchange", "seal"]),
            Row(
                name: "mapsindoors", own: solution, kind: .mapsIndoors, steps: ["details"] + defaultSteps,
                fields: ["idp", "client"]),
            Row(name: "booking", own: MapsIndoorsConfiguration.booking(tenantID: nil), kind: .mapsIndoors, steps: defaultSteps),
            Row(name: "mediated", own: mediated, kind: .beyondIdentity, steps: ["open", "wait", "seal"]),
            Row(name: "direct", own: direct, kind: .beyondIdentity, steps: ["open", "wait", "exchange", "seal"]),
            Row(
                name: "sign up by form", own: mediated, kind: .beyondIdentity, purpose: .signUp, steps: ["sign_up"],
                fields: ["email"]),
            Row(name: "sign up by page", own: direct, kind: .beyondIdentity, purpose: .signUp, steps: []),
            Row(
                name: "recover", own: mediated, kind: .beyondIdentity, purpose: .recover, steps: ["recover"],
                fields: ["email"]),
            Row(
                name: "arcgis", own: arcGIS, kind: .arcGIS, steps: defaultSteps,
                fields: ["idp", "username", "password"]),
            Row(
                name: "arcgis with a password", own: arcGIS, kind: .arcGIS, client: "",
                steps: ["discover", "wait", "exchange", "verify", "seal"],
                fields: ["username", "password"]),
            Row(
                name: "arcgis server", own: arcGIS, kind: .arcGIS, resource: server, steps: ["discover", "seal"],
                fields: ["idp", "username", "password"]),
            Row(name: "arcgis sign up", own: arcGIS, kind: .arcGIS, purpose: .signUp, steps: []),
            Row(
                name: "openweb codes", own: openWeb(.codes(form, backend: site)), kind: .openWeb,
                steps: ["publisher", "guest", "code_a", "code_b", "complete", "seal"], fields: ["username", "password"]),
            Row(
                name: "openweb jwt", own: openWeb(.jwt(.user, form, backend: nil)), kind: .openWeb,
                steps: ["publisher", "guest", "code_a", "seal"], fields: ["jwt"]),
            Row(
                name: "openweb jwt of a command", own: openWeb(.jwt(.command(["x"]), form, backend: site)), kind: .openWeb,
                steps: ["publisher", "guest", "code_a", "seal"], fields: ["username", "password"]),
            Row(
                name: "openweb provider", own: openWeb(.provider("piano", .user)), kind: .openWeb,
                steps: ["publisher", "guest", "complete", "seal"], fields: ["jwt"]),
            Row(
                name: "aws-sso", own: IdentityCenterConfiguration(startURL: site, region: "eu-central-1"), kind: .awsSSO,
                steps: ["discover", "open", "wait", "exchange", "seal"]),
            Row(
                name: "aws-sso sign up", own: IdentityCenterConfiguration(startURL: site, region: "eu-central-1"), kind: .awsSSO,
                purpose: .signUp, steps: []),
        ]
    }()

    @Test func everyKindHasARow() {
        #expect(Set(Self.rows.map(\.kind)) == Set(ProviderKind.allCases).subtracting([.oauth2]))
    }

    @Test(arguments: rows)
    func declaresStepsAndFields(row: Row) async throws {
        let name = try #require(ProviderName("p"))
        var provider = ProviderConfiguration(name: name, kind: row.kind, issuer: nil, clientID: row.client)
        provider.kindSettings = row.own
        let adapter = provider.makeAdapter(in: Self.environment)
        let request = SignInRequest(provider: name, purpose: row.purpose, resources: row.resource.map { [$0] } ?? [])
        #expect(adapter.steps(of: request).map(\.id) == row.steps)
        #expect(adapter.askedFields(row.purpose) == row.fields)
    }

    /// Whether a kind supports sign-up is known in advance, or, if nil, only from the provider's metadata.
    @Test func declaresSignUpSupport() throws {
        let site = try #require(Self.site)
        let body = BeyondIdentityConfiguration.SignUp.form(site, .standard)
        let expected: [(kind: ProviderKind, own: (any KindSettings)?, plain: Bool?, withPage: Bool?)] = [
            (.oidc, nil, nil, true), (.oauth2, nil, nil, true), (.exchange, nil, false, false),
            (.mapsIndoors, MapsIndoorsConfiguration.booking(tenantID: nil), false, true),
            (.beyondIdentity, BeyondIdentityConfiguration(mode: .direct(.init(exchange: site)), signUp: body), true, true),
            (.beyondIdentity, BeyondIdentityConfiguration(mode: .direct(.init(exchange: site))), false, false),
            (.beyondIdentity, SecureAccessConfiguration(), false, true),
            (.arcGIS, ArcGISConfiguration(portal: site), false, false),
            (.openWeb, OpenWebConfiguration(gateway: site, spotID: "sp", voucher: .jwt(.user, nil, backend: nil)), false, false),
            (.awsSSO, IdentityCenterConfiguration(startURL: site, region: "eu-central-1"), false, false),
        ]
        for (kind, own, plain, withPage) in expected {
            var provider = ProviderConfiguration(name: try #require(ProviderName("p")), kind: kind, issuer: nil, clientID: "yett")
            provider.kindSettings = own
            #expect(provider.makeAdapter(in: Self.environment).offersSignUp == plain, "\(kind)")
            provider.signUpURL = site
            #expect(provider.makeAdapter(in: Self.environment).offersSignUp == withPage, "\(kind)")
        }
    }

    @Test func kindsWithoutARegisteredRedirectAreKnown() {
        #expect(ProviderKind.allCases.filter { !$0.definition.hasRedirect } == [.exchange, .openWeb, .awsSSO])
    }

    /// A server's errors have status 200, and may quote the token.
    @Test func errorOfAServerOfArcGISHidesTheToken() throws {
        let token = "2YotnFZFEjr1zCsicMWpAA"
        let request = WebRequest(method: .get, url: try #require(Self.site), headers: [("Authorization", "Bearer \(token)")])
        let body: JSONValue = ["error": ["code": 498, "message": .string("\(token) has ended")]]
        let answer = WebResponse(status: 200, body: Array(body.text.utf8)).keeping(SecretRedactor(of: request))
        #expect(ArcGISDialect().reason(answer) == .verbatim("498 [hidden] has ended"))
        // Nor behind a run of characters that becomes short, or as a code.
        let long = String(repeating: "é", count: 600) + token
        for error: JSONValue in [["code": 498, "message": .string(long)], ["code": 498, "error": .string(token)]] {
            let body: JSONValue = ["error": error]
            let answer = WebResponse(status: 200, body: Array(body.text.utf8)).keeping(SecretRedactor(of: request))
            let shown = try #require(ArcGISDialect().reason(answer)).english
            #expect(shown.contains("[hidden]") && !shown.contains(token.prefix(12)), "\(shown)")
        }
    }

    /// The page of a web client shows the code and the state with "#" between them.
    @Test func pastedCodeMayHaveItsState() throws {
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = WebURL("https://id.example.org/authorize")
        let page = "https://www.example.org/callback"
        var random = SystemRandomNumberGenerator()
        let pending = try AuthorizationRequest(clientID: "c", redirectURI: page, scopes: []).prepare(for: metadata, using: &random).pending
        let validator = AuthorizationCallbackValidator(pending: pending, page: page)
        let state = pending.state.reveal()
        guard case .query("code=the-code&state=\(state)") = try validator.read(pasted: "the-code#\(state)") else {
            Issue.record("it was not read")
            return
        }
        #expect(throws: AuthFailure.self) { try validator.read(pasted: "the-code#other") }
        #expect(throws: AuthFailure.self) { try validator.read(pasted: "https://evil.example/x#\(state)") }
        // An error may stand in the fragment, a code may not.
        guard
            case .query("error=unsupported_response_type&state=\(state)") = try validator.read(
                pasted: "\(page)#error=unsupported_response_type&state=\(state)")
        else {
            Issue.record("the error was not read")
            return
        }
        guard case .query(let rest) = try validator.read(pasted: "\(page)#code=the-code&state=\(state)") else {
            Issue.record("it was read as something else")
            return
        }
        #expect(!rest.contains("the-code"))
    }
}
