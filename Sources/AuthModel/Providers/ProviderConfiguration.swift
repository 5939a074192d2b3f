/// A validated `[providers.NAME]` section of the configuration.
public struct ProviderConfiguration: Equatable, Sendable {
    /// The name of the section.
    public var name: ProviderName
    /// The provider kind.
    public var kind: ProviderKind
    /// The issuer. Always set for `oidc`; for `oauth2` it is set if metadata is available (RFC 8414).
    public var issuer: Issuer?
    /// Endpoints from the configuration, for `oauth2` providers without metadata. They override metadata.
    public var endpoints = Endpoints()
    /// The client identifier.
    public var clientID: String
    /// The source of the client secret, if the client has one.
    public var clientSecret: SecretSource?
    /// The client authentication method at the token endpoint.
    public var clientAuthentication = ClientAuthentication.auto
    /// The scopes to request.
    public var scopes: ScopeSet
    /// The registered redirect URIs.
    public var redirects = [RedirectRule.standard]
    /// The registered URIs to which the browser may be redirected after logout; empty if there are none.
    public var postLogoutRedirects: [RedirectRule] = []
    /// A PEM file with root certificates that are trusted in addition to the system's.
    public var caFile: String?
    /// The hosts to which this provider's tokens may be sent: `host` or `host:port`, in lower case.
    public var apiHosts: [String] = []
    /// The hosts that the user confirmed to sign them in and to get the tokens together, as in ``apiHosts``: `sign_in_hosts`.
    public var signInHosts: [String] = []
    /// The command that opens a URL; `nil` to use `$BROWSER` or xdg-open.
    public var browser: String?
    /// Whether to open a private browser window.
    public var isPrivate = false
    /// The time limit of a sign-in.
    public var loginTimeout = Duration.seconds(300)
    /// Additional parameters for the authorization request.
    public var extraParameters: [String: String] = [:]
    /// The page where users create accounts, for providers without `prompt=create`.
    public var signUpURL: WebURL?
    /// Whether authorization requests are pushed (RFC 9126): `par`.
    public var pushedRequests = PushedRequestMode.auto
    /// Whether tokens are bound to a key of the session (RFC 9449): `dpop`.
    public var proofs = ProofMode.off
    /// A PEM file (PKCS #8) with the private key that authenticates the client: `client_key_file`.
    public var clientKeyFile: String?
    /// The key identifier (`kid`) of that key at the provider, if the provider needs it: `client_key_id`.
    public var clientKeyID: String?
    /// A PEM file with the client certificate and its chain, for `tls`: `client_certificate_file`.
    public var clientCertificateFile: String?
    /// The resources that the tokens are for (RFC 8707), as absolute URIs: `resource`.
    public var resources: [String] = []
    /// Whether tokens are issued to programs: `policy`.
    public var policy = TokenPolicy.allow
    /// The starter of a sign-in when a tool needs a token: `sign_in`.
    public var signInMode = SignInMode.manual
    /// The source of sessions that are obtained without the user. Set only for `exchange`.
    public var exchange: Exchange?
    /// The settings of the provider kind; `nil` for kinds without their own settings.
    public var kindSettings: (any KindSettings)? {
        get { storedKindSettings?.settings }
        set { storedKindSettings = newValue.map { AnyKindSettings(settings: $0) } }
    }
    private var storedKindSettings: AnyKindSettings?
    /// The differences of the service from the standards, for kinds `oidc`, `oauth2` and `exchange`.
    public var dialect = ProviderDialect()
    /// The lifetime of sessions: `session_lifetime`.
    public var sessionLifetime = SessionLifetime.kept
    /// The scopes of a client that Yett registered itself (RFC 7591): `registered_scopes`; `nil` for any other client. Yett registers such
    /// a client again if the server no longer knows it or if more scopes are needed.
    public var registeredScopes: ScopeSet?
    /// The labels of the sign-in and sign-up actions: `sign_in_label`, `sign_up_label`.
    public var labels = ProviderLabels()

    /// The settings of a session that is obtained without user interaction: derived from another session, or of a machine.
    public struct Exchange: Equatable, Sendable {
        /// The grant that is exchanged for tokens.
        public enum Grant: String, Sendable, CaseIterable {
            /// Token exchange (RFC 8693).
            case tokenExchange = "token-exchange"
            /// RFC 7523 section 2.1: a JWT is used as the authorization grant, a token of the source session or an assertion of a workload.
            case assertion = "jwt-bearer"
            /// The source session's provider issues a grant for this provider (draft-ietf-oauth-identity-assertion-authz-grant).
            case identityGrant = "id-jag"
            /// RFC 6749 section 4.4: the client's own tokens, without a user.
            case clientCredentials = "client_credentials"
        }

