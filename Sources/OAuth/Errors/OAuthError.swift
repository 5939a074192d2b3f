public import AuthModel

/// The reason why a provider's response was refused, or a request could not be built.
///
/// Contains no token, code, secret, response body or URL query. ``failure`` converts it for the user.
public struct OAuthError: Error, Equatable, Sendable {
    /// The operation that failed.
    public enum Operation: String, Sendable {
        case discovery
        case signingKeys
        case authorization
        case codeExchange
        case renewal
        case idToken
        case userInfo
        case revocation
        case introspection
        case endSession
        case deviceAuthorization
        case devicePolling
        case pushedAuthorization
        case registration
        case tokenExchange
        case assertionGrant
        case clientCredentials
        case resourceMetadata
        case clientAuthentication
        /// A DPoP proof (RFC 9449).
        case proof
        /// A step-up sign-in that a resource requires (RFC 9470).
        case stepUp
        /// A response of a resource.
        case resource

        /// Whether the operation reads a public document, without credentials.
        var readsPublicDocument: Bool {
            switch self {
            case .discovery, .signingKeys, .resourceMetadata: true
            default: false
            }
        }

        /// Whether the operation is a request to the token endpoint.
        var isTokenRequest: Bool { usesSessionGrant || self == .codeExchange || self == .devicePolling }

        /// Whether the operation sends a grant to the token endpoint that a session depends on and that remains valid after the request.
        var usesSessionGrant: Bool {
            switch self {
            case .renewal, .tokenExchange, .assertionGrant, .clientCredentials: true
            default: false
            }
        }
    }

    /// The class of the error. There is one case for each class that users or callers must distinguish.
    public enum Kind: Equatable, Sendable {
        /// The document does not exist (404, 410).
        case notFound
        /// An unexpected status without an OAuth error. `reason` is the server's own text, safe to show.
        case unexpectedStatus(Int, reason: String? = nil)
        /// A server problem or overload (408, 429, 5xx, or a corresponding OAuth error). Do not retry before `retryAfter`.
        case serverFailure(status: Int, retryAfter: Duration?)
        /// The server redirected. Redirects are not followed with credentials.
        case redirected
        /// The response is not a JSON object. `isHTML` means that it looks like a web page.
        case notJSON(isHTML: Bool)
        /// A required member is missing.
        case missingMember(String)
        /// A member does not have the expected type or format.
        case wrongMember(String, expected: UserMessage)
        /// An unsafe endpoint: not https, with user information, or with a fragment.
        case unsafeEndpoint(member: String)
        /// A value that must match byte for byte does not. `what` names it.
        case mismatch(what: UserMessage)
        /// The metadata is of another issuer. `found` is that issuer, safe to show.
        case issuerMismatch(found: String)
        /// The server returned an OAuth error.
        case refused(ServerError, status: Int)
        /// A 400 or 401 without an OAuth error, a 403 with a reason, or an error in a successful response. `reason` is the server's own text, safe to show.
        case refusedUnreadably(status: Int, reason: String? = nil)
        /// A 400 or 401 with a web page instead of JSON from a token endpoint: another system responded, such as a captive portal.
        case pageInstead(status: Int)
        /// The server requires a DPoP proof with the nonce that it sent (RFC 9449 section 8).
        case nonceRequired
        /// A token of an unknown type (RFC 6749 section 7.1).
        case tokenTypeNotUnderstood
        /// A temporary credential expired before it was used, such as a device code (RFC 8628 section 3.5).
        case lifetimeOver
        /// The provider supports only PKCE's `plain` method, which this library never uses.
        case onlyPlainChallenge
        /// The provider has no such endpoint.
        case noEndpoint(UserMessage)
        /// The configuration is invalid; the message says why.
        case misconfigured(UserMessage)
        /// The ID token or another signed response is invalid.
        case token(TokenError)
    }

    /// The operation that failed.
    public var operation: Operation
    /// The class of the error.
    public var kind: Kind
    /// The host of the request, in ASCII.
    public var host: String?

    /// Creates an error.
    public init(_ operation: Operation, _ kind: Kind, host: String? = nil) {
        self.operation = operation
        self.kind = kind
        self.host = host
    }

    /// The effect of a token endpoint error on the grant that was sent.
    public enum GrantOutcome: Equatable, Sendable {
        /// The grant is no longer valid. Do not send it again.
        case ended
        /// The grant is invalid if a second attempt fails in the same way. Some servers return an empty 400 for an invalid grant, others
        /// for a temporary problem.
        case endedIfRepeated
        /// The grant is still valid. Try again later.
        case kept
    }

    /// Whether the server did not authenticate the client, so that it did not look at the grant.
    public var isAboutClient: Bool {
        guard case .refused(let error, let status) = kind else { return false }
        // Auth0's words for a wrong client secret; for an ended grant, they come with 403.
        return error.isAboutClient || status == 401 && error.code == "access_denied" && error.description == "Unauthorized"
    }

    /// The effect of this error on the refresh token that was sent.
    public var grantOutcome: GrantOutcome {
        switch kind {
        case .refused(let error, let status):
            if error.isTemporary || error.isAboutPlace || isAboutClient {
                .kept
            } else if error.isOAuthCode, error.word != "server_error" {
                .ended
            } else {
                // A gateway's JSON message or a server's own error code is treated like an unreadable response. Rauthy says with 404 that it
                // does not have the refresh token.
                [200, 400, 401].contains(status) || status == 404 && error.namesRefreshToken ? .endedIfRepeated : .kept
            }
        case .refusedUnreadably: .endedIfRepeated
        default: .kept
        }
    }

    /// Whether the issuer's keys should be fetched again: no cached key matches the token, so the keys may be outdated.
    public var needsKeyRefetch: Bool {
        switch kind {
        case .token(.unknownKey), .token(.unusableKey): true
        default: false
        }
    }
}
