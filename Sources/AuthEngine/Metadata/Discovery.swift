package import AuthModel
package import OAuth

/// Fetches a provider's metadata for a check. Stores nothing and does not ask the user.
package struct Discovery {
    package let transport: any HTTPTransport
    package let time: any TimeSource
    /// A file with CA certificates that are trusted in addition to the system's.
    package var caFile: String?
    /// The differences of the service from the standards: where its metadata is, and which issuers it may have.
    package var dialect = ProviderDialect()

    package init(transport: any HTTPTransport, time: any TimeSource, caFile: String? = nil) {
        self.transport = transport
        self.time = time
        self.caFile = caFile
    }

    /// The result of a discovery.
    package struct Finding: Equatable, Sendable {
        package var metadata: ProviderMetadata
        /// The time by which the provider's clock is ahead of ours; `nil` if the response has no date.
        package var clockLead: Duration?
    }

    /// Returns the metadata of `issuer` from the first location that has any, as ``MetadataSearch`` finds it.
    package func find(_ issuer: Issuer, kind: ProviderKind) async throws(AuthFailure) -> Finding {
        var search = MetadataSearch(issuer, kind: kind, dialect: dialect)
        while let location = search.nextLocation() {
            let policy = TransportPolicy(caFile: caFile)
            let response = try await transport.sendFollowing(ProviderMetadata.request(location), policy: policy).response
            let now = time.now
            do throws(OAuthError) {
                var metadata = try ProviderMetadata(
                    response, issuer: issuer, requirement: Self.requirement(kind), pattern: dialect.issuerPattern, now: now)
                await supplement(&metadata, beside: location, kind: kind)
                return Finding(metadata: metadata, clockLead: Timestamp(httpDate: response.header("Date") ?? "", now: now).map { $0 - now })
            } catch {
                try search.record(MetadataSearch.Failure(error), at: location)
            }
        }
        throw search.failure
    }

    /// Returns what the metadata must contain. No browser is sent to a provider of kind `exchange`.
    private static func requirement(_ kind: ProviderKind) -> ProviderMetadata.Requirement {
        switch kind {
        case .oidc: .openID
        case .exchange: .nothing
        default: .oauth
        }
    }

    /// Adds endpoints from the provider's other document: some providers list registration, revocation and introspection only there (RFC
    /// 8414 beside OpenID Connect Discovery). Ignores a document that is missing or belongs to another issuer. A sign-in, which waits for
    /// the document, asks only for revocation (``ProviderDocuments``).
    private func supplement(
        _ metadata: inout ProviderMetadata, beside location: WebURL, kind: ProviderKind
    ) async {
        guard dialect.discovery == nil, metadata.lacksOptionalEndpoints, let issuer = metadata.issuer,
            let other = ProviderMetadata.locations(of: issuer, kind: kind == .oauth2 ? .oidc : .oauth2).first, other != location,
            let response = try? await transport.sendFollowing(ProviderMetadata.request(other), policy: TransportPolicy(caFile: caFile))
                .response,
            let more = try? ProviderMetadata(response, issuer: issuer, requirement: .nothing, pattern: dialect.issuerPattern, now: time.now)
        else { return }
        metadata.supplement(from: more)
    }
}

/// The search for a provider's metadata at its possible locations, for a check and for a sign-in.
///
/// A document that exists but is invalid ends the search, because it is not safe to use another one. A fault of the server at one location
/// does not end it, because a server's front may answer so for a path that it does not know; but no other failure replaces it.
struct MetadataSearch {
    /// The effect of a failure at one location on the other locations.
    enum Failure: Error {
        /// There is no document here; it may be at another location. `isAbsent`: the server has just answered that it is not there.
        case elsewhere(AuthFailure, isAbsent: Bool)
        /// The server has a fault here; the document may be at another location.
        case busy(AuthFailure)
        /// The search ends with this failure.
        case final(AuthFailure)

        init(_ error: OAuthError) {
            switch error.kind {
            case .serverFailure: self = .busy(error.failure)
            // Some servers answer every path with a web page, and a server's front may refuse what it does not know.
            case .notFound, .notJSON, .redirected, .unexpectedStatus(400..<500, _):
                self = .elsewhere(error.failure, isAbsent: error.kind == .notFound)
            default: self = .final(error.failure)
            }
        }
    }

    /// The locations so far whose server answered that there is no document.
    private(set) var absent: [WebURL] = []
    /// The first fault of the server.
    private(set) var busy: AuthFailure?
    private var locations: ArraySlice<WebURL>
    /// The failure at the first location. The issuer should use that one, so its failure is the most helpful.
    private var first: AuthFailure?

    init(_ issuer: Issuer, kind: ProviderKind, dialect: ProviderDialect) {
        locations = (dialect.discovery.map { [$0] } ?? ProviderMetadata.locations(of: issuer, kind: kind))[...]
    }

    /// Returns the location to ask next; `nil` if all have been asked.
    mutating func nextLocation() -> WebURL? { locations.popFirst() }

    /// Records a failure at a location. Throws if it ends the search.
    mutating func record(_ failure: Failure, at location: WebURL) throws(AuthFailure) {
        switch failure {
        case .elsewhere(let reason, let isAbsent):
            first = first ?? reason
            if isAbsent { absent.append(location) }
        case .busy(let reason): busy = busy ?? reason
        case .final(let reason): throw busy ?? reason
        }
    }

    /// The failure of a search that found no document.
    var failure: AuthFailure { busy ?? first ?? AuthFailure(.bug, "metadata.no_url") }
}
