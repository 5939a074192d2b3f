/// One `[providers.NAME]` of the configuration, read and checked.
public struct ProviderConfiguration: Equatable, Sendable {
    public var name: ProviderName
    public var kind: ProviderKind
    /// Always there for `oidc`; for `oauth2` where metadata is to be found (RFC 8414).
    public var issuer: Issuer?
    /// Endpoints written by hand, for `oauth2` providers without metadata; they win over metadata.
    public var endpoints: Endpoints
    public var clientID: String
    public var clientSecret: SecretSource?
    public var clientAuthentication: ClientAuthentication
    public var scopes: ScopeSet
    public var redirects: [RedirectRule]
    /// Where the browser may be sent after the provider's own session was ended, as it is registered there; empty: nowhere.
    public var postLogoutRedirects: [RedirectRule]
    /// A PEM file with roots that count beside the system's.
    public var caFile: String?
    /// Hosts that may be sent this session's token, `host` or `host:port`, in lower case.
    public var apiHosts: [String]
    /// The command that opens a URL, instead of `$BROWSER` and xdg-open.
    public var browser: String?
    /// Whether to ask for a private browser window.
    public var isPrivate: Bool
    /// How long a sign-in may take.
    public var loginTimeout: Duration
    /// Parameters of the authorization request beyond Yett's own.
    public var extraParameters: [String: String]
    /// Where accounts are made, at a provider without `prompt=create`.
    public var signUpURL: WebURL?
    /// Whether authorization requests are pushed (RFC 9126): `par`.
    public var pushedRequests: PushedRequestMode
    /// Whether tokens are bound to a key of the session (RFC 9449): `dpop`.
    public var proofs: ProofMode
    /// A PEM file (PKCS #8) with the key that the client shows who it is with: `client_key_file`.
    public var clientKeyFile: String?
    /// The name the provider knows that key by (`kid`), where it needs one: `client_key_id`.
    public var clientKeyID: String?
    /// A PEM file with the client's certificate and its chain, for `tls`: `client_certificate_file`.
    public var clientCertificateFile: String?
    /// What the tokens are for (RFC 8707), each an absolute URI: `resource`.
    public var resources: [String]
    /// Whether tokens are handed out: `policy`.
    public var policy: TokenPolicy
    /// What its sessions are made of; there for `exchange`, and for nothing else.
    public var exchange: Exchange?
    /// What only its kind needs to know; `nil` for kinds that need nothing of their own.
    public var own: (any KindSettings)? {
        get { held?.settings }
        set { held = newValue.map { AnyKindSettings(settings: $0) } }
    }
    private var held: AnyKindSettings?
    /// How long its sessions last: `session_lifetime`.
    public var sessionLifetime = SessionLifetime.kept
    /// The scopes that the client was registered for, where Yett registered it itself (RFC 7591): `registered_scopes`; `nil` for any other
    /// client. Such a client is registered again where the server forgot it, or where more scopes are needed.
    public var registeredScopes: ScopeSet?
    /// What the ways in are called: `sign_in_label`, `sign_up_label`.
    public var labels: ProviderLabels

    /// A session that is made from another one, without asking the person anything.
    public struct Exchange: Equatable, Sendable {
        /// How the token of the one becomes a token of the other.
        public enum Grant: String, Sendable, CaseIterable {
            /// RFC 8693.
            case tokenExchange = "token-exchange"
            /// RFC 7523 section 2.1: the token, a JWT, is the grant itself.
            case assertion = "jwt-bearer"
        }

        /// The session that it is made from: `from`.
        public var from: SessionName
        public var grant: Grant
        /// Which token of that session is presented: `subject_token`.
        public var presented: TokenRequest.Wanted
        /// What the new token is for, by names the provider knows: `audience`.
        public var audiences: [String]

        public init(
            from: SessionName, grant: Grant = .tokenExchange, presented: TokenRequest.Wanted = .access, audiences: [String] = []
        ) {
            self.from = from
            self.grant = grant
            self.presented = presented
            self.audiences = audiences
        }
    }

    /// How long sessions last, whatever the provider gives.
    public enum SessionLifetime: String, Sendable, CaseIterable {
        /// Until somebody ends them, or the provider does.
        case kept
        /// Until the app is quit, or the agent ends: then they are revoked and forgotten.
        case process
    }

    /// Endpoints by hand.
    public struct Endpoints: Equatable, Sendable {
        public var authorization: WebURL?
        public var token: WebURL?
        public var userInfo: WebURL?
        public var revocation: WebURL?
        public var endSession: WebURL?
        public var deviceAuthorization: WebURL?

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

    /// Where a client secret comes from; it never stands in the configuration.
    public enum SecretSource: Equatable, Sendable {
        /// A file whose first line it is.
        case file(String)
        /// A command, as an argument vector, whose first line of output it is.
        case command([String])
    }

    /// How the client shows who it is at the token endpoint (RFC 6749 section 2.3).
    public enum ClientAuthentication: String, Sendable, CaseIterable {
        /// What fits the client and the provider's metadata.
        case auto
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// A JWT signed with the client's key (RFC 7523 section 2.2).
        case privateKeyJWT = "private_key_jwt"
        /// A client certificate (RFC 8705 section 2), which the HTTP client presents.
        case tls
    }

    public init(
        name: ProviderName, kind: ProviderKind, issuer: Issuer?, clientID: String, endpoints: Endpoints = Endpoints(),
        clientSecret: SecretSource? = nil, clientAuthentication: ClientAuthentication = .auto, scopes: ScopeSet = [],
        redirects: [RedirectRule] = [.standard], postLogoutRedirects: [RedirectRule] = [], caFile: String? = nil, apiHosts: [String] = [],
        browser: String? = nil,
        isPrivate: Bool = false, loginTimeout: Duration = .seconds(300), extraParameters: [String: String] = [:], signUpURL: WebURL? = nil,
        pushedRequests: PushedRequestMode = .auto, proofs: ProofMode = .off, clientKeyFile: String? = nil,
        clientKeyID: String? = nil, clientCertificateFile: String? = nil, resources: [String] = [], policy: TokenPolicy = .allow,
        exchange: Exchange? = nil, own: (any KindSettings)? = nil,
        labels: ProviderLabels = ProviderLabels()
    ) {
        self.name = name
        self.kind = kind
        self.issuer = issuer
        self.endpoints = endpoints
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAuthentication = clientAuthentication
        self.scopes = scopes
        self.redirects = redirects
        self.postLogoutRedirects = postLogoutRedirects
        self.caFile = caFile
        self.apiHosts = apiHosts
        self.browser = browser
        self.isPrivate = isPrivate
        self.loginTimeout = loginTimeout
        self.extraParameters = extraParameters
        self.signUpURL = signUpURL
        self.pushedRequests = pushedRequests
        self.proofs = proofs
        self.clientKeyFile = clientKeyFile
        self.clientKeyID = clientKeyID
        self.clientCertificateFile = clientCertificateFile
        self.resources = resources
        self.policy = policy
        self.exchange = exchange
        self.labels = labels
        self.own = own
    }
}
