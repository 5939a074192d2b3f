/// The settings of the OpenWeb gateway and the publisher's backend.
public struct OpenWebSettings: VendorSettings {
    /// The identifier of the site.
    public var spotID = "sp_sandbox"
    /// `sso_enabled` in the site's configuration.
    public var isSSOEnabled = true
    /// `policy.forceRegister`: whether guests may not write.
    public var forcesRegistration = true
    /// `policy.allowGuestsToLike`.
    public var allowsGuestLikes = true
    /// The lifetime of an Authorization, as in `token_expiration`.
    public var tokenLifetime: Duration = .seconds(3600)
    /// Whether every response to a valid Authorization replaces it.
    public var rotatesAuthorization = false
    /// The `x-openweb-token` sent with every new Authorization; `nil` for none.
    public var token: String?
    /// The number of requests with a user's valid Authorization to answer with 403, which ends it; -1 for all.
    public var refusals403 = 0
    /// The values of Authorization to answer with 403.
    public var refusedAuthorizations: [String] = []
    /// Whether users that the publisher vouches for are returned as registered.
    public var registersUsers = true
    /// Whether `sso/start` omits `code_a`.
    public var omitsCodeA = false
    /// The response of `sso/start` to a valid JWT.
    public var jwt = JWT.completes
    /// Whether `sso/complete` returns `success`.
    public var completes = true
    /// The response of `register-user`.
    public var registration = Registration.json
    /// The user that the publisher vouches for in place of the requesting one; empty for the requesting one.
    public var vouchesFor = ""
    /// Whether the publisher's backend accepts tokens that it did not issue, for ``vouchesFor``: those of its own identity provider.
    public var acceptsForeignTokens = false
    /// The reaction of the publisher's backend to a request for a code B.
    public var publisherMode = PublisherMode.normal

    /// The ways in which a publisher handles renewals, by their names in the vendor's own test app.
    public enum PublisherMode: String, Sendable, CaseIterable {
        /// A code B.
        case normal = "Normal"
        /// Status 501.
        case notImplemented = "NotImplemented"
        /// No response.
        case neverAnswers = "NeverAnswers"
        /// The user is registered at OpenWeb, but there is no response.
        case renewsButNeverReports = "RenewsButNeverReports"
        /// Success without a code.
        case answersWithoutRenewing = "AnswersWithoutRenewing"
    }

    /// A response of `sso/start` to a valid JWT.
    public enum JWT: String, Sendable, CaseIterable {
        /// An immediate sign-in: `auto_complete` and `success`.
        case completes
        /// `auto_complete` without `success`.
        case fails
        /// No `auto_complete`: the sign-in continues with codes.
        case running = "goes_on"
    }

    /// A response of `register-user`.
    public enum Registration: String, Sendable, CaseIterable {
        /// `{"code_b": …}`.
        case json
        /// The code as plain text.
        case text
        /// An identifier of 20 characters with status 200, as for invalid input.
        case requestID = "request_id"
        /// Status 400.
        case refused
    }

    /// Creates the default settings.
    public init() {}

    /// The vendor of these settings.
    public static let vendor = Vendor.openWeb

    /// The settings by their names.
    public static let sandboxSettings: [SandboxSetting<OpenWebSettings>] = [
        .text("spot_id", \.spotID, "the identifier of the site"),
        .flag("sso_enabled", \.isSSOEnabled, "sso_enabled of the site's configuration"),
        .flag("force_register", \.forcesRegistration, "whether guests may not write"),
        .flag("guests_like", \.allowsGuestLikes, "whether guests may like"),
        .seconds("token_lifetime", \.tokenLifetime, "the lifetime of an Authorization, in seconds"),
        .flag("rotates_authorization", \.rotatesAuthorization, "whether every response to a valid Authorization replaces it"),
        .optionalText("openweb_token", \.token, "the x-openweb-token sent with every new Authorization"),
        .number(
            "refusals_403", \.refusals403, "the number of requests of a user to answer with 403, which ends the Authorization; -1 for all",
            within: -1...Int.max),
        .texts("refused_authorizations", \.refusedAuthorizations, "the values of Authorization to answer with 403"),
        .flag("registers_users", \.registersUsers, "whether users are returned as registered"),
        .flag("omits_code_a", \.omitsCodeA, "whether sso/start omits code_a"),
        .word("jwt", \.jwt, "the response of sso/start to a valid JWT"),
        .flag("completes", \.completes, "whether sso/complete returns success"),
        .word("registration", \.registration, "the response of register-user"),
        .text("vouches_for", \.vouchesFor, "the user that the publisher vouches for in place of the requesting one"),
        .flag("takes_foreign_tokens", \.acceptsForeignTokens, "whether the publisher accepts any token, for the user in vouches_for"),
        .word("publisher_mode", \.publisherMode, "what the publisher's backend does when it is asked for a code B"),
    ]

    /// Returns the system's routes on a server.
    public static func makeRoutes(on serverState: VendorServerState<OpenWebSettings>) throws -> VendorRoutes {
        VendorRoutes(OpenWebGateway(serverState: serverState))
    }
}
