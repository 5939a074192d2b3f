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
}
