public import AuthModel

/// The DPoP nonces that servers gave (RFC 9449 section 8): the newest of each, by origin, those of authorization servers and of resource
/// servers apart.
///
/// Show it every answer to a request that carried a proof, successes too (section 8.2).
public struct ProofNonces: Equatable, Sendable {
    /// As what a server was spoken to. One origin may be both, with a nonce for each.
    public enum Role: Hashable, Sendable {
        /// The token endpoint and its like: pushed requests, revocation.
        case authorizationServer
        /// Whatever is sent an access token; userinfo too.
        case resourceServer
    }

    private struct Place: Hashable, Sendable {
        let origin: Origin
        let role: Role
    }

    private var newest: [Place: String] = [:]

    /// The longest nonce that is taken; a longer one would make a header that servers refuse.
    public static let maximumLength = 1024

    public init() {}

    /// The nonce for a proof to `url`; `nil` where the server gave none.
    public func nonce(for url: WebURL, as role: Role) -> String? { newest[Place(origin: url.origin, role: role)] }

    /// Keeps the nonce of an answer, and says whether the request is to be sent once more.
    ///
    /// - Parameters:
    ///   - request: the one that was answered.
    ///   - isRetry: whether it was sent again already; there is no third time.
    /// - Returns: the nonce to prove it with again; `nil` when the answer is to be taken as it is.
    public mutating func nonceToRetryWith(
        after response: WebResponse, to request: WebRequest, as role: Role, isRetry: Bool
    ) -> String? {
        guard let nonce = Self.nonce(of: response) else { return nil }
        newest[Place(origin: request.url.origin, role: role)] = nonce
        return !isRetry && Self.isWanted(response, role) ? nonce : nil
    }

    /// The nonce of an answer; `nil` when there is none, more than one, or one that cannot be used.
    private static func nonce(of response: WebResponse) -> String? {
        let fields = response.headers.filter { $0.name.lowercased() == "dpop-nonce" }
        guard fields.count == 1, let text = fields.first?.value.trimmingBlanks(), isNonce(text) else { return nil }
        return text
    }

    /// 1*NQCHAR (RFC 9449 section 8.1), and not too long.
    static func isNonce(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// Whether the answer asks for a proof with a nonce: section 8 at an authorization server, section 9 at a resource.
    private static func isWanted(_ response: WebResponse, _ role: Role) -> Bool {
        switch role {
        case .authorizationServer: [400, 401].contains(response.status) && ServerError(response)?.code == "use_dpop_nonce"
        case .resourceServer:
            response.status == 401 && response.challenges.contains { $0.isProofChallenge && $0["error"] == "use_dpop_nonce" }
        }
    }
}
