/// The differences of a service from the standards of OAuth 2.0 and OpenID Connect, for kinds `oidc`, `oauth2` and `exchange`.
///
/// The default of each property is the standard's behavior. Each property has a key of the configuration, so that a preset or a user can
/// describe a service without code.
public struct ProviderDialect: Equatable, Sendable {
    /// The parameter that has the scopes in requests: `scope_parameter`.
    public var scopeParameter = "scope"
    /// The text between scopes in requests: `scope_separator`.
    public var scopeSeparator = " "
    /// The meaning of the scopes in a token response: `scopes_in_response`.
    public var scopesInResponse = ScopesInResponse.granted
    /// Whether a renewal names the scopes of the session: `renewal_scopes`.
    public var renewalScopes = RenewalScopes.omitted
    /// The format of requests to the token endpoint: `token_request`.
    public var tokenRequest = TokenRequestFormat.form
    /// The parameter that has the address of the redirect page in requests: `redirect_parameter`.
    public var redirectParameter = RedirectParameter.redirectURI
    /// The location of the user's data in userinfo or the token response: `identity`.
    public var identity = IdentityMembers()
    /// Whether userinfo is requested: `userinfo`.
    public var userInfo = UserInfoUse.optional
    /// The JSON to send to userinfo in a POST; `nil` for a GET: `userinfo_body`.
    public var userInfoBody: String?
    /// Additional parameters in the query at userinfo: `userinfo_params`. If one has the access token, `Authorization` does not.
    public var userInfoParameters: [String: String] = [:]
    /// The scheme of `Authorization` at userinfo: `userinfo_scheme`.
    public var userInfoScheme = "Bearer"
    /// Additional header fields at userinfo, such as the version of the API: `userinfo_headers`.
    public var userInfoHeaders: [String: String] = [:]
    /// The parameter that names the client in requests: `client_id_parameter`.
    public var clientParameter = "client_id"
    /// The parameter that has the client's secret in requests: `client_secret_parameter`.
    public var secretParameter = SecretParameter.clientSecret
    /// The service's name for the redirect page, which requests have instead of its address; `nil` if they have the address:
    /// `redirect_name`.
    public var redirectName: String?
    /// Whether authorization requests have a code challenge (RFC 7636): `pkce`.
    public var pkce = PKCEUse.required
    /// The parameter of the callback that has the code: `code_parameter`.
    public var codeParameter = "code"
    /// The parameter of a token request that has the code: `token_code_parameter`.
    public var tokenCodeParameter = CodeParameter.code
    /// The grant of a request after a sign-in that exchanges the access token for one that is valid for longer: `long_lived_grant`.
    public var longLivedGrant: String?
    /// The endpoint of this exchange, if it is not the token endpoint: `long_lived_endpoint`.
    public var longLivedEndpoint: WebURL?
    /// The grant of renewals with the access token itself, for a service without refresh tokens: `renewal_grant`.
    public var renewalGrant: String?
    /// The parameter that has the access token in this exchange and in these renewals: `access_token_parameter`.
    public var accessTokenParameter = AccessTokenParameter.accessToken
    /// The endpoint for renewals, if it is not the token endpoint: `refresh_endpoint`.
    public var refreshEndpoint: WebURL?
    /// The parameters of the callback that are kept with the session, such as the ID of a company: `callback_members`.
    public var callbackMembers: [String] = []
    /// The header field that has the token at the API and at userinfo, without a scheme; `nil` for `Authorization`: `token_header`.
    public var tokenHeader: String?
    /// The scheme of `Authorization` at the API: `api_scheme`.
    public var apiScheme = "Bearer"
    /// Header fields that requests to the API have besides the token, such as the version of the API: `api_headers`.
    public var apiHeaders: [String: String] = [:]
    /// The statuses, besides 401, of the API's answers to a token that has ended: `api_refused_status`.
    public var apiRefusedStatuses: Set<Int> = []
    /// The meanings of the API's own error codes and messages, with any status: `api_errors`.
    public var apiErrors: [String: APIError] = [:]
    /// The type of a token if the response has none, or a word of the service's own: `token_type`.
    public var tokenType: String?
    /// The meaning of a lifetime of zero: `zero_lifetime`.
    public var zeroLifetime = ZeroLifetime.expired
    /// The lifetime of access tokens, in seconds, if the response names none: `access_lifetime`.
    public var accessLifetime: Int64?
    /// The audience of the client's assertions (RFC 7523 section 3): `client_assertion_audience`.
    public var assertionAudience = AssertionAudience.issuer
    /// The issuer of the client's assertions, if it is not the client, such as the team that the client belongs to:
    /// `client_assertion_issuer`.
    public var assertionIssuer: String?
    /// The algorithm that signs the client's assertions; `nil` for one that the provider announces: `client_assertion_algorithm`.
    public var assertionAlgorithm: String?
    /// The parameter that has the client's assertion: `client_assertion_parameter`.
    public var assertionParameter = AssertionParameter.clientAssertion
    /// Additional parameters of requests to the token endpoint: `token_params`. `{callback.NAME}` stands for one of ``callbackMembers``.
    public var tokenParameters: [String: String] = [:]
    /// Additional header fields of requests to the token endpoint and for a device code: `token_headers`.
    public var tokenRequestHeaders: [String: String] = [:]
    /// The differences of the device flow from RFC 8628.
    public var device = DeviceDialect()
    /// The object of a token response that contains the tokens; `nil` for the response itself: `tokens_at`.
    public var tokensPath: MemberPath?
    /// The audiences that ID tokens may name besides this client (OpenID Connect Core section 3.1.3.7, step 3): `trusted_audiences`.
    public var trustedAudiences: Set<String> = []
    /// Whether requests name the resource that the tokens are for (RFC 8707): `resource_parameter`.
    public var resourceParameter = ResourceParameter.sent
    /// The issuers of the provider's tenants: `issuer_pattern`.
    public var issuerPattern: IssuerPattern?
    /// The form of a revocation request: `revocation`.
    public var revocation = RevocationForm.standard
    /// The parameter of a revocation request that has the token: `revocation_parameter`.
    public var revocationParameter = "token"
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

