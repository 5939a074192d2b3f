internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceClient
internal import Synchronization

/// Sends requests to the resources of one provider: with a token only to the URL that the engine issued it for, otherwise without
/// credentials.
struct ResourceTransport {
    let provider: ProviderConfiguration
    let transfer: RequestTransfer
    let context: CommandContext

    /// Sends a request that carries a token, with the client's certificate if one is configured (RFC 8705 section 3).
    ///
    /// - Parameters:
    ///   - issued: the token, with the URL that it was issued for.
    ///   - login: the credentials for a web server in front of the resource.
    /// - Throws: `.security` if the request goes to another URL than the token was issued for.
    func send(_ request: WebRequest, with issued: IssuedToken, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse {
        // The description leaves the query out: a kind may add to the query, and the query does not change the destination.
        guard let issuedFor = issued.resource, issuedFor.description == request.url.description else {
            throw AuthFailure(
                .security, text: "the token of \(issued.session) was not issued for \(request.url.origin.authority)",
                hint: "nothing was sent")
        }
        return try await send(request, login: login, trusting: issued.certificate, presentingCertificate: true)
    }

    /// Sends a request without a token.
    ///
    /// - Parameter login: the credentials for a web server in front of the resource.
    func sendAnonymously(_ request: WebRequest, login: WebServerLogin?) async throws(AuthFailure) -> WebResponse {
        let shown = provider.resourceDialect.credentialFields
        guard !request.headers.contains(where: { shown.contains($0.name.asciiLowercased()) }) else {
            throw AuthFailure(.bug, text: "a request that must have no token has one")
        }
        return try await send(
            request, login: login, trusting: nil, presentingCertificate: CredentialGate(provider).namesOrigin(of: request.url))
    }

    /// Whether a redirect may be followed: it is no way to refuse the token.
    func isFollowable(_ response: WebResponse) -> Bool { provider.resourceDialect.verdict(on: response) == .accepted }

    /// Returns the response that a download leads to if the resource redirects it to another host; otherwise `answer` itself. No credential
    /// is sent there: a storage service refuses a request that has one besides the signature in its address.
    ///
    /// The resource's host is left once. Further redirects are followed within the other one.
    func following(_ answer: ResourceResponse, to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var redirecting = request
        redirecting.url = answer.url
        guard transfer.isWithoutBody, isFollowable(answer.response),
            var download = redirecting.download(status: answer.response.status, location: answer.response.header("Location"))
        else { return answer }
        context.console.note(
            "\(answer.url.origin.authority) redirects the download to \(download.url.origin.authority), which gets no token")
        let policy = TransportPolicy(deadline: .seconds(60), bodyLimit: RequestTransfer.memoryLimit, caFile: provider.caFile)
        var redirects = Redirects(returnsOthers: true)
        while true {
            let response = try await transfer.receive(try await context.edges.transport.open(download, policy: policy), isJudged: false)
            let next = try redirects.target(of: download, status: response.status, location: response.header("Location"))
            guard let next else { return ResourceResponse(url: download.url, response: response, isAnonymous: true, isElsewhere: true) }
            download.url = next
        }
    }

    private func send(
        _ request: WebRequest, login: WebServerLogin?, trusting certificate: ServerCertificate?, presentingCertificate: Bool
    ) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy(resourcesOf: provider, deadline: .seconds(60), bodyLimit: RequestTransfer.memoryLimit)
        if !presentingCertificate { policy.clientCertificate = nil }
        policy.webServerLogin = login
        policy.allowedCertificate = certificate
        // With a login, libcurl itself sends the request again after a refusal; only a whole response is then the last one.
        guard login == nil else {
            try transfer.requireBodyInMemory(for: request.url)
            return try await context.edges.transport.send(request, policy: policy)
        }
        let response = try await context.edges.transport.open(request, policy: policy, upload: transfer.upload(), isRaw: false)
        let isJudged = provider.resourceDialect.judgesBodies
        let answer = try await transfer.receive(response, isJudged: isJudged)
        // A refusal may have any status there.
        return isJudged ? answer.keeping(SecretRedactor(of: request)) : answer
    }
}

extension CommandContext {
    /// Returns the scopes in a resource's metadata (RFC 9728 section 2); empty if it has none, or they cannot be read.
    func scopes(of resource: WebURL, after challenge: Challenge, caFile: String?) async -> [String] {
        let discovery = ResourceDiscovery(transport: edges.transport, time: edges.time, caFile: caFile)
        return (try? await discovery.find(resource, challenge: challenge).metadata.scopes) ?? []
    }
}

/// The bodies of one request. Sends the request's body, again if it can be read again, and receives the response's, in pieces if the
/// command passes it on.
final class RequestTransfer: Sendable {
    private struct State {
        var isSent = false
        var upload: Task<Void, Never>?
        var rest: ResponseBody?
    }

