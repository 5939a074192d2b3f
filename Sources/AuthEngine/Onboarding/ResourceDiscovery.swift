public import AuthModel
public import OAuth

/// Asks a protected resource where its tokens come from (RFC 9728). No token is sent, and no person is involved.
public struct ResourceDiscovery: Sendable {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let policy: TransportPolicy

    /// - Parameter caFile: a PEM file with roots that count beside the system's.
    public init(transport: any HTTPTransport, time: any TimeSource, caFile: String? = nil) {
        self.transport = transport
        self.time = time
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        self.policy = policy
    }

    /// What a resource says of itself.
    public struct Finding: Equatable, Sendable {
        public let metadata: ResourceMetadata
        /// The challenge it answered with; `nil` where it asked for nothing.
        public let challenge: Challenge?

        /// The scopes to ask for: those of the challenge, else all that the resource knows (RFC 9728 section 5.1 puts the challenge first).
        public var scopes: [String] {
            let wanted = challenge?.scopes.values ?? []
            return wanted.isEmpty ? metadata.scopes ?? [] : wanted
        }
    }

    /// Calls `url` without a token and returns the challenge that it answers with; `nil` where it does not ask for a token.
    public func challenge(at url: WebURL) async throws(AuthFailure) -> Challenge? {
        let request = WebRequest(method: .get, url: url, headers: [("Accept", "application/json, text/event-stream")])
        let response = try await transport.send(request, policy: policy)
        guard response.status == 401 else { return nil }
        let challenges = response.tokenChallenges
        return challenges.first { $0["resource_metadata"] != nil } ?? challenges.first
    }

    /// The metadata of the resource at `url`: where the challenge says it is, else at the well-known places.
    ///
    /// Throws `.security` for metadata of another resource, and what the first place had to say where there is none.
    public func find(_ url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> Finding {
        var failure: AuthFailure?
        for location in ResourceMetadata.locations(of: url, challenge: challenge) {
            let response = try await transport.send(ResourceMetadata.request(location), policy: policy)
            do throws(OAuthError) {
                return Finding(metadata: try ResourceMetadata(response, at: location, now: time.now), challenge: challenge)
            } catch {
                guard error.kind == .notFound else { throw error.failure }
                failure = failure ?? error.failure
            }
        }
        throw failure
            ?? AuthFailure(
                .security, "\(url.origin.authority) says its metadata is at an address that must not be asked",
                hint: "it must be https; tell whoever runs \(url.origin.authority)")
    }
}