    /// Whether a renewal names the scopes of the session (RFC 6749 section 6: without them, the new token has all that were granted).
    public enum RenewalScopes: String, Sendable, CaseIterable {
        /// It does not. Some servers refuse them.
        case omitted
        /// It does, for a service that otherwise issues a token for something else, or no ID token.
        case sent
    }

    /// The audience of the client's assertions.
    public enum AssertionAudience: String, Sendable, CaseIterable {
        /// The issuer, so that no other server can use the assertion.
        case issuer
        /// The token endpoint, for servers that accept nothing else.
        case tokenEndpoint = "token_endpoint"
    }

    /// The parameter that has the client's assertion.
    public enum AssertionParameter: String, Sendable, CaseIterable {
        /// RFC 7521 section 4.2.
        case clientAssertion = "client_assertion"
        /// The one of a secret, for a service whose client secret is an assertion.
        case clientSecret = "client_secret"
    }

    /// The format of requests to the token endpoint.
    public enum TokenRequestFormat: String, Sendable, CaseIterable {
        /// `application/x-www-form-urlencoded`, the standard.
        case form
        /// `application/json`.
        case json
        /// A GET with the parameters in the query, for services that read nothing else.
        case query
        /// `application/json` with names in camelCase, such as `grantType`.
        case camelCaseJSON = "camel_case_json"
    }

    /// The parameter that has the address of the redirect page.
    public enum RedirectParameter: String, Sendable, CaseIterable {
        /// RFC 6749 section 4.1.1.
        case redirectURI = "redirect_uri"
        case redirectURL = "redirect_url"
    }

    /// The parameter that has the client's secret. The list is closed, so that a secret is recognized and hidden in errors.
    public enum SecretParameter: String, Sendable, CaseIterable {
        case clientSecret = "client_secret"
        case secret
        case appSecret = "app_secret"
    }

    /// The parameter of a token request that has the code. The list is closed, so that a code is recognized and hidden in errors.
    public enum CodeParameter: String, Sendable, CaseIterable {
        case code
        case authCode = "auth_code"
    }

    /// The parameter that has an access token which is exchanged or renewed. The list is closed, so that a token is recognized and hidden
    /// in errors.
    public enum AccessTokenParameter: String, Sendable, CaseIterable {
        case accessToken = "access_token"
        /// Facebook's.
        case facebookExchangeToken = "fb_exchange_token"
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
        /// Never. The claims of the access token, a JWT that comes from the token endpoint itself, identify the user.
        case accessToken = "access_token"
        /// Always. A refusal ends the sign-in.
        case required

        /// Whether userinfo may be requested.
        public var isRequested: Bool { self == .optional || self == .required }
    }

    /// Whether authorization requests have a code challenge.
    public enum PKCEUse: String, Sendable, CaseIterable {
        case required
        /// As S256, but with the hash in hexadecimal digits.
        case hex
        /// Never, because the service refuses the parameters. The client secret then protects the code.
        case refused
    }

    /// Whether requests have the parameter `resource`.
    public enum ResourceParameter: String, Sendable, CaseIterable {
        /// They have it, if the tokens are for a resource.
        case sent
        /// They never have it. The scopes say what the tokens are for.
        case off
    }

    /// The meaning of `expires_in` zero.
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
        /// The token and the client with its secret as JSON.
        case jsonPost = "json_post"
        /// An empty POST with the token in `Authorization`.
        case bearer
        /// An empty DELETE with the token in `Authorization`.
        case delete
        /// A DELETE with the token as JSON, with the client in Basic authentication. Only a client with a secret can send it.
        case deleteJSON = "delete_json"
        /// The form of RFC 7009 in a DELETE.
        case deleteForm = "delete_form"
        /// The service revokes no tokens.
        case none

        /// Whether the token itself authenticates the request, so that the service refuses one that has ended.
        public var isAuthenticatedByToken: Bool { self == .bearer || self == .delete }
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

    /// The meaning of an API's error for the token.
    public enum APIError: String, CaseIterable, Sendable {
        /// The token is not accepted any more.
        case ended
        /// The token is valid, and what was requested is not allowed or not there.
        case denied
    }
}
