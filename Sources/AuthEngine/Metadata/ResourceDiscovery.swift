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
        policy = TransportPolicy(caFile: caFile)
    }

    /// Calls `url` without a token, and returns the resource that its answer describes; see `answer(at:isResource:)` for the requests.
    public func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource {
        try await find(url, after: try await answer(at: url, isResource: true))
    }

    /// Returns the resource at an address that may be an issuer's: what demands a token, or publishes metadata of a resource; `nil` for
    /// anything else. Throws if it demands a token, and its metadata are invalid.
    package func resource(orIssuerAt url: WebURL) async throws(AuthFailure) -> DiscoveredResource? {
        // An error does not matter here: the address may be wrong, and then the failure of the issuer says more.
        guard let answer = try? await answer(at: url, isResource: false), answer.challenge != nil else {
            return try? await find(url, challenge: nil)
        }
        return try await find(url, after: answer)
    }

    private func find(_ url: WebURL, after answer: Answer) async throws(AuthFailure) -> DiscoveredResource {
        do throws(AuthFailure) {
            return try await find(url, challenge: answer.challenge)
        } catch {
            // A server that redirects may name itself by either address.
            guard answer.challenge != nil, answer.url != url, let found = try? await find(answer.url, challenge: answer.challenge) else {
                throw error
            }
            return found
        }
    }

    /// The challenge of an answer, `nil` if it does not ask for a token, and the URL that gave it: the one to which the server redirects
    /// within its origin, such as `/mcp/` for `/mcp`.
    private typealias Answer = (challenge: Challenge?, url: WebURL)

    /// Calls `url` without a token.
    ///
    /// If GET is wrong for the URL, asks as a client of the Model Context Protocol does: `initialize`, and `tools/list`, because some
    /// servers refuse only that; of a server without sessions, which does not know `initialize`, as the revision 2026-07-28 wants it.
    /// Neither changes anything.
    ///
    /// - Parameter isResource: whether the user says that it is a resource. Otherwise it may be an issuer, where nothing is at the URL
    ///   itself.
    private func answer(at url: WebURL, isResource: Bool) async throws(AuthFailure) -> Answer {
        let (response, place) = try await headTransport.sendFollowing(
            WebRequest(method: .get, url: url, headers: [Self.accept]), policy: policy)
        if let challenge = response.challengeOrBareRefusal { return (challenge, place) }
        let isStream = response.header("Content-Type")?.asciiLowercased().hasPrefix("text/event-stream") == true
        guard Self.refusesGet.contains(response.status) || isStream, isResource || response.status != 404 else { return (nil, place) }
        let (opened, url) = try await transport.sendFollowing(
            Self.post(Self.initialize, to: place, Self.fields(Self.initialize, version: Self.sessionVersion)), policy: policy)
        if let challenge = opened.challengeOrBareRefusal { return (challenge, url) }
        let type = opened.header("Content-Type")?.asciiLowercased() ?? ""
        guard type.hasPrefix("application/json") || type.hasPrefix("text/event-stream") else { return (nil, url) }
        let session = opened.header("Mcp-Session-Id").map { [(name: "Mcp-Session-Id", value: $0)] } ?? []
        let hasSession = (200...299).contains(opened.status)
        let list =
            hasSession
            ? Self.post(Self.toolsList, to: url, session)
            : Self.post(Self.statelessList, to: url, Self.fields(Self.statelessList, version: Self.statelessVersion))
        let listed = try? await transport.send(list, policy: policy)
        if !session.isEmpty {
            _ = try? await transport.send(WebRequest(method: .delete, url: url, headers: [Self.accept] + session), policy: policy)
        }
        return (listed?.challengeOrBareRefusal, url)
    }

    private var headTransport: any HTTPTransport {
        (transport as? any StreamingTransport).map { HeadTransport(inner: $0, time: time) } ?? transport
    }

    private static let accept = (name: "Accept", value: "application/json, text/event-stream")
    /// The statuses that say that GET is wrong for the URL.
    private static let refusesGet: Set = [400, 404, 405, 406, 415]

    private static func post(_ message: JSONValue, to url: WebURL, _ more: [(name: String, value: String)] = []) -> WebRequest {
        let type = (name: "Content-Type", value: "application/json")
        return WebRequest(method: .post, url: url, headers: [accept, type] + more, body: Array(message.text.utf8))
    }

    /// The first message of the Model Context Protocol.
    private static let initialize: JSONValue = [
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": [
            "protocolVersion": .string(sessionVersion), "capabilities": .object([]), "clientInfo": ["name": "yett", "version": "1"],
        ],
    ]

    private static let toolsList: JSONValue = ["jsonrpc": "2.0", "id": 2, "method": "tools/list"]

    private static let sessionVersion = "2025-06-18"
    private static let statelessVersion = "2026-07-28"

    private static func fields(_ message: JSONValue, version: String) -> [(name: String, value: String)] {
        [("MCP-Protocol-Version", version), ("Mcp-Method", message["method"]?.string ?? "")]
    }

    private static let statelessList: JSONValue = [
        "jsonrpc": "2.0", "id": 2, "method": "tools/list",
        "params": [
            "_meta": [
                "io.modelcontextprotocol/protocolVersion": .string(statelessVersion),
                "io.modelcontextprotocol/clientCapabilities": .object([]),
                "io.modelcontextprotocol/clientInfo": ["name": "yett", "version": "1"],
            ]
        ],
    ]

    /// Returns the metadata of the resource at `url`, from the location in the challenge, else from the well-known locations.
    ///
    /// If no location has valid metadata, throws the error of the first one: `.security` for metadata of another resource. A resource that
    /// asks for a token, and has no document at any location, or answers with a page or a refusal everywhere, is described as an MCP server
    /// of the revision 2025-03-26 (``OAuth/ResourceMetadata/init(assumedFor:)``).
    public func find(_ url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> DiscoveredResource {
        var failure: AuthFailure?
        // A document that the resource names at its own origin may be missing, too.
        let named = challenge?.resourceMetadata ?? []
        var isAbsent = challenge.map { $0["resource_metadata"] == nil || named.map(\.origin) == [url.origin] } ?? false
        for location in ResourceMetadata.locations(of: url, challenge: challenge) {
            let response = try await transport.sendFollowing(ResourceMetadata.request(location), policy: policy).response
            do throws(OAuthError) {
                return DiscoveredResource(
                    called: url, metadata: try ResourceMetadata(response, at: location, now: time.now), challenge: challenge)
            } catch {
                // Metadata at the next location must describe the called URL as well.
                failure = failure ?? error.failure
                if named.contains(location.url) ? error.kind != .notFound : !error.kind.isAbsence { isAbsent = false }
            }
        }
        if isAbsent, let assumed = ResourceMetadata(assumedFor: url) {
            return DiscoveredResource(called: url, metadata: assumed, challenge: challenge)
        }
        throw failure
            ?? AuthFailure(
                .security, UserMessage("resource.metadata_address_not_allowed", ["host": url.origin.authority]),
                hint: UserMessage("hint.metadata_must_use_https", ["host": url.origin.authority]))
    }
}

