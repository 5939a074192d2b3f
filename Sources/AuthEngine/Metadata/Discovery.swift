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

    /// Returns the metadata of `issuer` from the first location that has any.
    ///
    /// If no location has any, throws the error of the first location. Throws at once if a document is invalid or belongs to another
    /// issuer.
    package func find(_ issuer: Issuer, kind: ProviderKind) async throws(AuthFailure) -> Finding {
        var failure = AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("metadata.not_published", ["host": issuer.url.origin.host]),
            hint: "hint.check_issuer")
        // A server's front may answer so for a path that it does not know, and later for the one of the document. If none has it, the server
        // is busy.
        var busy: AuthFailure?
        let locations = dialect.discovery.map { [$0] } ?? ProviderMetadata.locations(of: issuer, kind: kind)
        for (index, location) in locations.enumerated() {
            let policy = TransportPolicy(caFile: caFile)
            let response = try await transport.sendFollowing(ProviderMetadata.request(location), policy: policy).response
            let now = time.now
            do throws(OAuthError) {
                var metadata = try ProviderMetadata(
                    response, issuer: issuer, requirement: Self.requirement(kind), pattern: dialect.issuerPattern, now: now)
                await supplement(&metadata, beside: location, kind: kind)
                return Finding(metadata: metadata, clockLead: Timestamp(httpDate: response.header("Date") ?? "", now: now).map { $0 - now })
            } catch {
                guard error.kind.isAbsence || error.kind.isServerFailure else { throw busy ?? error.failure }
                // The first location is the one that the issuer should use, so its error is the most helpful.
                if index == 0 { failure = error.failure }
                if error.kind.isServerFailure { busy = busy ?? error.failure }
            }
        }
        throw busy ?? failure
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
    /// 8414 beside OpenID Connect Discovery). Ignores a document that is missing or belongs to another issuer.
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

extension OAuthError.Kind {
    /// Whether the document is missing, so that it may be at another location. Some servers answer every path with a web page.
    var isAbsence: Bool {
        switch self {
        case .notFound, .notJSON, .redirected, .unexpectedStatus: true
        default: false
        }
    }

    /// Whether the server is busy or has a fault.
    var isServerFailure: Bool { if case .serverFailure = self { true } else { false } }
}
