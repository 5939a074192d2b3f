/// Why an answer of a provider was not taken, or a request not built.
///
/// Holds no token, code, secret, response body or URL query. ``failure`` says what it means for the person.
public struct OAuthError: Error, Equatable, Sendable {
    /// What was being done.
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
        case resourceMetadata
        case clientAuthentication
        /// A DPoP proof (RFC 9449).
        case proof
        /// A sign-in that a resource asks for (RFC 9470).
        case stepUp
        /// What a resource answers.
        case resource

        /// Whether a published document is read, without credentials.
        var readsPublicDocument: Bool {
            switch self {
            case .discovery, .signingKeys, .resourceMetadata: true
            default: false
            }
        }

        /// Whether the token endpoint is shown a grant that a session lives from, and that outlives the request.
        var presentsKeptGrant: Bool {
            switch self {
            case .renewal, .tokenExchange, .assertionGrant: true
            default: false
            }
        }
    }

    /// What was wrong. One case per thing that is told apart, by people or by what happens next.
    public enum Kind: Equatable, Sendable {
        /// There is no such document (404, 410).
        case notFound
        /// A status that says nothing more.
        case unexpectedStatus(Int)
        /// Overload or trouble at the server (408, 429, 5xx, or an OAuth error that says so); not to be tried before `retryAfter`.
        case serverFailure(status: Int, retryAfter: Duration?)
        /// The server pointed elsewhere. Credentials do not follow.
        case redirected
        /// The answer is no JSON object; `isHTML`: it looks like a web page.
        case notJSON(isHTML: Bool)
        /// A member that must be there is not.
        case missingMember(String)
        /// A member has another type or form than the one named.
        case wrongMember(String, expected: String)
        /// An endpoint that must not be used: not https, with user information, or with a fragment.
        case unsafeEndpoint(member: String)
        /// Something that must be equal, byte for byte, is not: `what` names it.
        case mismatch(what: String)
        /// The server answered with an OAuth error.
        case refused(ServerError, status: Int)
        /// 400 or 401 that says nothing readable.
        case refusedUnreadably(status: Int)
        /// 400 or 401 with a web page where the token endpoint answers in JSON: something else has answered, such as a captive portal.
        case pageInstead(status: Int)
        /// The server wants a DPoP proof with the nonce it sent (RFC 9449 section 8).
        case nonceRequired
        /// A token of a type we do not understand (RFC 6749 section 7.1).
        case tokenTypeNotUnderstood
        /// What the provider gave for a while ended before anybody used it: a device code (RFC 8628 section 3.5).
        case lifetimeOver
        /// The provider only knows PKCE's `plain`, which we never use.
        case onlyPlainChallenge
        /// The provider has no such endpoint.
        case noEndpoint(String)
        /// The configuration does not fit: what is wrong with it.
        case misconfigured(String)
        /// The ID token, or another signed answer, is not right.
        case token(TokenError)
    }

    public var operation: Operation
    public var kind: Kind
    /// The host that was asked, in ASCII.
    public var host: String?

    public init(_ operation: Operation, _ kind: Kind, host: String? = nil) {
        self.operation = operation
        self.kind = kind
        self.host = host
    }
}

extension OAuthError {
    /// What an error at the token endpoint does to the grant that was presented there.
    public enum GrantOutcome: Equatable, Sendable {
        /// The grant is dead: do not present it again.
        case ended
        /// Dead if a second try says the same; some servers answer a dead grant with an empty 400, and some a passing fault.
        case endedIfRepeated
        /// Alive: try again later.
        case kept
    }

    /// What this error does to a refresh token that was presented.
    public var grantFate: GrantOutcome {
        switch kind {
        case .refused(let error, let status):
            if error.isAboutTheMoment {
                .kept
            } else if error.isOfOAuth {
                .ended
            } else {
                // A gateway's small talk in JSON, or a server's own word: it says as much as none.
                [200, 400, 401].contains(status) ? .endedIfRepeated : .kept
            }
        case .refusedUnreadably: .endedIfRepeated
        default: .kept
        }
    }

    /// Whether the issuer's keys should be fetched once more: none of those we have fits the token, so they may be outdated.
    public var asksForKeyRefetch: Bool {
        switch kind {
        case .token(.unknownKey), .token(.unusableKey): true
        default: false
        }
    }
}