    private let source: RequestSource
    private let passesOn: Bool
    private let state = Mutex(State())

    /// The largest body of a response that is kept in memory, in bytes.
    static let memoryLimit = 64 << 20

    /// Creates a transfer.
    ///
    /// - Parameter passesOn: whether the body of a successful response is passed on in pieces; otherwise it is kept in memory.
    init(_ source: RequestSource, passesOn: Bool) {
        self.source = source
        self.passesOn = passesOn
    }

    deinit { state.withLock { $0.upload }?.cancel() }

    /// Whether the request has no body.
    var isWithoutBody: Bool { if case .bytes(let bytes) = source { bytes.isEmpty } else { false } }

    /// Whether the request can be sent once more.
    var mayRepeat: Bool {
        if case .input = source { return !state.withLock { $0.isSent } }
        return true
    }

    /// Throws if the request itself does not have the body.
    func requireBodyInMemory(for url: WebURL) throws(AuthFailure) {
        if case .bytes = source { return }
        throw AuthFailure(
            .configuration,
            text: "the web server in front of \(url.origin.authority) asks for a password, which allows bodies of up to 1 MiB",
            hint: "send a smaller body")
    }

    /// Begins to send the body; `nil` if the request itself has it. Throws for a body that was sent and cannot be read again.
    func upload() throws(AuthFailure) -> RequestBody? {
        if case .bytes = source { return nil }
        guard mayRepeat else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), text: "the body came from standard input and cannot be sent again",
                hint: "run the command again: the session is now as the server wants it")
        }
        let body = RequestBody(size: source.size)
        state.withLock { state in
            state.isSent = true
            state.upload?.cancel()
            state.upload = Task { [source] in await source.write(to: body) }
        }
        return body
    }

    /// Returns the response with its body, or with the beginning of a body that is passed on.
    ///
    /// - Parameter isJudged: whether the beginning of the body says whether the token was accepted.
    func receive(_ response: StreamedResponse, isJudged: Bool) async throws(AuthFailure) -> WebResponse {
        // Of an earlier response that was not the final one.
        state.withLock { $0.rest = nil }
        guard passesOn, (200...299).contains(response.status) else { return try await response.collected(limit: Self.memoryLimit) }
        var beginning = BodyBeginning(of: response)
        while isJudged, beginning.mayBeRefusal {
            guard let piece = try await response.body.next() else {
                return WebResponse(status: response.status, headers: response.headers, body: beginning.bytes)
            }
            beginning.append(piece)
        }
        state.withLock { $0.rest = response.body }
        return WebResponse(status: response.status, headers: response.headers, body: beginning.bytes)
    }

    /// Returns what follows the body of the final response; `nil` if it is complete.
    func takeRest() -> ResponseBody? {
        state.withLock { state in
            defer { state.rest = nil }
            return state.rest
        }
    }
}

/// The beginning of a body, which is kept while it may be a refusal: one short JSON object. Everything else is passed on as it comes.
struct BodyBeginning {
    private(set) var bytes: [UInt8] = []
    /// Whether more must be read to know whether the body is a refusal.
    private(set) var mayBeRefusal: Bool
    private var first: UInt8?
    private var hasLine = false

    private static let limit = 64 << 10
    /// The media types of refusals, besides those that end with `+json`. Some services send JSON as plain text.
    private static let types: Set<Substring> = ["", "application/json", "text/json", "text/plain"]

    /// Creates the beginning of a response's body.
    init(of response: StreamedResponse) {
        let type = (response.header("Content-Type") ?? "").asciiLowercased().prefix { $0 != ";" && $0 != " " }
        let isDocument = Self.types.contains(type) || type.hasSuffix("+json") && !type.contains("stream")
        mayBeRefusal = isDocument && response.header("Content-Length").flatMap { Int($0) } ?? 0 <= Self.limit
    }

    /// Adds what follows.
    mutating func append(_ piece: [UInt8]) {
        let start = first == nil ? piece.firstIndex { $0 > 0x20 } : piece.startIndex
        first = first ?? start.map { piece[$0] }
        let end = hasLine ? nil : start.flatMap { piece[$0...].firstIndex(of: UInt8(ascii: "\n")) }.map { bytes.count + $0 }
        bytes += piece
        mayBeRefusal = bytes.count <= Self.limit && (first == nil || first == UInt8(ascii: "{"))
        guard mayBeRefusal, let end else { return }
        // A stream of objects has each in a line. A refusal in one line is complete.
        hasLine = true
        if (try? JSONValue(strict: bytes[..<end])) != nil { mayBeRefusal = false }
    }
}
