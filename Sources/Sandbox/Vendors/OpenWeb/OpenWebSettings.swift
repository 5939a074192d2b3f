/// What the OpenWeb gateway and the publisher's backend are to be like.
public struct OpenWebSettings: VendorSettings {
    /// The site whose conversations these are.
    public var spotID = "sp_sandbox"
    /// `sso_enabled` of the site's configuration.
    public var isSSOEnabled = true
    /// `policy.forceRegister`: whether guests may not write.
    public var forcesRegistration = true
    /// `policy.allowGuestsToLike`.
    public var letsGuestsLike = true
    /// How long an Authorization lasts, as `token_expiration` says.
    public var tokenLifetime: Duration = .seconds(3600)
    /// Whether every answer to a good Authorization carries a new one, which ends the old.
    public var rotatesAuthorization = false
    /// `x-openweb-token` beside every Authorization that is given out; `nil` for none.
    public var token: String?
    /// How many requests with a user's good Authorization are answered 403, which ends it; -1 for all of them.
    public var refusals403 = 0
    /// Values of Authorization that are answered 403 from now on.
    public var refusedAuthorizations: [String] = []
    /// Whether somebody whom the publisher vouches for comes back as registered.
    public var registersUsers = true
    /// Whether `sso/start` leaves `code_a` out.
    public var omitsCodeA = false
    /// What `sso/start` answers to a JWT that is good.
    public var jwt = JWT.completes
    /// Whether `sso/complete` says `success`.
    public var completes = true
    /// What `register-user` answers.
    public var registration = Registration.json
    /// Whom the publisher vouches for instead of whoever asks; empty for whoever asks.
    public var vouchesFor = ""
    /// Whether the publisher's backend takes tokens that it did not give out, for ``vouchesFor``: those of an identity provider of its own.
    public var takesForeignTokens = false
    /// What the publisher's backend does when it is asked for a code B.
    public var publisherMode = PublisherMode.normal

    /// The ways in which a publisher renews or does not, under the names that they have in the vendor's own test app.
    public enum PublisherMode: String, Sendable, CaseIterable {
        case normal = "Normal"
        /// 501.
        case notImplemented = "NotImplemented"
        /// The request stays open.
        case neverAnswers = "NeverAnswers"
        /// OpenWeb is asked to register the user, and the request stays open.
        case renewsButNeverReports = "RenewsButNeverReports"
        /// Success, and no code.
        case answersWithoutRenewing = "AnswersWithoutRenewing"
    }

    public enum JWT: String, Sendable, CaseIterable {
        /// Signed in at once: `auto_complete` and `success`.
        case completes
        /// `auto_complete` without `success`.
        case fails
        /// No `auto_complete`: it goes on with codes.
        case goesOn = "goes_on"
    }

    public enum Registration: String, Sendable, CaseIterable {
        /// `{"code_b": …}`.
        case json
        /// The code as plain text.
        case text
        /// An identifier of 20 characters with status 200, as for input that is wrong.
        case requestID = "request_id"
        /// 400.
        case refused
    }

    public init() {}

    public static let vendor = Vendor.openWeb

    public static let sandboxSettings: [SandboxSetting<OpenWebSettings>] = [
        .text("spot_id", \.spotID, "the site whose conversations these are"),
        .flag("sso_enabled", \.isSSOEnabled, "sso_enabled of the site's configuration"),
        .flag("force_register", \.forcesRegistration, "whether guests may not write"),
        .flag("guests_like", \.letsGuestsLike, "whether guests may like"),
        .seconds("token_lifetime", \.tokenLifetime, "seconds for which an Authorization lasts"),
        .flag("rotates_authorization", \.rotatesAuthorization, "whether every good answer carries a new Authorization"),
        .optionalText("openweb_token", \.token, "x-openweb-token beside every Authorization that is given out"),
        .number(
            "refusals_403", \.refusals403, "how many requests of a user are answered 403, which ends the Authorization; -1 for all",
            within: -1...Int.max),
        .texts("refused_authorizations", \.refusedAuthorizations, "values of Authorization that are answered 403"),
        .flag("registers_users", \.registersUsers, "whether users come back as registered"),
        .flag("omits_code_a", \.omitsCodeA, "whether sso/start leaves code_a out"),
        .word("jwt", \.jwt, "what sso/start answers to a good JWT"),
        .flag("completes", \.completes, "whether sso/complete says success"),
        .word("registration", \.registration, "what register-user answers"),
        .text("vouches_for", \.vouchesFor, "whom the publisher vouches for instead of whoever asks"),
        .flag("takes_foreign_tokens", \.takesForeignTokens, "whether the publisher takes any token, for whoever vouches_for says"),
        .word("publisher_mode", \.publisherMode, "what the publisher's backend does when it is asked for a code B"),
    ]

    public static func makeRoutes(on stage: VendorServerState<OpenWebSettings>) throws -> VendorRoutes {
        VendorRoutes(OpenWebGateway(stage: stage))
    }
}
