/// The settings of the sandbox's MapsIndoors.
public struct MapsIndoorsSettings: VendorSettings {
    /// A flaw of an ID token.
    public enum IDTokenFlaw: String, Sendable, CaseIterable {
        case none, missing
        case badIssuer = "bad_issuer"
        /// A second audience, and another client as the authorised party.
        case wrongAuthorizedParty = "foreign_party"
        case expired
        /// Issued 601 seconds ago.
        case issuedEarly = "issued_early"
        /// Issued in 601 seconds.
        case issuedLate = "issued_late"
        case wrongNonce = "wrong_nonce"
        case badSignature = "bad_signature"
        case unsigned
    }

    /// The spelling of the members of the authentication details.
    public enum Spelling: String, Sendable, CaseIterable {
        /// As the JavaScript SDK reads them: `clientId`, `preferredIDPs`.
        case javaScript = "javascript"
        /// As the iOS SDK names them: `clientID`, `preferredIDPS`.
        case iOS = "ios"
    }

    /// The key of the only solution.
    public var apiKey = "sandbox-key"
    /// Whether the solution's data requires a sign-in.
    public var isAuthRequired = true
    /// The clients of the solution.
    public var clients = ["mapsindoors-app"]
    /// The identity providers, in order of preference.
    public var identityProviders = ["google", "microsoft"]
    /// The identity providers of single clients, by client identifier; any other client has ``identityProviders``.
    public var clientIdentityProviders: [String: [String]] = [:]
    /// `authScope` in the details.
    public var authScope = "client-apis"
    /// The spelling of the members of the details.
    public var spelling = Spelling.javaScript
    /// Whether the details omit their arrays.
    public var omitsArrays = false
    /// Whether the details are cut off in the middle.
    public var cutsDetails = false
    /// A member that the discovery document omits.
    public var droppedMetadata: String?
    /// Whether the discovery document names another issuer.
    public var hasWrongIssuer = false
    /// The flaw of ID tokens.
    public var idTokenFlaw = IDTokenFlaw.none
    /// Whether clients get refresh tokens for the scope `offline_access`.
    public var allowsOfflineAccess = true
    /// Whether a refresh token is valid only once.
    public var usesSingleUseRefreshTokens = true
    /// Whether a client must use PKCE (RFC 7636).
    public var requiresProofKey = true
    /// Whether authorization responses are in the fragment, as the JavaScript SDK's sample requests.
    public var answersInFragment = false
    /// An error that the authorization endpoint returns for every request.
    public var authorizeError: String?
    /// The lifetime of an access token.
    public var accessLifetime: Duration = .seconds(86_400)
    /// The lifetime of an ID token.
    public var idTokenLifetime: Duration = .seconds(300)
    /// The client for the Booking service, which accepts no other client's tokens.
    public var bookingClient = "booking-app"
    /// The registered post-logout redirect URIs.
    public var postLogoutRedirects = ["http://127.0.0.1/callback"]

    /// Creates the default settings.
    public init() {}

    /// The vendor of these settings.
    public static let vendor = Vendor.mapsIndoors

    /// The settings by their names.
    public static let sandboxSettings: [SandboxSetting<MapsIndoorsSettings>] = [
        .text("api_key", \.apiKey, "the key of the only solution"),
        .flag("is_auth_required", \.isAuthRequired, "whether the data requires a sign-in"),
        .texts("clients", \.clients, "the clients in the details"),
        .texts("idps", \.identityProviders, "the identity providers in the details"),
        .lists("client_idps", \.clientIdentityProviders, "the identity providers of single clients: {client: [name, …]}"),
        .text("auth_scope", \.authScope, "authScope in the details"),
        .word("spelling", \.spelling, "the spelling of the members of the details"),
        .flag("omit_arrays", \.omitsArrays, "whether the details omit their arrays"),
        .flag("cut_details", \.cutsDetails, "whether the details are cut off"),
        .optionalText("drop_metadata", \.droppedMetadata, "a member that the discovery document omits"),
        .flag("wrong_issuer", \.hasWrongIssuer, "whether the discovery document names another issuer"),
        .word("id_token", \.idTokenFlaw, "the flaw of ID tokens"),
        .flag("offline_access", \.allowsOfflineAccess, "whether there are refresh tokens"),
        .flag("one_time_refresh", \.usesSingleUseRefreshTokens, "whether a refresh token is valid only once"),
        .flag("require_pkce", \.requiresProofKey, "whether a code challenge is required"),
        .flag("fragment", \.answersInFragment, "whether responses are in the fragment of the redirect"),
        .optionalText("authorize_error", \.authorizeError, "an error that the authorization endpoint returns for every request"),
        .seconds("access_lifetime", \.accessLifetime, "the lifetime of access tokens, in seconds"),
        .seconds("id_token_lifetime", \.idTokenLifetime, "the lifetime of ID tokens, in seconds"),
        .text("booking_client", \.bookingClient, "the client of the Booking service's tenant"),
        .texts("post_logout_redirects", \.postLogoutRedirects, "the registered post-logout redirect URIs"),
    ]

    /// Returns the system's routes on a server.
    public static func makeRoutes(on serverState: VendorServerState<MapsIndoorsSettings>) -> VendorRoutes {
        VendorRoutes(MapsIndoorsSystem(serverState: serverState))
    }
}
