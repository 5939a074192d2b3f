/// What the MapsIndoors of the sandbox is to be like.
public struct MapsIndoorsSettings: VendorSettings {
    /// What an ID token has wrong.
    public enum IDTokenFlaw: String, Sendable, CaseIterable {
        case none, missing
        case badIssuer = "bad_issuer"
        /// A second audience, and somebody else as the authorised party.
        case foreignParty = "foreign_party"
        case expired
        /// Issued 601 seconds ago.
        case issuedEarly = "issued_early"
        /// Issued in 601 seconds.
        case issuedLate = "issued_late"
        case wrongNonce = "wrong_nonce"
        case badSignature = "bad_signature"
        case unsigned
    }

    /// How the members of the authentication details are spelled.
    public enum Spelling: String, Sendable, CaseIterable {
        /// As the JavaScript SDK reads them: `clientId`, `preferredIDPs`.
        case javaScript = "javascript"
        /// As the iOS SDK names them: `clientID`, `preferredIDPS`.
        case iOS = "ios"
    }

    /// The key of the only solution there is.
    public var apiKey = "sandbox-key"
    /// Whether the solution's data is behind a sign-in.
    public var isAuthRequired = true
    /// Clients of the solution.
    public var clients = ["mapsindoors-app"]
    /// Identity providers, preferred ones first.
    public var identityProviders = ["google", "microsoft"]
    /// Identity providers of single clients, by their identifiers; any other client has ``identityProviders``.
    public var clientIdentityProviders: [String: [String]] = [:]
    public var authScope = "client-apis"
    public var spelling = Spelling.javaScript
    /// Whether the arrays of the details are left out.
    public var omitsArrays = false
    /// Whether the details are cut off in the middle.
    public var cutsDetails = false
    /// A member that is missing in the discovery document.
    public var droppedMetadata: String?
    /// Whether the discovery document is of another issuer.
    public var hasWrongIssuer = false
    public var idTokenFlaw = IDTokenFlaw.none
    /// Whether clients may have refresh tokens, which they get for the scope `offline_access`.
    public var allowsOfflineAccess = true
    /// Whether a refresh token is good once only.
    public var hasOneTimeRefreshTokens = true
    /// Whether a client has to prove that the code is its own (RFC 7636).
    public var requiresProofKey = true
    /// Whether answers come in the fragment, as the JavaScript SDK's sample asks for them.
    public var answersInFragment = false
    /// An error at the authorization endpoint, whatever was asked.
    public var authorizeError: String?
    public var accessLifetime: Duration = .seconds(86_400)
    public var idTokenLifetime: Duration = .seconds(300)
    /// The client at which people sign in for the Booking service, which takes no other client's tokens.
    public var bookingClient = "booking-app"
    /// Where clients may have the browser sent once somebody is signed out.
    public var postLogoutRedirects = ["http://127.0.0.1/callback"]

    public init() {}

    public static let vendor = Vendor.mapsIndoors

    public static let sandboxSettings: [SandboxSetting<MapsIndoorsSettings>] = [
        .text("api_key", \.apiKey, "the key of the only solution"),
        .flag("is_auth_required", \.isAuthRequired, "whether the data is behind a sign-in"),
        .texts("clients", \.clients, "clients in the details"),
        .texts("idps", \.identityProviders, "identity providers in the details"),
        .lists("client_idps", \.clientIdentityProviders, "identity providers of single clients: {client: [name, …]}"),
        .text("auth_scope", \.authScope, "authScope in the details"),
        .word("spelling", \.spelling, "how members of the details are spelled"),
        .flag("omit_arrays", \.omitsArrays, "leaves the arrays of the details out"),
        .flag("cut_details", \.cutsDetails, "cuts the details off"),
        .optionalText("drop_metadata", \.droppedMetadata, "a member that discovery leaves out"),
        .flag("wrong_issuer", \.hasWrongIssuer, "discovery of another issuer"),
        .word("id_token", \.idTokenFlaw, "what ID tokens have wrong"),
        .flag("offline_access", \.allowsOfflineAccess, "whether there are refresh tokens"),
        .flag("one_time_refresh", \.hasOneTimeRefreshTokens, "whether a refresh token is good once"),
        .flag("require_pkce", \.requiresProofKey, "whether a code challenge is required"),
        .flag("fragment", \.answersInFragment, "answers in the fragment of the redirect"),
        .optionalText("authorize_error", \.authorizeError, "an error at the authorization endpoint"),
        .seconds("access_lifetime", \.accessLifetime, "seconds for which access tokens last"),
        .seconds("id_token_lifetime", \.idTokenLifetime, "seconds for which ID tokens last"),
        .text("booking_client", \.bookingClient, "the client of the Booking service's tenant"),
        .texts("post_logout_redirects", \.postLogoutRedirects, "where the browser may be sent after signing out"),
    ]

    public static func makeRoutes(on stage: VendorServerState<MapsIndoorsSettings>) -> VendorRoutes {
        VendorRoutes(MapsIndoorsSystem(stage: stage))
    }
}
