import AuthModel
import OAuth
import Testing

@testable import AuthEngine

/// The search for a provider's metadata: which failures end it, and which failure it ends with. A check and a sign-in share it.
struct MetadataSearchTests {
    private static func error(_ kind: OAuthError.Kind) -> OAuthError { OAuthError(.discovery, kind, host: "id.example.org") }

    /// Asks every location; the n-th answers with the n-th failure.
    private func ended(_ kinds: [OAuthError.Kind]) throws -> MetadataSearch {
        var search = MetadataSearch(try #require(Issuer("https://id.example.org")), kind: .oidc, dialect: ProviderDialect())
        for kind in kinds {
            let next = search.nextLocation()
            let location = try #require(next)
            try search.record(MetadataSearch.Failure(Self.error(kind)), at: location)
        }
        let end = search.nextLocation()
        #expect(end == nil)
        return search
    }

    @Test(arguments: [OAuthError.Kind.notFound, .notJSON(isHTML: true), .redirected, .unexpectedStatus(403)])
    func firstFailureIsTheMostHelpful(kind: OAuthError.Kind) throws {
        let search = try ended([kind, .notFound])
        #expect(search.failure == Self.error(kind).failure)
        #expect(search.absent.count == (kind == .notFound ? 2 : 1), "only a server's own answer says that there is none")
    }

    @Test func faultOfTheServerIsNotReplaced() throws {
        let fault = OAuthError.Kind.serverFailure(status: 503, retryAfter: nil)
        #expect(try ended([.notFound, fault]).failure == Self.error(fault).failure)
        let failure = #expect(throws: AuthFailure.self) { try ended([fault, .missingMember("issuer")]) }
        #expect(failure == Self.error(fault).failure)
    }

    /// It is not safe to use another document than one that exists, or to guess what a status means.
    @Test(arguments: [OAuthError.Kind.missingMember("issuer"), .issuerMismatch(found: "https://other.example"), .unexpectedStatus(204)])
    func invalidDocumentEndsTheSearch(kind: OAuthError.Kind) throws {
        let failure = #expect(throws: AuthFailure.self) { try ended([.notFound, kind]) }
        #expect(failure == Self.error(kind).failure)
    }
}