        /// The source session: `from`; `nil` for a session of a machine.
        public var from: SessionName?
        /// The grant to use.
        public var grant: Grant
        /// The service's own word for the client credentials grant, such as Zoom's `account_credentials`; `nil` for the standard's.
        public var ownGrantType: String?
        /// The token of the source session to present: `subject_token`.
        public var presented: TokenRequest.Wanted
        /// The logical names of the target services at the provider: `audience`.
        public var audiences: [String]
        /// The source of a workload's assertion, or of a user's ID token: `assertion_file` or `assertion_command`.
        public var assertion: SecretSource?

        /// Creates an exchange.
        public init(
            from: SessionName? = nil, grant: Grant = .tokenExchange, ownGrantType: String? = nil, presented: TokenRequest.Wanted = .access,
            audiences: [String] = [], assertion: SecretSource? = nil
        ) {
            self.from = from
            self.grant = grant
            self.ownGrantType = ownGrantType
            self.presented = presented
            self.audiences = audiences
            self.assertion = assertion
        }

        /// The grant as the configuration names it: `grant`.
        public var grantName: String { ownGrantType ?? grant.rawValue }
    }

    /// The lifetime of sessions, independent of the lifetimes that the provider sets.
    public enum SessionLifetime: String, Sendable, CaseIterable {
        /// Until the user or the provider ends them.
        case kept
        /// Until the app quits or the agent ends. Then they are revoked and deleted.
        case process
    }

    /// Endpoints from the configuration.
    public struct Endpoints: Equatable, Sendable {
        /// The authorization endpoint.
        public var authorization: WebURL?
        /// The token endpoint.
        public var token: WebURL?
        /// The UserInfo endpoint.
        public var userInfo: WebURL?
        /// The revocation endpoint.
        public var revocation: WebURL?
        /// The end-session endpoint.
        public var endSession: WebURL?
        /// The device authorization endpoint.
        public var deviceAuthorization: WebURL?

        /// Creates a set of endpoints. Default: none.
        public init(
            authorization: WebURL? = nil, token: WebURL? = nil, userInfo: WebURL? = nil, revocation: WebURL? = nil,
            endSession: WebURL? = nil, deviceAuthorization: WebURL? = nil
        ) {
            self.authorization = authorization
            self.token = token
            self.userInfo = userInfo
            self.revocation = revocation
            self.endSession = endSession
            self.deviceAuthorization = deviceAuthorization
        }
    }

    /// The source of a client secret or an assertion. The configuration never contains the secret itself.
    public enum SecretSource: Equatable, Sendable {
        /// The first line of a file.
        case file(String)
        /// The first line of a command's output. The command is an argument vector.
        case command([String])
    }

    /// The client authentication method at the token endpoint (RFC 6749 section 2.3).
    public enum ClientAuthentication: String, Sendable, CaseIterable {
        /// Chooses a method that the client and the provider's metadata support.
        case auto
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// Basic authentication with identifier and secret as they are, for services that do not decode them (RFC 6749 section 2.3.1).
        case clientSecretBasicRaw = "client_secret_basic_raw"
        /// Basic authentication with the client identifier and an empty password, for clients without a secret.
        case clientSecretBasicEmpty = "client_secret_basic_empty"
        /// A JWT signed with the client's key (RFC 7523 section 2.2).
        case privateKeyJWT = "private_key_jwt"
        /// A client certificate (RFC 8705 section 2), presented by the HTTP client.
        case tls
    }

    /// Creates a provider configuration with the default settings.
    public init(name: ProviderName, kind: ProviderKind, issuer: Issuer?, clientID: String, scopes: ScopeSet = []) {
        self.name = name
        self.kind = kind
        self.issuer = issuer
        self.clientID = clientID
        self.scopes = scopes
    }
}

/// Whether authorization requests are pushed, which is optional for providers.
public enum PushedRequestMode: String, Sendable, CaseIterable {
    /// If the provider offers it.
    case auto
    /// Always. The sign-in fails if the provider does not offer it.
    case required
    /// Never. The sign-in fails if the provider requires it.
    case off
}

/// Whether tokens are bound to a key of the session (RFC 9449). A bound token is useless to programs that send it as Bearer, so there is no
/// automatic mode.
public enum ProofMode: String, Sendable, CaseIterable {
    /// Never. The sign-in fails if the provider requires it.
    case off
    /// Always. The sign-in fails if the provider does not offer it.
    case required
}
