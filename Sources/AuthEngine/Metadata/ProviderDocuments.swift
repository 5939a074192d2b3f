internal import AuthModel
internal import OAuth

/// What a provider publishes: its metadata and its signing keys. Fetched when first needed, kept in memory and in the cache.
actor ProviderDocuments {
    private let configuration: ProviderConfiguration
    private let environment: EngineEnvironment
    private let cache: MetadataCache
    private var known: (metadata: ProviderMetadata, at: Duration)?
    private var keys: (set: KeySet, at: Duration)?

    init(configuration: ProviderConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.environment = environment
        cache = MetadataCache(directory: environment.cacheDirectory)
    }

    /// The provider's metadata, with the endpoints of the configuration in the place of published ones.
    ///
    /// - Parameter fresh: ask the provider, whatever is in the cache.
    func metadata(fresh: Bool = false) async throws(AuthFailure) -> ProviderMetadata {
        if !fresh, let known, isCurrent(known.at) { return known.metadata }
        guard let issuer = configuration.issuer else {
            return ProviderMetadata(configuration.endpoints)
        }
        var metadata = try await discover(issuer, fresh: fresh)
        // RFC 8705 section 5: these endpoints are for clients that present a certificate, and for no others.
        if configuration.settledAuthentication == .tls { metadata = metadata.forCertificates }
        metadata.override(with: configuration.endpoints)
        known = (metadata, environment.time.bootTime)
        return metadata
    }

    private func isCurrent(_ moment: Duration) -> Bool {
        environment.time.bootTime - moment < MetadataCache.lifetime
    }

    /// Goes through the places where the document may be. A document that is there but wrong ends the search: going on would be guessing.
    private func discover(_ issuer: Issuer, fresh: Bool) async throws(AuthFailure) -> ProviderMetadata {
        let hasEndpoints = configuration.endpoints.authorization != nil && configuration.endpoints.token != nil
        let requirement: ProviderMetadata.Requirement = configuration.kind == .oidc ? .openID : (hasEndpoints ? .nothing : .oauth)
        var failure: AuthFailure?
        for location in ProviderMetadata.locations(of: issuer, kind: configuration.kind) {
            do throws(Miss) {
                var metadata = try await document(location, issuer: issuer, requirement: requirement, fresh: fresh)
                await supplement(&metadata, from: location, issuer: issuer, fresh: fresh)
                return metadata
            } catch {
                switch error {
                case .elsewhere(let reason): failure = failure ?? reason
                case .final(let reason): throw reason
                }
            }
        }
        if hasEndpoints { return ProviderMetadata(configuration.endpoints, issuer: issuer) }
        throw failure ?? AuthFailure(.bug, "no place to look for the provider's metadata")
    }

    /// Some providers name revocation in their other document only (RFC 8414 beside OpenID Connect Discovery).
    private func supplement(_ metadata: inout ProviderMetadata, from location: WebURL, issuer: Issuer, fresh: Bool) async {
        guard metadata.revocationEndpoint == nil, configuration.endpoints.revocation == nil,
            let other = ProviderMetadata.locations(of: issuer, kind: .oauth2).first, other != location,
            let more = try? await document(other, issuer: issuer, requirement: .nothing, fresh: fresh)
        else { return }
        metadata.supplement(from: more)
    }

    /// What a failed look at one place means for the others.
    private enum Miss: Error {
        /// There is no such document here; it may be somewhere else.
        case elsewhere(AuthFailure)
        case final(AuthFailure)
    }

    private func document(
        _ location: WebURL, issuer: Issuer, requirement: ProviderMetadata.Requirement, fresh: Bool
    ) async throws(Miss) -> ProviderMetadata {
        if !fresh, let body = cache.body(for: location, now: environment.time.now) {
            // An empty body notes that there was none.
            if body.isEmpty { throw .elsewhere(OAuthError(.discovery, .notFound, host: issuer.url.origin.authority).failure) }
            let response = WebResponse(status: 200, body: body)
            if let metadata = try? ProviderMetadata(response, issuer: issuer, requirement: requirement, now: environment.time.now) {
                return metadata
            }
        }
        let response: WebResponse
        do { response = try await send(ProviderMetadata.request(location)) } catch { throw .final(error) }
        do {
            let metadata = try ProviderMetadata(response, issuer: issuer, requirement: requirement, now: environment.time.now)
            cache.keep(response.body, for: location)
            return metadata
        } catch {
            switch error.kind {
            case .notFound, .notJSON, .redirected:
                cache.keep([], for: location)
                throw .elsewhere(error.failure)
            default: throw .final(error.failure)
            }
        }
    }

    /// The issuer's keys. `isFresh` says whether they were fetched for this call.
    ///
    /// - Parameter fresh: ask the provider, whatever is in the cache.
    func keys(_ metadata: ProviderMetadata, fresh: Bool) async throws(AuthFailure) -> (keys: KeySet, isFresh: Bool) {
        if !fresh, let keys, isCurrent(keys.at) { return (keys.set, false) }
        guard let location = metadata.keysEndpoint else {
            throw OAuthError(.signingKeys, .noEndpoint("jwks_uri"), host: metadata.issuer?.url.origin.authority).failure
        }
        let host = location.origin.authority
        if !fresh, let body = cache.body(for: location, now: environment.time.now),
            let set = try? KeySet(WebResponse(status: 200, body: body), host: host, now: environment.time.now)
        {
            keys = (set, environment.time.bootTime)
            return (set, false)
        }
        let request: WebRequest
        do { request = try KeySet.request(metadata) } catch { throw error.failure }
        let response = try await send(request)
        do {
            let set = try KeySet(response, host: host, now: environment.time.now)
            cache.keep(response.body, for: location)
            keys = (set, environment.time.bootTime)
            return (set, true)
        } catch {
            throw error.failure
        }
    }

    private func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        return try await environment.transport.send(request, policy: policy)
    }
}
