public import AuthModel

/// The polling schedule of a device authorization (RFC 8628 section 3.5).
///
/// A state machine without a clock: each event returns the ``Action`` to perform next. Times are those of
/// ``AuthModel/TimeSource/bootTime``, so that sleep does not extend the provider's deadline.
///
/// - `authorization_pending`: wait for the interval, then poll again.
/// - `slow_down`: the interval grows by five seconds for this and all later polls.
/// - No response, an overloaded server (408, 429, 5xx), or a web page instead of a response: the wait doubles each time and is at least the
///   interval and the `Retry-After` time. The next valid response resets it.
/// - An unreadable 400 or 401: the same, but twice in a row is final.
/// - Any other error, and the expiry of the code, ends the polling. The user decides whether to start again.
public struct DevicePolling: Equatable, Sendable {
    /// The next action.
    public enum Action: Equatable, Sendable {
        /// Wait until this time, then send ``TokenEndpoint/poll(_:at:client:)``.
        case poll(at: Duration)
        /// Stop polling, with tokens or an error.
        case finish(Result<TokenSet, OAuthError>)
    }

    /// The device authorization.
    public let authorization: DeviceAuthorization
    /// The current minimum time between two polls.
    public private(set) var interval: Duration
    /// When the codes expire.
    public let deadline: Duration
    /// The number of consecutive failed polls.
    private var failures = 0
    private var lastResponseWasUnreadable = false

    /// The limit of the back-off, so that a code that the user has confirmed does not expire while waiting.
    static let longestBackOff: Duration = .seconds(60)
    /// The increase of the interval after `slow_down` (RFC 8628 section 3.5).
    static let slowDownStep: Duration = .seconds(5)

    /// Creates the schedule.
    ///
    /// - Parameter now: when the response with the codes arrived.
    public init(_ authorization: DeviceAuthorization, now: Duration) {
        self.authorization = authorization
        interval = authorization.interval
        deadline = now + authorization.lifetime
    }

    /// Returns the first action. The first poll also waits for the interval.
    public func begin(now: Duration) -> Action { wait(interval, now: now) }

    /// Processes the response to a poll.
    ///
    /// - Parameters:
    ///   - requiresProof: whether only a DPoP-bound token is accepted.
    ///   - host: the host of the token endpoint.
    ///   - dialect: how the service differs from the standards.
    ///   - now: when the response arrived.
    ///   - date: the same moment as civil time, to compute the expiry of the tokens.
    public mutating func answered(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, dialect: ProviderDialect = ProviderDialect(), now: Duration,
        date: Timestamp
    ) -> Action {
        do throws(OAuthError) {
            return .finish(
                .success(
                    try TokenResponse.tokens(
                        response, .devicePolling, host: host, requested: authorization.scopes, requiresProof: requiresProof,
                        dialect: dialect, now: date)))
        } catch {
            return next(after: error, response: response, meaning: dialect.device.meaning(of: response), now: now)
        }
    }

    /// Processes a poll without a response: the connection failed or timed out.
    public mutating func unanswered(now: Duration) -> Action { backOff(atLeast: .zero, now: now) }

    private mutating func next(
        after error: OAuthError, response: WebResponse, meaning: DeviceDialect.Meaning?, now: Duration
    ) -> Action {
        // An overloaded server may still send a specific error, such as 429 with slow_down.
        switch meaning ?? ServerError(response).flatMap({ DeviceDialect.Meaning(rawValue: $0.code) }) {
        case .pending: return pollAgain(slowsDown: false, response: response, now: now)
        case .slowDown: return pollAgain(slowsDown: true, response: response, now: now)
        default: break
        }
        if let meaning {
            let refusal = ServerError(code: meaning.rawValue, description: response.refusalReason)
            return .finish(.failure(OAuthError(.devicePolling, .refused(refusal, status: response.status), host: error.host)))
        }
        switch error.kind {
        case .serverFailure(_, let delay):
            return backOff(atLeast: delay ?? .zero, now: now)
        case _ where response.looksLikeHTML && !(300..<400).contains(response.status):
            // A proxy or captive portal responded. It may be gone at the next poll.
            return backOff(atLeast: .zero, now: now)
        case .refusedUnreadably where !lastResponseWasUnreadable:
            let action = backOff(atLeast: .zero, now: now)
            lastResponseWasUnreadable = true
            return action
        default:
            return .finish(.failure(error))
        }
    }

    private mutating func pollAgain(slowsDown: Bool, response: WebResponse, now: Duration) -> Action {
        if slowsDown {
            interval += Self.slowDownStep
            // Some servers send the new interval. A shorter one is ignored.
            let named = response.document?["interval"]?.integer ?? 0
            if named > interval.wholeSeconds { interval = .seconds(min(named, 86_400)) }
        }
        failures = 0
        lastResponseWasUnreadable = false
        return wait(interval, now: now)
    }

    private mutating func backOff(atLeast delay: Duration, now: Duration) -> Action {
        failures = min(failures + 1, 16)
        lastResponseWasUnreadable = false
        let doubled = min(interval * (1 << failures), Self.longestBackOff)
        return wait(max(interval, doubled, delay), now: now)
    }

    private func wait(_ pause: Duration, now: Duration) -> Action {
        let next = now + pause
        if next < deadline { return .poll(at: next) }
        return .finish(.failure(OAuthError(.devicePolling, .lifetimeOver, host: authorization.endpoint.origin.authority)))
    }
}

extension TokenEndpoint {
    /// Builds the token request of a device authorization (RFC 8628 section 3.4). ``DevicePolling`` decides when to send it, and reads the
    /// response.
    public static func poll(
        _ authorization: DeviceAuthorization, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        // A device code must be sent only to the provider that issued it.
        guard metadata.issuer == authorization.issuer, metadata.deviceAuthorizationEndpoint == authorization.endpoint,
            client.id == authorization.clientID
        else {
            throw OAuthError(
                .devicePolling, .mismatch(what: UserMessage("phrase.provider")), host: metadata.tokenEndpoint?.origin.authority)
        }
        let device = client.dialect.device
        var fields = device.grantType.map { [("grant_type", $0)] } ?? []
        fields.append((device.codeParameter, authorization.deviceCode.reveal()))
        fields += device.pollParameters.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.replacing(DeviceDialect.userCodePlaceholder, with: authorization.userCode)) }
        if let verifier = authorization.verifier { fields.append(("code_verifier", verifier.reveal())) }
        // Both requests name the resources (RFC 8707 section 2.2).
        fields += authorization.resources.map { ("resource", $0) }
        let url = if let own = device.tokenEndpoint { own } else { try url(metadata, .devicePolling) }
        guard device.clientToken == nil else { return client.deviceRequest(url, fields) }
        return client.tokenRequest(url, fields)
    }
}

extension DeviceDialect {
    /// Returns what an answer to a poll means by the service's own codes, the most specific first, and then by its status, which says less
    /// than an OAuth code: `invalid_client` is not pending. `nil` if the dialect does not say.
    func meaning(of response: WebResponse) -> Meaning? {
        guard !meanings.isEmpty else { return nil }
        let document = response.document
        let error = document?["error"]
        var codes = [error?["error_subcode"], error?["code"], error, document?["error_code"], document?["code"]]
            .compactMap { $0.flatMap { $0.string ?? $0.integer.map { String($0) } } }
        // A number there is the status itself.
        if let word = document?["status"]?.string { codes.append(word) }
        if let own = codes.lazy.compactMap({ meanings[$0] }).first { return own }
        guard ServerError(response)?.isOAuthCode != true else { return nil }
        return meanings[String(response.status)]
    }
}
