public import AuthModel

/// What a sandbox provider is to be like. Every value has a sensible default: an honest provider on any free port.
public struct SandboxConfiguration: Sendable {
    /// The port on 127.0.0.1; 0 for any that is free.
    public var port: Int
    /// Scheme, host and port that clients know it by, such as `http://127.0.0.1:8080`, where something else stands in front and forwards
    /// to ``port``; `nil` where nothing does.
    public var publicOrigin: String?
    /// Scheme, host and port where clients with a certificate are served, announced in `mtls_endpoint_aliases` (RFC 8705 section 5);
    /// something in front looks at the certificate, and forwards to ``port``. `nil` where nothing does.
    public var certificateOrigin: String?
    /// A path behind host and port that belongs to the issuer, such as `/tenant/a`; empty for none.
    public var issuerPath: String
    /// Who can sign in.
    public var people: [SandboxUser]
    /// Which clients are registered.
    public var clients: [SandboxClient]
    /// The user name of whoever is signed in and consents without any page, so that following redirects is enough; `nil` shows the pages.
    public var autoApproves: String?
    /// How long the things last that it gives out.
    public var lifetimes: Lifetimes
    /// When a refresh token is given.
    public var refreshTokens: RefreshTokens
    /// What becomes of a refresh token that was used.
    public var rotation: Rotation
    /// What signs ID tokens.
    public var idTokenAlgorithm: SigningAlgorithm
    /// What an access token looks like.
    public var accessTokens: AccessTokenFormat
    /// Which keys stand in the key set beside those that sign.
    public var keySet: KeySet
    /// What userinfo answers with.
    public var userInfo: UserInfoFormat
    /// Whether `iss` stands in authorization responses (RFC 9207), and whether metadata says so.
    public var issuerParameter: IssuerParameter
    /// Which metadata documents there are.
    public var metadata: Metadata
    /// Whether there is `prompt=create`, announced in `prompt_values_supported`. The page for it is there either way.
    public var offersPromptCreate: Bool
    /// Signing in on a device without a browser (RFC 8628).
    public var device: Device
    /// Authorization requests that clients push (RFC 9126).
    public var pushedRequests: PushedRequests
    /// Tokens that are bound to a key (RFC 9449).
    public var proofs: Proofs
    /// Whether anybody may register a client (RFC 7591).
    public var offersRegistration: Bool
    /// Whether a client may be described by a document at its identifier; taken from loopback alone.
    public var takesClientDocuments: Bool
    /// The protected resources beside the provider.
    public var resources: Resources
    /// Whether a person who consented once is asked again.
    public var remembersConsent: Bool
    /// Whether `GET /__log` shows the requests it was sent, credentials included. For tests in another process.
    public var showsRequestLog: Bool
    /// How far the `Date` header is from the provider's own clock.
    public var dateHeaderSkew: Duration
    /// The clock. ``SandboxServer/advance(by:)`` moves the provider's time against it.
    public var time: any TimeSource
    /// Whether clients without a secret may register.
    public var takesPublicClients = true
    /// What it does wrong from the start.
    public var misbehaviour: Misbehaviour

    /// An honest provider on any free port, with the standard people and clients.
    public init(
        port: Int = 0, publicOrigin: String? = nil, certificateOrigin: String? = nil, issuerPath: String = "",
        people: [SandboxUser] = SandboxUser.standard,
        clients: [SandboxClient] = SandboxClient.standard, autoApproves: String? = nil, lifetimes: Lifetimes = Lifetimes(),
        refreshTokens: RefreshTokens = .forOfflineAccess, rotation: Rotation = .rotatesAndDetectsReuse,
        idTokenAlgorithm: SigningAlgorithm = .rs256, accessTokens: AccessTokenFormat = .opaque, keySet: KeySet = .plain,
        userInfo: UserInfoFormat = .json, issuerParameter: IssuerParameter = .announced, metadata: Metadata = .both,
        offersPromptCreate: Bool = true, device: Device = Device(), pushedRequests: PushedRequests = .off, proofs: Proofs = Proofs(),
        offersRegistration: Bool = true, takesClientDocuments: Bool = false, resources: Resources = Resources(),
        remembersConsent: Bool = true, showsRequestLog: Bool = false,
        dateHeaderSkew: Duration = .zero, time: any TimeSource = SandboxClock(), misbehaviour: Misbehaviour = .none
    ) {
        self.port = port
        self.publicOrigin = publicOrigin
        self.certificateOrigin = certificateOrigin
        self.issuerPath = issuerPath
        self.people = people
        self.clients = clients
        self.autoApproves = autoApproves
        self.lifetimes = lifetimes
        self.refreshTokens = refreshTokens
        self.rotation = rotation
        self.idTokenAlgorithm = idTokenAlgorithm
        self.accessTokens = accessTokens
        self.keySet = keySet
        self.userInfo = userInfo
        self.issuerParameter = issuerParameter
        self.metadata = metadata
        self.offersPromptCreate = offersPromptCreate
        self.device = device
        self.pushedRequests = pushedRequests
        self.proofs = proofs
        self.offersRegistration = offersRegistration
        self.takesClientDocuments = takesClientDocuments
        self.resources = resources
        self.remembersConsent = remembersConsent
        self.showsRequestLog = showsRequestLog
        self.dateHeaderSkew = dateHeaderSkew
        self.time = time
        self.misbehaviour = misbehaviour
    }

    /// How long things last.
    public struct Lifetimes: Equatable, Sendable {
        public var code: Duration
        public var accessToken: Duration
        public var idToken: Duration
        /// From the last rotation.
        public var refreshToken: Duration
        /// How long a sign-in in the browser lasts.
        public var browserSession: Duration
        /// How long a pushed authorization request can be used.
        public var pushedRequest: Duration

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

    /// When a refresh token is given.
    public enum RefreshTokens: String, Sendable, CaseIterable {
        /// Where the scope `offline_access` was granted.
        case forOfflineAccess = "offline_access"
        case always
        case never
    }

    /// What becomes of a refresh token that was used.
    public enum Rotation: String, Sendable, CaseIterable {
        /// It is replaced; using it again revokes everything of that grant (RFC 9700 section 4.14.2).
        case rotatesAndDetectsReuse = "rotate"
        /// It stays good, and the answer does not repeat it.
        case keeps = "keep"
    }

    /// What signs ID tokens.
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    /// What an access token looks like.
    public enum AccessTokenFormat: String, Sendable, CaseIterable {
        case opaque
        /// RFC 9068.
        case jwt
    }

    /// Which keys stand in the key set.
    public enum KeySet: String, Sendable, CaseIterable {
        /// Those that sign, and one for encryption.
        case plain
        /// Keys of kinds that nobody signs with as well, and none says its algorithm.
        case crowded
    }

    /// What userinfo answers with.
    public enum UserInfoFormat: String, Sendable, CaseIterable {
        case json
        /// A signed JWT (OpenID Connect Core section 5.3.2).
        case jwt
    }

    /// Whether `iss` stands in authorization responses (RFC 9207).
    public enum IssuerParameter: String, Sendable, CaseIterable {
        case announced
        /// It is there, and metadata does not say so.
        case unannounced
        case absent
    }

    /// Which metadata documents there are.
    public enum Metadata: String, Sendable, CaseIterable {
        case both
        /// OpenID Connect Discovery alone.
        case openID = "openid"
        /// RFC 8414 alone.
        case oauth
    }
}
