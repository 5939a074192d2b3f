public import AuthModel

/// The newest DPoP nonce of each server (RFC 9449 section 8), stored by origin and separately for authorization servers and resource
/// servers.
///
/// Pass it every response to a request with a proof, including successful ones (section 8.2).
public struct ProofNonces: Equatable, Sendable {
    /// The role of a server. One origin may have both roles, with a nonce for each.
    public enum Role: Hashable, Sendable {
        /// The token endpoint and similar endpoints, such as for pushed requests and revocation.
        case authorizationServer
        /// Any server that receives an access token, including the UserInfo endpoint.
        case resourceServer
    }

    private struct Place: Hashable, Sendable {
        let origin: Origin
        let role: Role
    }

    private var newest: [Place: String] = [:]

    /// The maximum length of a nonce. A longer one would make a header that servers refuse.
    public static let maximumLength = 1024

    /// Creates an empty set.
    public init() {}

    /// Returns the nonce for a proof to `url`; `nil` if the server sent none.
    public func nonce(for url: WebURL, as role: Role) -> String? { newest[Place(origin: url.origin, role: role)] }

    /// Stores the nonce of a response, and returns it if the request must be repeated.
    ///
    /// - Parameters:
    ///   - request: the request of the response.
    ///   - isRetry: whether the request is already a retry. There is only one retry.
    /// - Returns: the nonce for the new proof; `nil` if the response is final.
    public mutating func retryNonce(
        after response: WebResponse, to request: WebRequest, as role: Role, isRetry: Bool
    ) -> String? {
        guard let nonce = Self.nonce(of: response) else { return nil }
        newest[Place(origin: request.url.origin, role: role)] = nonce
        return !isRetry && Self.requiresNonce(response, role) ? nonce : nil
    }

    /// Returns the nonce of a response; `nil` if there is none, more than one, or an invalid one.
    private static func nonce(of response: WebResponse) -> String? {
        let fields = response.headers.filter { $0.name.asciiLowercased() == "dpop-nonce" }
        guard fields.count == 1, let text = fields.first?.value.trimmingWhitespace(), isNonce(text) else { return nil }
        return text
    }

    /// Returns whether the text is 1*NQCHAR (RFC 9449 section 8.1) and not too long.
    static func isNonce(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// Returns whether the response requires a proof with a nonce: section 8 for an authorization server, section 9 for a resource.
    private static func requiresNonce(_ response: WebResponse, _ role: Role) -> Bool {
        switch role {
        case .authorizationServer: [400, 401].contains(response.status) && ServerError(response)?.code == "use_dpop_nonce"
        case .resourceServer:
            response.status == 401 && response.challenges.contains { $0.isProofChallenge && $0["error"] == "use_dpop_nonce" }
        }
    }
}
