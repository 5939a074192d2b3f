public import AuthModel

/// The settings of a sandbox provider. The defaults give a correct provider on any free port.
public struct SandboxConfiguration: Sendable {
    /// The port on 127.0.0.1; 0 for any free port.
    public var port: Int
    /// The scheme, host and port that clients use, such as `http://127.0.0.1:8080`, if a proxy in front forwards to ``port``; otherwise
    /// `nil`.
    public var publicOrigin: String?
    /// The scheme, host and port for clients with a certificate, announced in `mtls_endpoint_aliases` (RFC 8705 section 5). A proxy in
    /// front checks the certificate and forwards to ``port``; `nil` if there is none.
    public var certificateOrigin: String?
    /// The path of the issuer, such as `/tenant/a`; empty for none.
    public var issuerPath = ""
    /// The users who can sign in.
    public var users = SandboxUser.standard
    /// The registered clients.
    public var clients = SandboxClient.standard
    /// The name of the user who signs in and consents without any page, so that following redirects is enough; `nil` shows the pages.
    public var autoApproves: String?
    /// The lifetimes of codes, tokens and sessions.
    public var lifetimes: Lifetimes
    /// The sign-ins that get a refresh token.
    public var refreshTokens = RefreshTokens.forOfflineAccess
    /// The treatment of a used refresh token.
    public var rotation = Rotation.rotatesAndDetectsReuse
    /// The signing algorithm of ID tokens.
    public var idTokenAlgorithm: SigningAlgorithm
    /// The format of access tokens.
    public var accessTokens = AccessTokenFormat.opaque
    /// The content of the key set in addition to the signing keys.
    public var keySet = KeySet.plain
    /// The format of userinfo responses.
    public var userInfo = UserInfoFormat.json
    /// The use of `iss` in authorization responses (RFC 9207), and its announcement in the metadata.
    public var issuerParameter = IssuerParameter.announced
    /// The metadata documents to publish.
    public var metadata = Metadata.both
    /// Whether to support `prompt=create` and announce it in `prompt_values_supported`. The sign-up page exists in either case.
    public var offersPromptCreate = true
    /// The settings for sign-in by device code (RFC 8628).
    public var device: Device
    /// The support for pushed authorization requests (RFC 9126).
    public var pushedRequests: PushedRequests
    /// The settings for tokens that are bound to a key (RFC 9449).
    public var proofs: Proofs
    /// Whether clients can register themselves (RFC 7591).
    public var offersRegistration = true
    /// Whether to accept clients that are described by a document at their identifier; only from loopback.
    public var acceptsClientDocuments = false
    /// The protected resources.
    public var resources = Resources()
    /// Whether consent is remembered, so that a user is asked only once.
    public var remembersConsent = true
    /// Whether `GET /__log` returns the received requests, including credentials. For tests in another process.
    public var showsRequestLog = false
    /// The difference between the `Date` header and the provider's own clock.
    public var dateHeaderSkew = Duration.zero
    /// The clock. ``SandboxServer/advance(by:)`` moves the provider's time relative to it.
    public var time: any TimeSource
    /// Whether to issue grants for other authorization servers (ID-JAG), and announce it.
    public var issuesIdentityGrants = false
    /// The issuers on loopback whose grants are accepted; not empty means that this is announced.
    public var identityProviders: [String] = []
    /// Whether clients without a secret can register.
    public var acceptsPublicClients = true
    /// The faults to make from the start.
    public var faultSet: FaultSet

    /// Creates the settings of a correct provider on any free port, with the standard users and clients.
    public init(
        port: Int = 0, autoApproves: String? = nil, lifetimes: Lifetimes = Lifetimes(), idTokenAlgorithm: SigningAlgorithm = .rs256,
        device: Device = Device(), pushedRequests: PushedRequests = .off, proofs: Proofs = Proofs(),
        time: any TimeSource = SandboxClock(), faultSet: FaultSet = .none
    ) {
        self.port = port
        self.autoApproves = autoApproves
        self.lifetimes = lifetimes
        self.idTokenAlgorithm = idTokenAlgorithm
        self.device = device
        self.pushedRequests = pushedRequests
        self.proofs = proofs
        self.time = time
        self.faultSet = faultSet
    }

    /// Returns the settings with a change.
    public func with(_ change: (inout SandboxConfiguration) -> Void) -> SandboxConfiguration {
        var copy = self
        change(&copy)
        return copy
    }

    /// The lifetimes of codes, tokens and sessions.
    public struct Lifetimes: Equatable, Sendable {
        /// The lifetime of an authorization code.
        public var code: Duration
        /// The lifetime of an access token.
        public var accessToken: Duration
        /// The lifetime of an ID token.
        public var idToken: Duration
        /// The lifetime of a refresh token, from its last rotation.
        public var refreshToken: Duration
        /// The lifetime of a sign-in in the browser.
        public var browserSession: Duration
        /// The lifetime of a pushed authorization request.
        public var pushedRequest: Duration

        /// Creates lifetimes.
        public init(
            code: Duration = .seconds(60), accessToken: Duration = .seconds(300), idToken: Duration = .seconds(300),
            refreshToken: Duration = .seconds(86_400), browserSession: Duration = .seconds(28_800),
            pushedRequest: Duration = .seconds(60)
        ) {
            self.code = code
            self.accessToken = accessToken
            self.idToken = idToken
            self.refreshToken = refreshToken
            self.browserSession = browserSession
            self.pushedRequest = pushedRequest
        }
    }

    /// The sign-ins that get a refresh token.
    public enum RefreshTokens: String, Sendable, CaseIterable {
        /// If the scope `offline_access` was granted.
        case forOfflineAccess = "offline_access"
        /// With every sign-in.
        case always
        /// Not at all.
        case never
    }

    /// The treatment of a used refresh token.
    public enum Rotation: String, Sendable, CaseIterable {
        /// It is replaced; using it again revokes its whole grant (RFC 9700 section 4.14.2).
        case rotatesAndDetectsReuse = "rotate"
        /// It stays valid, and the response does not repeat it.
        case keeps = "keep"
    }

    /// A signing algorithm for ID tokens.
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    /// A format of access tokens.
    public enum AccessTokenFormat: String, Sendable, CaseIterable {
        /// A random string.
        case opaque
        /// A JWT (RFC 9068).
        case jwt
    }

    /// The content of the key set.
    public enum KeySet: String, Sendable, CaseIterable {
        /// The signing keys, and one for encryption.
        case plain
        /// Additional keys of types that are not used for signing; no key names its algorithm.
        case crowded
    }

    /// A format of userinfo responses.
    public enum UserInfoFormat: String, Sendable, CaseIterable {
        /// Plain JSON.
        case json
        /// A signed JWT (OpenID Connect Core section 5.3.2).
        case jwt
    }

    /// The use of `iss` in authorization responses (RFC 9207).
    public enum IssuerParameter: String, Sendable, CaseIterable {
        /// It is present, and the metadata says so.
        case announced
        /// It is present, but the metadata does not say so.
        case unannounced
        /// It is absent.
        case absent
    }

    /// The metadata documents to publish.
    public enum Metadata: String, Sendable, CaseIterable {
        /// Both documents.
        case both
        /// Only the document of OpenID Connect Discovery.
        case openID = "openid"
        /// Only the document of RFC 8414.
        case oauth
    }
}
