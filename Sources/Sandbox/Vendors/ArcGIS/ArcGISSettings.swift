/// The settings of the ArcGIS portal and its servers.
public struct ArcGISSettings: VendorSettings {
    /// The registered applications.
    public var clientIDs = ["yett-arcgis"]
    /// The lifetime of an access token.
    public var accessLifetime: Duration = .seconds(1800)
    /// The lifetime of a refresh token without `expiration`.
    public var refreshLifetime: Duration = .seconds(20_160 * 60)
    /// The maximum lifetime of a refresh token, for any `expiration`.
    public var longestRefreshLifetime: Duration = .seconds(129_600 * 60)
    /// Whether a code yields a refresh token.
    public var issuesRefreshTokens = true
    /// Whether the user denies the sign-in.
    public var deniesSignIn = false
    /// The social sign-in providers that the organisation allows.
    public var socialProviders = ["facebook", "google", "github", "apple"]
    /// The treatment of refresh requests.
    public var renewal = Renewal.works
    /// The treatment of revocation requests.
    public var revocation = Revocation.works
    /// The number of revocation requests to collect before any gets a response; shows whether a client sends them concurrently.
    public var revocationBatchSize = 1
    /// The number of data requests with a valid token to answer with 498; -1 for all.
    public var refusals498 = 0
    /// The number of data requests with a valid token to answer with 499; -1 for all.
    public var refusals499 = 0
    /// Whether data requests with a valid token are answered with 403.
    public var forbids = false
    /// Whether `portals/self` omits the user.
    public var hidesUser = false
    /// The portal that the server at `/server` claims to belong to.
    public var federation = Federation.here
    /// The HTTP authentication of the web server in front of `/server`.
    public var webTier = WebTier.open

    /// A response to a refresh request.
    public enum Renewal: String, Sendable, CaseIterable {
        /// New tokens.
        case works
        /// Refused as expired.
        case expired
        /// Refused because of the client.
        case invalidClient = "invalid_client"
        /// A server error, inside HTTP 200.
        case failing
        /// A page instead of JSON.
        case page
    }

    /// A response to a revocation request.
    public enum Revocation: String, Sendable, CaseIterable {
        /// The token is revoked.
        case works
        /// `{"success": false}`.
        case refused
        /// HTTP 500.
        case failing
    }

    /// The portal that the server at `/server` claims to belong to.
    public enum Federation: String, Sendable, CaseIterable {
        /// This portal.
        case here
        /// `owningSystemUrl` is another portal.
        case elsewhere
        /// No `owningSystemUrl`: a stand-alone server.
        case none
    }

    /// The HTTP authentication of the web server in front of `/server`.
    public enum WebTier: String, Sendable, CaseIterable {
        /// None.
        case open
        /// HTTP Basic (RFC 7617).
        case basic
        /// HTTP Digest (RFC 7616).
        case digest
    }

    /// Creates the default settings.
    public init() {}

    /// The vendor of these settings.
    public static let vendor = Vendor.arcGIS

    /// The settings by their names.
    public static let sandboxSettings: [SandboxSetting<ArcGISSettings>] = [
        .texts("client_ids", \.clientIDs, "the registered applications"),
        .seconds("access_lifetime", \.accessLifetime, "the lifetime of an access token, in seconds"),
        .seconds("refresh_lifetime", \.refreshLifetime, "the lifetime of a refresh token without expiration, in seconds"),
        .seconds("longest_refresh_lifetime", \.longestRefreshLifetime, "the maximum lifetime of a refresh token, in seconds"),
        .flag("gives_refresh_tokens", \.issuesRefreshTokens, "whether a code yields a refresh token"),
        .flag("denies_sign_in", \.deniesSignIn, "whether the user denies the sign-in"),
        .texts("social_providers", \.socialProviders, "the social sign-in providers that the organisation allows"),
        .word("renewal", \.renewal, "the response to refresh requests"),
        .word("revocation", \.revocation, "the response to revocation requests"),
        .number("revocation_quorum", \.revocationBatchSize, "the number of revocation requests to collect before any gets a response"),
        .number(
            "refusals_498", \.refusals498, "the number of data requests with a valid token to answer with 498; -1 for all",
            within: -1...Int.max),
        .number(
            "refusals_499", \.refusals499, "the number of data requests with a valid token to answer with 499; -1 for all",
            within: -1...Int.max),
        .flag("forbids", \.forbids, "whether data requests with a valid token are answered with 403"),
        .flag("hides_user", \.hidesUser, "whether portals/self omits the user"),
        .word("federation", \.federation, "the portal that the server at /server claims to belong to"),
        .word("web_tier", \.webTier, "the HTTP authentication of the web server in front of /server"),
    ]

    /// Returns the system's routes on a server.
    public static func makeRoutes(on serverState: VendorServerState<ArcGISSettings>) throws -> VendorRoutes {
        VendorRoutes(ArcGISPortal(serverState: serverState))
    }
}
