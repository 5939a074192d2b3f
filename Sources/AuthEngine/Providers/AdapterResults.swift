public import AuthModel
package import OAuth
public import SessionStore

/// The outcome of a sign-in that did not fail.
public enum SignInOutcome: Equatable, Sendable {
    /// A new session.
    case session(SignInResult)
    /// No session: none is needed, or the user has to do something else first.
    case noSession(NoSession)

    /// Returns the session. Throws `.configuration` if there is none.
    public func result() throws(AuthFailure) -> SignInResult {
        switch self {
        case .session(let result): return result
        case .noSession(let end): throw end.failure
        }
    }
}

/// The session that a sign-in created.
public struct SignInResult: Equatable, Sendable {
    /// The tokens of the session.
    public var tokens: TokenSet
    /// The identity of the user.
    public var identity: Identity
    /// The client that the tokens were issued to.
    public var clientID: String
    /// `signedIn`, or `guest` for a session without an identity of its own.
    public var state: SessionState
    /// The adapter's own data, stored in the session's record.
    public var extras: JSONValue
    /// Warnings for the user, one line each.
    public var warnings: [UserMessage]
    /// The label for the account if the user chose none; `nil` for that of ``identity``.
    public var label: String?

    /// The label for the account if the user chose none.
    var defaultLabel: String { label ?? identity.defaultLabel }

    /// Creates a result.
    public init(
        tokens: TokenSet, identity: Identity, clientID: String, state: SessionState = .signedIn, extras: JSONValue = .object([]),
        warnings: [UserMessage] = [], label: String? = nil
    ) {
        self.tokens = tokens
        self.identity = identity
        self.clientID = clientID
        self.state = state
        self.extras = extras
        self.warnings = warnings
        self.label = label
    }
}

/// The result of a successful renewal. Without a new refresh token, the old one is kept.
public struct Renewal: Equatable, Sendable {
    /// The new tokens of the session.
    public var tokens: TokenSet
    /// The claims of the new ID token; `nil` if the answer had none.
    public var idTokenClaims: JSONValue?
    /// `signedIn`, or `guest` for a session without an identity of its own.
    public var state: SessionState
    /// The adapter's own data, stored in the session's record.
    public var extras: JSONValue

    /// Creates a result.
    public init(tokens: TokenSet, idTokenClaims: JSONValue?, state: SessionState = .signedIn, extras: JSONValue) {
        self.tokens = tokens
        self.idTokenClaims = idTokenClaims
        self.state = state
        self.extras = extras
    }
}

/// The error of a failed renewal, and its effect on the grant.
public struct RenewalFailure: Error, Equatable, Sendable {
    /// The effect of a failed renewal on the grant.
    public enum ResponseOutcome: Equatable, Sendable {
        /// Nothing changed: the refresh token may be sent again.
        case kept
        /// The refresh token was sent and the answer was lost, so the token may be spent. It is sent once more: a provider with a grace
        /// period then answers.
        case inDoubt
        /// The provider accepted the refresh token and replaced it with this one. The rest of the answer could not be checked now, and is
        /// discarded.
        case rotated(refreshToken: Secret?, expiresAt: Timestamp?)
        /// The provider ended the grant.
        case ended
        /// The provider answered, and the answer cannot be trusted: the refresh token is spent, and the answer is discarded.
        case untrustedAnswer
        /// The provider ended the grant, and issued a session with fewer rights instead, such as that of a guest.
        case replaced(Renewal)
    }

    /// The error to report.
    public var failure: AuthFailure
    /// The effect on the grant.
    public var outcome: ResponseOutcome
    /// The number of answers that were lost for one caller. Counted only if one of these answers, or an earlier one, was cut off after it
    /// had begun to arrive.
    public var lostResponses = 0

    /// Creates a failure.
    public init(_ failure: AuthFailure, _ outcome: ResponseOutcome) {
        self.failure = failure
        self.outcome = outcome
    }
}

/// One step of ending a session at its provider.
public enum RevocationStep: Equatable, Sendable {
    /// Revoke this token.
    case token(SignOutReceipt.Step, QueuedRevocation)
    /// Nothing to revoke, with the reason.
    case nothing(SignOutReceipt.Step, reason: UserMessage)

