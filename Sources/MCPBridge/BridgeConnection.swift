internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Sends one HTTP request with a credential, and recovers from refusals and redirects.
///
/// Every recovery is taken at most once, and only after an answer with which the server says that it did not carry the request out.
struct BridgeConnection: Sendable {
    let transport: any StreamingTransport
    let credentials: any BridgeCredentials
    let policy: TransportPolicy
    let time: any TimeSource

    /// The maximum size of an answer that is read as a whole, in bytes.
    private static let answerLimit = 64 << 20
    /// How long a server may be silent before the header of a response, in a whole response, and between two pieces of a stream that has
    /// an answer. As long as clients wait that speak HTTP themselves.
    static let idleLimit = Duration.seconds(300)
    private static let refusalLimit = 1 << 20
    private static let redirectLimit = 5

    /// Returns the response with any status but those of a refusal and a redirect.
    ///
    /// - Parameter isClients: whether a request of the client waits for the response. Only then may a refusal renew the session or open a
    ///   browser: what the server starts, such as another attempt of its stream, must not.
    func response(to request: WebRequest, isClients: Bool) async throws(AuthFailure) -> StreamedResponse {
        var request = request
        var refused: Secret?
        var hasNonce = false
        var hasSignedIn = false
        var hasSteppedUp = false
        var redirects = 0
        while true {
            let authorized: (request: WebRequest, token: Secret?)
            do throws(AuthFailure) {
                authorized = try await credentials.authorized(request, refused: refused)
            } catch  where isClients && [.notSignedIn, .signInAgain].contains(error.kind) && !hasSignedIn {
                hasSignedIn = true
                try await credentials.signIn(because: error, isRefusal: refused != nil)
                refused = nil
                continue
            }
            let response = try await open(authorized.request)
            switch response.status {
            case 401, 403:
                let answer = try await answer(response, limit: Self.refusalLimit)
                if !hasNonce, await credentials.hasNewNonce(after: answer, to: authorized.request) {
                    hasNonce = true
                } else if !isClients {
                    throw await credentials.refusal(answer)
                } else if !hasSteppedUp, try await credentials.stepUp(after: answer, to: authorized.token) {
                    hasSteppedUp = true
                    refused = nil
                } else if answer.status == 401, let token = authorized.token, refused == nil, !hasSignedIn {
                    refused = token
                } else if answer.status == 401, !hasSignedIn {
                    hasSignedIn = true
                    try await credentials.signIn(because: await credentials.refusal(answer), isRefusal: true)
                    refused = nil
                } else {
                    throw await credentials.refusal(answer)
                }
            case 301, 302, 303, 307, 308:
                redirects += 1
                guard redirects <= Self.redirectLimit else { throw request.redirectLoop }
                let location = response.header("Location")
                let next = try request.redirect(status: response.status, location: location, repeatsBody: true)
                guard let next else { return response }
                request.url = next
            default: return response
            }
        }
    }

    /// Returns a response with its whole body.
    func answer(_ response: StreamedResponse, limit: Int = Self.answerLimit) async throws(AuthFailure) -> WebResponse {
        let watch = IdleWatch(response.body, time)
        defer { watch.stop() }
        return try await response.collected(limit: limit)
    }

    /// Sends a request once, and waits for the header of the response.
    private func open(_ request: WebRequest) async throws(AuthFailure) -> StreamedResponse {
        let opening = Task { () async -> Result<StreamedResponse, AuthFailure> in
            do throws(AuthFailure) { return .success(try await transport.open(request, policy: policy)) } catch { return .failure(error) }
        }
        let deadline = time.bootTime + Self.idleLimit
        let timer = Task {
            if (try? await time.sleep(until: deadline)) != nil { opening.cancel() }
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await opening.value
        } onCancel: {
            opening.cancel()
        }
        if case .failure(let failure) = result, failure.kind == .cancelled, !Task.isCancelled {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("mcp.silent_server", ["host": request.url.origin.authority, "minutes": Self.idleLimit.components.seconds / 60]))
        }
        return try result.get()
    }
}

extension StreamedResponse {
    /// The media type in lower case, without parameters.
    var mediaType: String {
        let field = header("Content-Type") ?? ""
        return field.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" }.joined().asciiLowercased()
    }
}
