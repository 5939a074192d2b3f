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
        /// A 400 or 401 without an OAuth error, a 403 with a reason, or an error in a successful response. `reason` is the server's own
        /// text, safe to show.
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
        /// The authorization response has no `iss`. The provider does not announce one, but other providers have the client's redirect
        /// address.
        case unnamedIssuer
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
                // A gateway's JSON message or a server's own error code is treated like an unreadable response. Rauthy says with 404 that
                // it does not have the refresh token.
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

/// The reason why an ID token or another JWT is invalid.
public enum TokenError: Error, Equatable, Sendable {
    /// `openid` was requested, but no ID token was returned.
    case absent
    /// Not a compact JWS with three strict base64url parts, a JSON object as header and a JSON object as payload.
    case malformed
    /// The token is encrypted. This client registers no encryption keys.
    case encrypted
    /// The header has a critical extension that is not supported (RFC 7515 section 4.1.11), or contains its own key.
    case headerNotAllowed(String)
    /// `typ` names another kind of token, such as an access token or a logout token.
    case wrongTokenType
    /// `alg` is none, a MAC, unknown, or not announced by the provider.
    case algorithmNotAllowed
    /// No key of the issuer matches. `keyID` is the key identifier in the token.
    case unknownKey(keyID: String?)
    /// The key is too weak or not for signatures.
    case unusableKey
    /// The signature is invalid.
    case badSignature
    /// A required claim is missing.
    case missingClaim(String)
    /// `auth_time` changed in a renewal.
    case changedAuthenticationTime
    /// A claim has the wrong type or format.
    case invalidClaim(String)
    /// `iss` is a different issuer.
    case wrongIssuer
    /// `aud` does not contain this client.
    case wrongAudience
    /// `aud` contains this client and audiences that are not trusted.
    case untrustedAudiences([String])
    /// `azp` is a different client.
    case wrongAuthorizedParty
    /// `exp` has passed.
    case expired
    /// `nbf` or `iat` is in the future.
    case notYetValid
    /// `iat` is too far in the past for a newly issued token.
    case stale
    /// `nonce` differs from the one that was sent.
    case wrongNonce
    /// `at_hash` belongs to a different access token.
    case wrongAccessTokenHash
    /// The user authenticated longer ago than `max_age` allows.
    case authenticationTooOld
    /// `acr` is not one of the required values.
    case wrongContextClass
    /// `sub` is a different account than before.
    case wrongSubject

    /// Whether a wrong clock on either side can cause this error.
    public var isClockRelated: Bool {
        switch self {
        case .expired, .notYetValid, .stale: true
        default: false
        }
    }

    /// A short description of the error.
    var text: UserMessage {
        switch self {
        case .absent: UserMessage("phrase.id_token_absent")
        case .malformed: UserMessage("phrase.token_not_well_formed_jwt")
        case .encrypted: UserMessage("phrase.token_encrypted")
        case .headerNotAllowed(let member): UserMessage("phrase.token_header_not_allowed", ["field": member])
        case .wrongTokenType: UserMessage("phrase.token_different_kind")
        case .algorithmNotAllowed: UserMessage("phrase.token_algorithm_not_announced")
        case .unknownKey: UserMessage("phrase.token_no_key_matches")
        case .unusableKey: UserMessage("phrase.token_key_unusable")
        case .badSignature: UserMessage("phrase.token_signature_invalid")
        case .missingClaim(let name): UserMessage("phrase.token_claim_missing", ["claim": name])
        case .changedAuthenticationTime: UserMessage("phrase.token_auth_time_changed")
        case .invalidClaim(let name): UserMessage("phrase.token_claim_malformed", ["claim": name])
        case .wrongIssuer: UserMessage("phrase.token_wrong_issuer")
        case .wrongAudience, .untrustedAudiences: UserMessage("phrase.token_wrong_audience")
        case .wrongAuthorizedParty: UserMessage("phrase.token_wrong_authorized_party")
        case .expired: UserMessage("phrase.token_expired")
        case .notYetValid: UserMessage("phrase.token_not_valid_yet")
        case .stale: UserMessage("phrase.token_issued_too_long_ago")
        case .wrongNonce: UserMessage("phrase.token_wrong_nonce")
        case .wrongAccessTokenHash: UserMessage("phrase.token_of_other_access_token")
        case .authenticationTooOld: UserMessage("phrase.token_sign_in_too_old")
        case .wrongContextClass: UserMessage("phrase.token_wrong_sign_in_kind")
        case .wrongSubject: UserMessage("phrase.token_of_different_account")
        }
    }

    /// The next step for the user; `nil` if there is none.
    var hint: UserMessage? {
        switch self {
        case .expired, .notYetValid, .stale: UserMessage("hint.check_clock")
        case .authenticationTooOld, .wrongContextClass: UserMessage("hint.repeat_sign_in")
        case .wrongSubject: UserMessage("hint.sign_in_again_with_right_account")
        // Only names that can be shown as they are: another one would never match.
        case .untrustedAudiences(let names) where names.allSatisfy { $0.hasSameBytes(as: ServerError.cut($0, limit: 100)) }:
            UserMessage("hint.trust_audiences", ["audiences": names.map { "\"\($0)\"" }.joined(separator: ", ")])
        default: nil
        }
    }
}
