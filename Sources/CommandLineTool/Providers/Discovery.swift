internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Asks a provider for its metadata, as a check: nothing is kept, and no person is involved.
struct Discovery {
    let transport: any HTTPTransport
    let time: any TimeSource
    /// Roots that count beside the system's.
    var caFile: String?

    /// What a provider says of itself.
    struct Finding: Equatable, Sendable {
        var metadata: ProviderMetadata
        /// How far the provider's clock is ahead of ours; `nil` where it does not say.
        var clockLead: Duration?
    }

    /// The metadata of `issuer`, from the first place that has any.
    ///
    /// Throws what the last place had to say; a document of another issuer ends the search at once.
    func find(_ issuer: Issuer, kind: ProviderKind) async throws(AuthFailure) -> Finding {
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        var failure = AuthFailure(
            .unavailable(retryAfter: nil), "\(issuer.url.origin.host) publishes no metadata", hint: "check the issuer's address")
        for (index, location) in ProviderMetadata.locations(of: issuer, kind: kind).enumerated() {
            let response = try await transport.send(ProviderMetadata.request(location), policy: policy)
            let now = time.now
            do throws(OAuthError) {
                var metadata = try ProviderMetadata(response, issuer: issuer, requirement: kind == .oidc ? .openID : .oauth, now: now)
                await supplement(&metadata, beside: location, kind: kind, policy: policy)
                return Finding(metadata: metadata, clockLead: Timestamp(httpDate: response.header("Date") ?? "", now: now).map { $0 - now })
            } catch {
                guard error.kind.isAbsence else { throw error.failure }
                // The first place is the one the issuer ought to use, so its reason is the one worth telling.
                if index == 0 { failure = error.failure }
            }
        }
        throw failure
    }

    /// Some providers name registration, revocation and introspection in their other document only (RFC 8414 beside OpenID Connect
    /// Discovery). One that is not there, or of another issuer, gives nothing.
    private func supplement(
        _ metadata: inout ProviderMetadata, beside location: WebURL, kind: ProviderKind, policy: TransportPolicy
    ) async {
        guard metadata.lacksExtensions, let issuer = metadata.issuer,
            let other = ProviderMetadata.locations(of: issuer, kind: kind == .oauth2 ? .oidc : .oauth2).first, other != location,
            let response = try? await transport.send(ProviderMetadata.request(other), policy: policy),
            let more = try? ProviderMetadata(response, issuer: issuer, requirement: .nothing, now: time.now)
        else { return }
        metadata.supplement(from: more)
    }
}

extension OAuthError.Kind {
    /// Whether the document is not there, so that it may be elsewhere. Some servers answer every path with a web page.
    fileprivate var isAbsence: Bool {
        switch self {
        case .notFound, .notJSON, .redirected, .unexpectedStatus: true
        default: false
        }
    }
}