    /// Revoke a token of a session. `hint` is the token's type for the request.
    package static func revoking(
        _ step: SignOutReceipt.Step, _ token: Secret, hint: String? = nil, of record: SessionRecord, at endpoint: WebURL,
        extras: JSONValue = .object([])
    ) -> RevocationStep {
        .token(
            step,
            QueuedRevocation(
                session: record.summary.name, token: token, tokenTypeHint: hint, endpoint: endpoint, clientID: record.clientID,
                extras: extras))
    }
}

/// The state of a session's own tokens after the provider has revoked one of the tokens that it lists.
public enum SessionTokenState: Equatable, Sendable {
    /// All tokens are valid.
    case alive
    /// The access token is valid until it expires, and cannot be renewed.
    case notRenewable
    /// The access token is no longer valid. A refresh token may be left.
    case ended
}

/// The token and header fields to send to one resource for a session.
public enum ResourceToken: Equatable, Sendable {
    /// A header field that is sent with the token.
    public typealias Field = IssuedToken.Field

    /// The session's own access token.
    case own(fields: [Field])
    /// A token that the provider issued for one server: for the resource and everything else below the URL `server`.
    case another(Secret, server: WebURL, expiresAt: Timestamp?, fields: [Field])
}

/// The data of an OpenID Connect or OAuth 2 session other than its tokens, sealed together with them.
package struct SessionExtras: Sendable {
    /// The algorithm and the key ID of the ID token's signature.
    package var idTokenAlgorithm: String?
    package var idTokenKeyID: String?
    /// The revocation endpoint, for use when the provider cannot be asked.
    package var revocationEndpoint: WebURL?
    /// The key that the tokens are bound to (RFC 9449).
    package var dpopKey: ProofKeyPair?
    /// The resources that the tokens are for (RFC 8707).
    package var resources: [String] = []
    /// The session that this one was made from.
    package var base: SessionName?
    /// The issuer of the account that this session was made from.
    package var baseIssuer: String?
    /// The session's own API host, which the token response named: `api_host_from`.
    package var apiHost: WebURL?
    /// Whether the last renewal brought no ID token. The next one is then unlikely to bring one.
    package var isRenewedWithoutIDToken = false
    /// Of kind `exchange`: whether the sign-in named no scopes, so that a renewal in the same way names none either.
    package var isWithoutScopes = false

    package init() {}

    package init(_ extras: JSONValue) {
        idTokenAlgorithm = extras["id_token_alg"]?.string
        idTokenKeyID = extras["id_token_kid"]?.string
        revocationEndpoint = extras["revocation_endpoint"]?.string.flatMap(WebURL.init)
        dpopKey = extras["dpop_key"]?.string.flatMap { ProofKeyPair(privateKey: Secret($0)) }
        resources = extras["resources"]?.strings ?? []
        base = extras["from"]?.string.flatMap { SessionName($0) }
        baseIssuer = extras["from_issuer"]?.string
        apiHost = extras["api_host"]?.string.flatMap(WebURL.init)
        isRenewedWithoutIDToken = extras["renewed_without_id_token"]?.bool ?? false
        isWithoutScopes = extras["without_scopes"]?.bool ?? false
    }

    /// The JSON value that is stored in the session's record.
    package var json: JSONValue {
        .present(
            ("id_token_alg", idTokenAlgorithm.map { .string($0) }), ("id_token_kid", idTokenKeyID.map { .string($0) }),
            ("revocation_endpoint", revocationEndpoint.map { .string($0.text) }),
            ("dpop_key", dpopKey.map { .string($0.privateKey.reveal()) }),
            ("resources", resources.isEmpty ? nil : JSONValue(resources)), ("from", base.map { .string($0.description) }),
            ("from_issuer", baseIssuer.map { .string($0) }), ("api_host", apiHost.map { .string($0.text) }),
            ("renewed_without_id_token", isRenewedWithoutIDToken ? true : nil), ("without_scopes", isWithoutScopes ? true : nil))
    }

    /// Records a verified ID token.
    package mutating func note(_ idToken: IDToken) {
        idTokenAlgorithm = idToken.algorithm.rawValue
        idTokenKeyID = idToken.keyID
        isRenewedWithoutIDToken = false
    }
}
