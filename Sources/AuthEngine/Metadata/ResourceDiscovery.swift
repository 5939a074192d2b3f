public import AuthModel
public import OAuth

/// Asks a protected resource which authorization server issues its tokens (RFC 9728). It sends no token and involves no user.
public struct ResourceDiscovery: Sendable {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let policy: TransportPolicy

    /// Creates a discovery.
    ///
    /// - Parameter caFile: a PEM file with root certificates that are trusted in addition to the system's.
    public init(transport: any HTTPTransport, time: any TimeSource, caFile: String? = nil) {
        self.transport = transport
        self.time = time
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        self.policy = policy
    }

    /// Calls `url` without a token, and returns the resource that its answer describes.
    ///
    /// Some resources, such as MCP servers, require a token for POST only. If neither the answer to GET nor a well-known location has
    /// metadata, the POST is MCP's `initialize`, which changes nothing: only for a URL that the user calls a protected resource.
    public func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource {
        let response = try await transport.send(WebRequest(method: .get, url: url, headers: [Self.accept]), policy: policy)
        let challenge = Self.challenge(in: response)
        do throws(AuthFailure) {
            return try await find(url, challenge: challenge)
        } catch {
            guard challenge == nil, Self.refusesGet.contains(response.status) else { throw error }
            let post = WebRequest(
                method: .post, url: url, headers: [Self.accept, ("Content-Type", "application/json")],
                body: Array(Self.initialize.text.utf8))
            guard let challenge = Self.challenge(in: try await transport.send(post, policy: policy)) else { throw error }
            return try await find(url, challenge: challenge)
        }
    }

    /// Calls `url` without a token and returns the challenge of its answer; `nil` if it does not ask for a token.
    public func challenge(at url: WebURL) async throws(AuthFailure) -> Challenge? {
        Self.challenge(in: try await transport.send(WebRequest(method: .get, url: url, headers: [Self.accept]), policy: policy))
    }

    private static let accept = (name: "Accept", value: "application/json, text/event-stream")
    /// The statuses that say that GET is wrong for the URL.
    private static let refusesGet: Set = [400, 404, 405, 406, 415]

    private static func challenge(in response: WebResponse) -> Challenge? {
        guard response.status == 401 else { return nil }
        let challenges = response.tokenChallenges
        return challenges.first { $0["resource_metadata"] != nil } ?? challenges.first
    }

    /// The first message of the Model Context Protocol.
    private static let initialize: JSONValue = [
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": [
            "protocolVersion": "2025-06-18", "capabilities": .object([]), "clientInfo": ["name": "yett", "version": "1"],
        ],
    ]

    /// Returns the metadata of the resource at `url`, from the location in the challenge, else from the well-known locations.
    ///
    /// If no location has valid metadata, throws the error of the first one: `.security` for metadata of another resource.
    public func find(_ url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> DiscoveredResource {
        var failure: AuthFailure?
        for location in ResourceMetadata.locations(of: url, challenge: challenge) {
            let response = try await transport.send(ResourceMetadata.request(location), policy: policy)
            do throws(OAuthError) {
                return DiscoveredResource(
                    called: url, metadata: try ResourceMetadata(response, at: location, now: time.now), challenge: challenge)
            } catch {
                // Metadata at the next location must describe the called URL as well.
                failure = failure ?? error.failure
            }
        }
        throw failure
            ?? AuthFailure(
                .security, UserMessage("resource.metadata_address_not_allowed", ["host": url.origin.authority]),
                hint: UserMessage("hint.metadata_must_use_https", ["host": url.origin.authority]))
    }
}
