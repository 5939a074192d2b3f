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
        /// The address that was called.
        public let called: WebURL
        public let metadata: ResourceMetadata
        /// The challenge it answered with; `nil` where it asked for nothing.
        public let challenge: Challenge?

        /// The scopes to ask for: those of the challenge, else all that the resource knows (RFC 9728 section 5.1 puts the challenge first).
        public var scopes: [String] {
            let wanted = challenge?.scopes.values ?? []
            return wanted.isEmpty ? metadata.scopes ?? [] : wanted
        }
    }

    /// When a POST follows a GET that was not asked for a token.
    public enum Posting: Sendable {
        /// Only where the answer says that a GET is wrong there: for an address that may be anything.
        case whereGetIsWrong
        /// For an address that the user calls a protected resource.
        case always
    }

    /// Calls `url` without a token and returns the challenge that it answers with; `nil` where it does not ask for a token.
    ///
    /// Some resources, MCP servers among them, guard only what they are posted. The POST is MCP's `initialize`, which changes nothing.
    public func challenge(at url: WebURL, posting: Posting = .whereGetIsWrong) async throws(AuthFailure) -> Challenge? {
        let accept = (name: "Accept", value: "application/json, text/event-stream")
        let response = try await transport.send(WebRequest(method: .get, url: url, headers: [accept]), policy: policy)
        if let challenge = Self.challenge(in: response) { return challenge }
        guard posting == .always || [400, 404, 405, 406, 415].contains(response.status) else { return nil }
        let post = WebRequest(
            method: .post, url: url, headers: [accept, ("Content-Type", "application/json")], body: Array(Self.initialize.text.utf8))
        return Self.challenge(in: try await transport.send(post, policy: policy))
    }

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

    /// The metadata of the resource at `url`: where the challenge says it is, else at the well-known places.
    ///
    /// Throws what the first place had to say where no place has any: `.security` for metadata of another resource.
    public func find(_ url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> Finding {
        var failure: AuthFailure?
        for location in ResourceMetadata.locations(of: url, challenge: challenge) {
            let response = try await transport.send(ResourceMetadata.request(location), policy: policy)
            do throws(OAuthError) {
                return Finding(called: url, metadata: try ResourceMetadata(response, at: location, now: time.now), challenge: challenge)
            } catch {
                // What stands elsewhere is held to the address that was called all the same.
                failure = failure ?? error.failure
            }
        }
        throw failure
            ?? AuthFailure(
                .security, "\(url.origin.authority) says its metadata is at an address that must not be asked",
                hint: "it must be https; tell whoever runs \(url.origin.authority)")
    }
}
