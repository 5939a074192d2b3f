import AuthEngine
import AuthModel
import Testing

@testable import CommandLineTool

/// The keys that kinds have for themselves, read in one configuration with those that all have.
struct KindKeysTests {
    private static func refusal(_ lines: String) throws -> AuthFailure {
        try #require(throws: AuthFailure.self) { try ConfigurationTests.reader.read(ConfigurationTests.provider(lines)) }
    }

    @Test(arguments: ProviderKind.allCases)
    func ownKeysAreNamedOnceAndAreNoCommonOnes(kind: ProviderKind) {
        #expect(Set(kind.ownKeys).count == kind.ownKeys.count)
        #expect(Set(kind.ownKeys).intersection(ProviderReader.keys) == [])
        #expect(kind.definition.keys.filter { $0.meaning.last != "." }.map(\.name) == [])
        #expect(Set(kind.definition.foreignSecrets.keys).intersection(ProviderReader.keys + kind.ownKeys) == [])
    }

    /// A secret of somebody else is told from a misspelt key at every kind of provider, and at one whose kind is missing.
    @Test(arguments: ProviderKind.allCases.map(\.rawValue) + [nil])
    func secretsOfOthersAreRefused(kind: String?) throws {
        let line = kind.map { "kind = \"\($0)\"\n" } ?? ""
        let failure = try Self.refusal(line + "access_token = \"t0ken\"\n")
        #expect(failure.summary.hasSuffix(": an access_token does not belong in the configuration"))
        #expect(failure.hint == "OpenWeb's is the publisher's backend's alone; name that with codeb_url")
    }

    @Test(arguments: ProviderKind.allCases)
    func everyOtherKindsKeyIsToldWithItsKind(kind: ProviderKind) throws {
        for other in ProviderKind.allCases {
            for key in other.ownKeys where !kind.ownKeys.contains(key) {
                let failure = try Self.refusal("kind = \"\(kind.rawValue)\"\n\(key) = 1\n")
                #expect(failure.summary.contains(":3: '\(key)' belongs to kind "))
                #expect(failure.summary.contains("\"\(other.rawValue)\""))
            }
        }
    }

    /// Where nothing is similar, those of the kind come first among what is offered.
    @Test(arguments: ProviderKind.allCases)
    func keysOfTheKindAreOfferedFirst(kind: ProviderKind) throws {
        let failure = try Self.refusal("kind = \"\(kind.rawValue)\"\nqqqqqqqqqqqqqqqq = 1\n")
        let known = (kind.ownKeys + ProviderReader.keys).prefix(3).joined(separator: ", ")
        #expect(failure.hint?.hasPrefix("known here: \(known)") == true, "\(failure.hint ?? "")")
    }
}
