package import AuthModel
package import OAuth

/// A provider's published documents: its metadata and its signing keys. They are fetched on first use, and kept in memory and in the cache.
package actor ProviderDocuments {
    private let configuration: ProviderConfiguration
    private let environment: EngineEnvironment
    private let cache: MetadataCache
    /// The metadata, and the boot time until which it is current.
    private var known: (metadata: ProviderMetadata, until: Duration)?
    /// The document that the metadata is from.
    package private(set) var source: Source?

    /// A published document, and when it was fetched.
    package struct Source: Sendable {
        fileprivate let location: WebURL
        fileprivate let fetchedAt: Timestamp
    }
    /// The locations where this process has found a document.
    private var foundLocations: Set<String> = []
    private var keys: (set: KeySet, at: Duration)?
    /// The last early fetch of the keys, before their lifetime was over.
    private var earlyFetch: (at: Duration, task: Task<Result<KeySet, AuthFailure>, Never>)?

    /// The time for which missing metadata counts as missing, for a provider with configured endpoints.
    private static let absenceLifetime: Duration = .seconds(60)
    /// The minimum time between two early fetches of the keys, for all callers together; shorter after a fetch that failed.
    private static let earlyFetchPause: Duration = .seconds(60)
    private static let failedEarlyFetchPause: Duration = .seconds(5)

    /// The required contents of the metadata, if the kind requires more than a sign-in reads.
    private let requirement: ProviderMetadata.Requirement?

    package init(configuration: ProviderConfiguration, environment: EngineEnvironment, requirement: ProviderMetadata.Requirement? = nil) {
        self.configuration = configuration
        self.environment = environment
        cache = MetadataCache(directory: environment.cacheDirectory, caFile: configuration.caFile)
        self.requirement = requirement
    }

    /// Returns the provider's metadata. Configured endpoints replace published ones.
    ///
    /// - Parameter fresh: whether to ask the provider even if the cache has the metadata.
    package func metadata(fresh: Bool = false) async throws(AuthFailure) -> ProviderMetadata {
        if !fresh, let known, environment.time.bootTime < known.until { return known.metadata }
        guard let issuer = configuration.issuer else {
            return ProviderMetadata(configuration.endpoints)
        }
        let published = try await discover(issuer, fresh: fresh)
        var metadata = published ?? ProviderMetadata(configuration.endpoints, issuer: issuer)
        // RFC 8705 section 5: these endpoints are only for clients that present a certificate.
        if configuration.resolvedAuthentication == .tls { metadata = metadata.forCertificateClients }
        metadata.override(with: configuration.endpoints)
        known = (metadata, environment.time.bootTime + (published == nil ? Self.absenceLifetime : MetadataCache.lifetime))
        return metadata
    }

    /// Asks the provider for its metadata again if the known metadata was fetched before `moment`. A cached document says nothing about
    /// whether the provider answers now.
    package func confirm(since moment: Timestamp) async throws(AuthFailure) {
        guard let source, source.fetchedAt < moment else { return }
        _ = try await metadata(fresh: true)
    }

    private func isCurrent(_ moment: Duration) -> Bool {
        environment.time.bootTime - moment < MetadataCache.lifetime
    }

    /// Returns the metadata from the first location that has any, as ``MetadataSearch`` finds it; `nil` if there is no document and the
    /// configuration has the endpoints.
    private func discover(_ issuer: Issuer, fresh: Bool) async throws(AuthFailure) -> ProviderMetadata? {
        let hasEndpoints = configuration.endpoints.authorization != nil && configuration.endpoints.token != nil
        let requirement = requirement ?? (configuration.kind == .oidc ? .openID : (hasEndpoints ? .nothing : .oauth))
        var search = MetadataSearch(issuer, kind: configuration.kind, dialect: configuration.dialect)
        while let location = search.nextLocation() {
            do throws(MetadataSearch.Failure) {
                var metadata = try await document(location, issuer: issuer, requirement: requirement, fresh: fresh)
                // The document is at a later location: note that the earlier ones have none, so that not every sign-in asks them.
                for place in search.absent { cache.store([], of: .metadata, for: place) }
                await supplement(&metadata, from: location, issuer: issuer, fresh: fresh)
                return metadata
            } catch {
                try search.record(error, at: location)
            }
        }
        if hasEndpoints, search.busy == nil { return nil }
        throw search.failure
    }

    /// Reads the revocation endpoint from the provider's other document, because some providers publish it only there (RFC 8414 beside
    /// OpenID Connect Discovery). A sign-in needs no other endpoint that such a document may have, and waits for no more than it needs.
    private func supplement(_ metadata: inout ProviderMetadata, from location: WebURL, issuer: Issuer, fresh: Bool) async {
        guard configuration.dialect.discovery == nil, metadata.revocationEndpoint == nil, configuration.endpoints.revocation == nil,
            let other = ProviderMetadata.locations(of: issuer, kind: .oauth2).first, other != location
        else { return }
        do throws(MetadataSearch.Failure) {
            metadata.supplement(from: try await document(other, issuer: issuer, requirement: .nothing, fresh: fresh))
        } catch {
            if case .elsewhere(_, isAbsent: true) = error { cache.store([], of: .metadata, for: other) }
        }
    }

    private func document(
        _ location: WebURL, issuer: Issuer, requirement: ProviderMetadata.Requirement, fresh: Bool
    ) async throws(MetadataSearch.Failure) -> ProviderMetadata {
        if !fresh, let (body, moment) = cache.current(.metadata, location, now: environment.time.now) {
            // An empty body records that there was no document. It expires as a document does.
            if body.isEmpty {
                throw .elsewhere(OAuthError(.discovery, .notFound, host: issuer.url.origin.authority).failure, isAbsent: false)
            }
            let response = WebResponse(status: 200, body: body)
            if let metadata = try? read(response, issuer: issuer, requirement: requirement) {
                recordSource(location, requirement, moment)
                return metadata
            }
        }
        let response: WebResponse
        do { response = try await send(ProviderMetadata.request(location)) } catch { throw .final(error) }
        do {
            let metadata = try read(response, issuer: issuer, requirement: requirement)
            cache.store(response.body, of: .metadata, for: location)
            recordSource(location, requirement, environment.time.now)
            return metadata
        } catch {
            // A document that existed before may still apply: continuing without it would drop the protections that it announced.
            guard !foundLocations.contains(location.text), !cache.hadDocumentRecently(location, now: environment.time.now) else {
                throw .final(error.failure)
            }
            throw MetadataSearch.Failure(error)
        }
    }

    private func read(
        _ response: WebResponse, issuer: Issuer, requirement: ProviderMetadata.Requirement
    ) throws(OAuthError) -> ProviderMetadata {
        try ProviderMetadata(
            response, issuer: issuer, requirement: requirement, pattern: configuration.dialect.issuerPattern, now: environment.time.now)
    }

    private func recordSource(_ location: WebURL, _ requirement: ProviderMetadata.Requirement, _ moment: Timestamp) {
        foundLocations.insert(location.text)
        // The document that only supplements another one requires nothing.
        if requirement != .nothing || source == nil { source = Source(location: location, fetchedAt: moment) }
    }

    /// Returns the failure of a request to the provider. If nothing answered, and the endpoint's URL is from a document that was fetched
    /// earlier, the message names the document, because it may be out of date.
    ///
    /// - Parameter source: the document that the request used.
    package func naming(_ failure: AuthFailure, from source: Source?) -> AuthFailure {
        guard failure.isTransient, let source else { return failure }
        let minutes = (environment.time.now - source.fetchedAt).wholeSeconds / 60
        guard minutes >= 1 else { return failure }
        var named = failure
        named.message = failure.message.followed(
            by: UserMessage("metadata.used_from_cache", ["url": source.location, "minutes": minutes]))
        return named
    }

    /// Returns the issuer's keys. `isFresh` says whether they were fetched for this call.
    package func keys(_ metadata: ProviderMetadata) async throws(AuthFailure) -> (keys: KeySet, isFresh: Bool) {
        if let keys, isCurrent(keys.at) { return (keys.set, false) }
        if let location = metadata.keysEndpoint, let body = cache.body(of: .keys, for: location, now: environment.time.now),
            let set = try? KeySet(WebResponse(status: 200, body: body), from: location, now: environment.time.now)
        {
            keys = (set, environment.time.bootTime)
            return (set, false)
        }
        return (try await fetchedKeys(metadata), true)
    }

    /// Fetches the issuer's keys again because none of the known keys fits a token's signature. Anyone can make such a token, so the issuer
    /// is not asked for each one: `isFresh` is false if a recent fetch for another token is reused.
    package func newKeys(_ metadata: ProviderMetadata) async throws(AuthFailure) -> (keys: KeySet, isFresh: Bool) {
        let now = environment.time.bootTime
        if let earlyFetch, now - earlyFetch.at < Self.earlyFetchPause {
            switch await earlyFetch.task.value {
            case .success(let set): return (keys?.set ?? set, false)
            case .failure(let failure) where now - earlyFetch.at < Self.failedEarlyFetchPause: throw failure
            default: break
            }
        }
        let task = Task { () async -> Result<KeySet, AuthFailure> in
            do throws(AuthFailure) { return .success(try await fetchedKeys(metadata)) } catch { return .failure(error) }
        }
        earlyFetch = (now, task)
        return (try await task.value.get(), true)
    }

    private func fetchedKeys(_ metadata: ProviderMetadata) async throws(AuthFailure) -> KeySet {
        let request: WebRequest
        do { request = try KeySet.request(metadata) } catch { throw error.failure }
        let response = try await send(request)
        do {
            let set = try KeySet(response, from: request.url, now: environment.time.now)
            cache.store(response.body, of: .keys, for: request.url)
            keys = (set, environment.time.bootTime)
            return set
        } catch {
            throw error.failure
        }
    }

    private func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.sendFollowing(request, policy: TransportPolicy(caFile: configuration.caFile)).response
    }
}

extension ProviderConfiguration {
    /// The client authentication method. `auto` is resolved by which files are configured; without any, the secret and the metadata decide
    /// it later.
    package var resolvedAuthentication: ClientAuthentication {
        guard clientAuthentication == .auto else { return clientAuthentication }
        if clientCertificateFile != nil { return .tls }
        return clientKeyFile == nil ? .auto : .privateKeyJWT
    }
}
