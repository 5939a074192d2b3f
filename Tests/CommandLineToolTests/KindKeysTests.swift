import AuthEngine
import AuthModel
import Localization
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
            try Self.exchange("grant = \"jwt-bearer\"\nassertion_file = \"~/token\"\n")
                == .init(grant: .assertion, assertion: .file("/h/token")))
        #expect(
            try Self.exchange("grant = \"jwt-bearer\"\nassertion_command = \"cat /run/token\"\n")
                == .init(grant: .assertion, assertion: .command(["cat", "/run/token"])))
    }

    /// A key that another grant has, or that is missing, is reported with what to do.
    @Test(arguments: [
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
