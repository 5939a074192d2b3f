import AuthEngine
import AuthModel
import Localization
import OAuth
import Testing

@testable import CommandLineTool
@testable import ProviderKinds
@testable import UserConfiguration

/// The keys of single kinds, in one configuration with the common ones.
struct KindKeysTests {
    private static func refusal(_ lines: String) throws -> AuthFailure {
        try #require(throws: AuthFailure.self) { try ConfigurationTests.reader.read(ConfigurationTests.provider(lines)) }
    }

    @Test(arguments: ProviderKind.allCases)
    func ownKeysAreUniqueAndNotCommonOnes(kind: ProviderKind) {
        #expect(Set(kind.ownKeys).count == kind.ownKeys.count)
        #expect(Set(kind.ownKeys).intersection(ProviderReader.keys) == [])
        #expect(kind.definition.keys.filter { $0.meaning.last != "." }.map(\.name) == [])
        #expect(Set(kind.definition.foreignSecrets.keys).intersection(ProviderReader.keys + kind.ownKeys) == [])
    }

    /// A foreign secret is distinguished from a misspelt key for every kind, and for a provider without a kind.
    @Test(arguments: ProviderKind.allCases.map(\.rawValue) + [nil])
    func foreignSecretsAreRefused(kind: String?) throws {
        let line = kind.map { "kind = \"\($0)\"\n" } ?? ""
        let failure = try Self.refusal(line + "access_token = \"t0ken\"\n")
        #expect(failure.summary.hasSuffix(": access_token does not belong in the configuration"))
        #expect(failure.hintText == "OpenWeb's access token belongs to the publisher's backend; set codeb_url to it")
    }

    @Test(arguments: ProviderKind.allCases)
    func keyOfAnotherKindIsReportedWithItsKind(kind: ProviderKind) throws {
        for other in ProviderKind.allCases {
            for key in other.ownKeys where !kind.ownKeys.contains(key) {
                let failure = try Self.refusal("kind = \"\(kind.rawValue)\"\n\(key) = 1\n")
                #expect(failure.summary.contains(":3: '\(key)' belongs to kind "))
                #expect(failure.summary.contains("\"\(other.rawValue)\""))
            }
        }
    }

    /// If no key is similar, the suggestions start with the kind's own keys.
    @Test(arguments: ProviderKind.allCases)
    func keysOfTheKindAreSuggestedFirst(kind: ProviderKind) throws {
        let failure = try Self.refusal("kind = \"\(kind.rawValue)\"\nqqqqqqqqqqqqqqqq = 1\n")
        let known = (kind.ownKeys + ProviderReader.keys).prefix(3).joined(separator: ", ")
        #expect(failure.hintText?.hasPrefix("known keys: \(known)") == true, "\(failure.hintText ?? "")")
    }

    // MARK: Sessions that no page opens

    private static let server = "kind = \"exchange\"\nissuer = \"https://auth.example.org\"\nclient_id = \"yett\"\n"

    private static func exchange(_ lines: String) throws -> ProviderConfiguration.Exchange? {
        try ConfigurationTests.reader.read(ConfigurationTests.provider(server + lines)).providers.first?.exchange
    }

    @Test func grantsWithoutAPageAreRead() throws {
        let work = try #require(SessionName("work"))
        #expect(
            try Self.exchange("grant = \"id-jag\"\nfrom = \"work\"\n") == .init(from: work, grant: .identityGrant, presented: .id))
        #expect(
            try Self.exchange("grant = \"id-jag\"\nfrom = \"work\"\nassertion_file = \"/t\"\n")
                == .init(from: work, grant: .identityGrant, presented: .id, assertion: .file("/t")))
        #expect(try Self.exchange("grant = \"client_credentials\"\nclient_secret_file = \"/s\"\n") == .init(grant: .clientCredentials))
        #expect(
            try Self.exchange("grant = \"account_credentials\"\nclient_secret_file = \"/s\"\n")
                == .init(grant: .clientCredentials, ownGrantType: "account_credentials"))
        #expect(
            try Self.exchange("grant = \"jwt-bearer\"\nassertion_file = \"~/token\"\n")
                == .init(grant: .assertion, assertion: .file("/h/token")))
        #expect(
            try Self.exchange("grant = \"jwt-bearer\"\nassertion_command = \"cat /run/token\"\n")
                == .init(grant: .assertion, assertion: .command(["cat", "/run/token"])))
    }

    /// What concerns tokens and the API may differ, and nothing about a user.
    @Test func machinesHaveADialect() throws {
        let lines = "grant = \"client_credentials\"\nclient_secret_file = \"/s\"\n"
        let own = """
            token_type = "Bearer"
            token_header = "X-Shopify-Access-Token"
            token_params = { account_id = "42" }
            api_headers = { Client-Id = "{client_id}" }
            api_host_from = "api_url"
            resource_parameter = "off"

            """
        let provider = try #require(
            try ConfigurationTests.reader.read(ConfigurationTests.provider(Self.server + lines + own)).providers.first)
        #expect(provider.dialect.tokenType == "Bearer" && provider.dialect.tokenParameters == ["account_id": "42"])
        #expect(provider.dialect.apiHostPath == MemberPath("api_url") && provider.dialect.resourceParameter == .off)
        let issued = IssuedToken(
            token: Secret("at"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try #require(SessionName("work/yett")))
        let request = WebRequest(method: .get, url: try #require(WebURL("https://api.example.org/")))
        let sent = provider.resourceDialect.authorized(request, with: issued).headers
        #expect(sent.map { "\($0.name): \($0.value)" } == ["X-Shopify-Access-Token: at", "Client-Id: yett"])
        for key in ["pkce = \"hex\"", "userinfo = \"off\"", "identity = { subject = \"id\" }"] {
            #expect(try Self.refusal(Self.server + lines + key + "\n").summary.contains("belongs to kind"))
        }
    }

    /// A key that another grant has, or that is missing, is reported with what to do.
    @Test(arguments: [
        ("grant = \"client_credential\"\n", "client_credentials"), ("grant = \"password\"\n", "client_credentials"),
        ("grant = \"account_credentials\"\n", "client_secret_file"),
        ("grant = \"urn:ietf:params:oauth:grant-type:jwt-bearer\"\n", "jwt-bearer"),
        ("grant = \"client_credentials\"\n", "client_secret_file"), ("grant = \"id-jag\"\n", "from = "),
        ("grant = \"jwt-bearer\"\n", "assertion_file"), ("from = \"work\"\nassertion_file = \"/t\"\n", "jwt-bearer"),
        ("grant = \"client_credentials\"\nclient_secret_file = \"/s\"\nfrom = \"work\"\n", "remove"),
        ("grant = \"id-jag\"\nfrom = \"work\"\naudience = \"api\"\n", "remove"),
        ("grant = \"id-jag\"\nassertion_file = \"/t\"\n", "from = "),
        ("grant = \"jwt-bearer\"\nassertion_file = \"/t\"\nfrom = \"work\"\n", "remove"),
        ("grant = \"jwt-bearer\"\nassertion_file = \"/t\"\nassertion_command = \"cat\"\n", "one"),
    ])
    func keysOfAnotherGrantAreRefused(lines: String, hint: String) throws {
        let failure = try Self.refusal(Self.server + lines)
        #expect(failure.kind == .configuration)
        #expect(failure.hintText?.contains(hint) == true, "\(failure.summary): \(failure.hintText ?? "")")
    }
}
