/// The differences of a service from the standards of OAuth 2.0 and OpenID Connect, for kinds `oidc` and `oauth2`.
///
/// The default of each property is the standard's behavior. Each property has a key of the configuration, so that a preset or a user can
/// describe a service without code.
public struct ProviderDialect: Equatable, Sendable {
    /// The text between scopes in requests: `scope_separator`.
    public var scopeSeparator = " "
    /// The meaning of the scopes in a token response: `scopes_in_response`.
    public var scopesInResponse = ScopesInResponse.granted
    /// The format of requests to the token endpoint: `token_request`.
    public var tokenRequest = TokenRequestFormat.form
    /// The members of userinfo, or of the token response, with the user's data: `identity`.
    public var identity = IdentityMembers()
    /// Whether userinfo is requested: `userinfo`.
    public var userInfo = UserInfoUse.optional
    /// The JSON to send to userinfo in a POST; `nil` for a GET: `userinfo_body`.
    public var userInfoBody: String?
    /// The scheme of `Authorization` at userinfo: `userinfo_scheme`.
    public var userInfoScheme = "Bearer"
    /// Whether authorization requests have a code challenge (RFC 7636): `pkce`.
    public var proofKey = ProofKeyUse.required
    /// The type of a token if the response has none, or a word of the service's own: `token_type`.
    public var tokenType: String?
    /// The meaning of a lifetime of zero: `zero_lifetime`.
    public var zeroLifetime = ZeroLifetime.expired
    /// The object of a token response that contains the tokens; `nil` for the response itself: `tokens_at`.
    public var tokensPath: MemberPath?
    /// The issuers of the provider's tenants: `issuer_pattern`.
    public var issuerPattern: IssuerPattern?
    /// The form of a revocation request: `revocation`.
    public var revocation = RevocationForm.standard
    /// The tokens that the provider revokes: `revokes`.
    public var revokes = RevokedTokens.both
    /// The parameters of the provider's sign-out page, instead of the standard ones; empty for the standard ones: `end_session_params`.
    public var endSessionParameters: [String: String] = [:]
    /// The member of a token response that names the session's own API host: `api_host_from`.
    public var apiHostPath: MemberPath?
    /// Whether a session can be renewed: `renewal`.
    public var renewal = Renewal.expected
    /// The URL of the metadata document, if it is not at the issuer's own place: `discovery`.
    public var discovery: WebURL?

    /// Creates the standard dialect.
    public init() {}

    /// The meaning of the scopes in a token response.
    public enum ScopesInResponse: String, Sendable, CaseIterable {
        /// They were granted.
        case granted
        /// Something else: the requested scopes count.
        case ignored
    }

    /// The format of requests to the token endpoint.
    public enum TokenRequestFormat: String, Sendable, CaseIterable {
        /// `application/x-www-form-urlencoded`, the standard.
        case form
        /// `application/json`.
        case json
    }

    /// The places of the user's data; `nil` for the common names.
    public struct IdentityMembers: Equatable, Sendable {
        /// The permanent identifier of the account: `subject`.
        public var subject: MemberPath?
        /// The name by which the user is known at the service, which becomes the account's label: `name`.
        public var name: MemberPath?
        /// The email address: `email`.
        public var email: MemberPath?

        /// Creates places. Default: the common names.
        public init(subject: MemberPath? = nil, name: MemberPath? = nil, email: MemberPath? = nil) {
            self.subject = subject
            self.name = name
            self.email = email
        }

        /// Whether a place is set.
        public var isSet: Bool { subject != nil || name != nil || email != nil }
    }

    /// Whether userinfo is requested after a sign-in.
    public enum UserInfoUse: String, Sendable, CaseIterable {
        /// If the provider has it. A refusal does not end the sign-in if a valid ID token identifies the user.
        case optional
        /// Never. The ID token or the token response identifies the user.
        case off
        /// Always. A refusal ends the sign-in.
        case required
    }

    /// Whether authorization requests have a code challenge.
    public enum ProofKeyUse: String, Sendable, CaseIterable {
        case required
        /// Never, because the service refuses the parameters. The client secret then protects the code.
        case refused
    }

    /// The meaning of zero in `expires_in`.
    public enum ZeroLifetime: String, Sendable, CaseIterable {
        /// The token has expired.
        case expired
        /// The token does not expire.
        case unlimited
    }

    /// The form of a revocation request.
    public enum RevocationForm: String, Sendable, CaseIterable {
        /// RFC 7009.
        case standard = "rfc7009"
        /// The token as JSON, with the client in Basic authentication.
        case json
        /// An empty POST with the token in `Authorization`.
        case bearer
        /// The service revokes no tokens.
        case none
    }

    /// The tokens that a provider revokes.
    public enum RevokedTokens: String, Sendable, CaseIterable {
        case both
        /// Refresh tokens only. Access tokens end with them or at their own time.
        case refresh
        /// Access tokens only.
        case access
    }

    /// Whether a session can be renewed.
    public enum Renewal: String, Sendable, CaseIterable {
        /// A sign-in without a refresh token is reported.
        case expected
        /// The service issues no refresh tokens.
        case none
        /// The service issues refresh tokens to some clients only.
        case maybe
    }
}
