/// What the ArcGIS portal and its servers are to be like.
public struct ArcGISSettings: VendorSettings {
    /// Applications that are registered.
    public var clientIDs = ["yett-arcgis"]
    /// How long an access token lasts.
    public var accessLifetime: Duration = .seconds(1800)
    /// How long a refresh token lasts where `expiration` does not say.
    public var refreshLifetime: Duration = .seconds(20_160 * 60)
    /// How long a refresh token lasts at most, whatever `expiration` says.
    public var longestRefreshLifetime: Duration = .seconds(129_600 * 60)
    /// Whether a code gives a refresh token.
    public var givesRefreshTokens = true
    /// Whether the person says no.
    public var deniesSignIn = false
    /// Sign-in providers that the organisation lets in.
    public var socialProviders = ["facebook", "google", "github", "apple"]
    /// What becomes of a refresh token.
    public var renewal = Renewal.works
    /// What becomes of a request to revoke.
    public var revocation = Revocation.works
    /// How many requests to revoke have to be there before any of them is answered: shows who asks side by side.
    public var revocationQuorum = 1
    /// How many data requests with a good token are answered 498; -1 for all of them.
    public var refusals498 = 0
    /// How many data requests with a good token are answered 499; -1 for all of them.
    public var refusals499 = 0
    /// Whether data requests with a good token are answered 403.
    public var forbids = false
    /// Whether `portals/self` leaves the user out.
    public var hidesUser = false
    /// Which portal the server at `/server` says it belongs to.
    public var federation = Federation.here
    /// Whether the web server in front of `/server` wants to know who asks, before the server itself does.
    public var webTier = WebTier.open

    /// What becomes of a refresh token that is presented.
    public enum Renewal: String, Sendable, CaseIterable {
        case works
        /// Refused as expired, for good.
        case expired
        /// Refused for the client's sake.
        case invalidClient = "invalid_client"
        /// An error of the server, inside HTTP 200.
        case failing
        /// A page instead of JSON.
        case page
    }

    public enum Revocation: String, Sendable, CaseIterable {
        case works
        /// `{"success": false}`.
        case refused
        /// HTTP 500.
        case failing
    }

    public enum Federation: String, Sendable, CaseIterable {
        case here
        /// `owningSystemUrl` is another portal.
        case elsewhere
        /// There is no `owningSystemUrl`: the server stands alone.
        case none
    }

    public enum WebTier: String, Sendable, CaseIterable {
        case open
        /// HTTP Basic (RFC 7617).
        case basic
        /// HTTP Digest (RFC 7616).
        case digest
    }

    public init() {}

    public static let vendor = Vendor.arcGIS

    public static let sandboxSettings: [SandboxSetting<ArcGISSettings>] = [
        .texts("client_ids", \.clientIDs, "applications that are registered"),
        .seconds("access_lifetime", \.accessLifetime, "seconds for which an access token lasts"),
        .seconds("refresh_lifetime", \.refreshLifetime, "seconds for which a refresh token lasts where expiration does not say"),
        .seconds("longest_refresh_lifetime", \.longestRefreshLifetime, "seconds for which a refresh token lasts at most"),
        .flag("gives_refresh_tokens", \.givesRefreshTokens, "whether a code gives a refresh token"),
        .flag("denies_sign_in", \.deniesSignIn, "whether the person says no"),
        .texts("social_providers", \.socialProviders, "sign-in providers that the organisation lets in"),
        .word("renewal", \.renewal, "what becomes of a refresh token"),
        .word("revocation", \.revocation, "what becomes of a request to revoke"),
        .number("revocation_quorum", \.revocationQuorum, "how many requests to revoke are waited for before any is answered"),
        .number(
            "refusals_498", \.refusals498, "how many data requests with a good token are answered 498; -1 for all",
            within: -1...Int.max),
        .number(
            "refusals_499", \.refusals499, "how many data requests with a good token are answered 499; -1 for all",
            within: -1...Int.max),
        .flag("forbids", \.forbids, "whether data requests with a good token are answered 403"),
        .flag("hides_user", \.hidesUser, "whether portals/self leaves the user out"),
        .word("federation", \.federation, "which portal the server at /server says it belongs to"),
        .word("web_tier", \.webTier, "whether the web server in front of /server wants to know who asks"),
    ]

    public static func makeRoutes(on stage: VendorServerState<ArcGISSettings>) throws -> VendorRoutes {
        VendorRoutes(ArcGISPortal(stage: stage))
    }
}