/// Reads no body: an MCP server may answer GET with a stream that stays open.
private struct HeadTransport: HTTPTransport {
    let inner: any StreamingTransport
    let time: any TimeSource

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        let (result, isCutOff) = await time.outcome(until: time.bootTime + policy.deadline) { () -> Result<WebResponse, AuthFailure> in
            do throws(AuthFailure) {
                let response = try await inner.open(request, policy: policy)
                response.body.close()
                return .success(response.head)
            } catch {
                return .failure(error)
            }
        }
        guard isCutOff, case .failure = result else { return try result.get() }
        let waited = UserMessage(
            "network.no_answer", ["host": request.url.origin.authority, "time": "\(policy.deadline.wholeSeconds) s"])
        throw AuthFailure(.unavailable(retryAfter: nil), waited, hint: "hint.try_again_or_check_network")
    }
}

extension WebResponse {
    /// The challenge of a 401, also of one without a challenge, as many MCP servers of 2025-03-26 send it, or with one that cannot be read.
    fileprivate var challengeOrBareRefusal: Challenge? {
        let asksForToken = header("WWW-Authenticate").map { $0.asciiLowercased().hasPrefix("bearer") } ?? true
        return unauthorizedChallenge ?? (status == 401 && asksForToken ? .bareBearer : nil)
    }
}

extension OAuthError.Kind {
    /// Whether the document is missing, so that it may be at another location. Some servers answer every path with a web page.
    fileprivate var isAbsence: Bool {
        switch self {
        case .notFound, .notJSON, .redirected, .unexpectedStatus: true
        default: false
        }
    }
}
