import AuthModel

/// The settings of the sandbox's Beyond Identity, and of the backend of an app that signs in there.
public struct BeyondIdentitySettings: VendorSettings {
    /// The backend's client authentication at the token endpoint.
    public enum ClientAuthentication: String, Sendable, CaseIterable {
        case basic, post, none
    }

    /// The backend's response to the app after a sign-in that it mediated.
    public enum Payload: String, Sendable, CaseIterable {
        /// A session.
        case session
        /// Claims about the user, and no session.
        case userInfo = "userinfo"
        /// Nothing.
        case none
    }

    /// The fault of `state` in the redirect.
    public enum StateFlaw: String, Sendable, CaseIterable {
        case none, missing, tampered
    }

    /// A start of a sign-in by the newer generation: with a redirect, or with a document that contains the URL.
    public enum Invocation: String, Sendable, CaseIterable {
        case automatic, manual
    }

    /// The only client.
    public var clientID = "acme-cloud"
    /// The client secret, which only the backend has.
    public var clientSecret = "sandbox-backend-secret"
    /// The backend's client authentication.
    public var clientAuthentication = ClientAuthentication.basic
    /// Whether a code is redeemed only with the verifier of its challenge (RFC 7636).
    public var requiresProofKey = false
    /// The backend's response to the app.
    public var payload = Payload.session
    /// The redirect addresses of the app, compared byte for byte; empty for any on this machine.
    public var appRedirects: [String] = []
    /// Whether the user denies the sign-in.
    public var deniesSignIn = false
    /// `expires_in` of the session, in seconds; `nil` omits it.
    public var sessionLifetime: Int?
    /// The fault of `state` in the redirect.
    public var stateFlaw = StateFlaw.none
    /// The status of `/enroll` and `/recover`.
    public var enrollStatus = 200
    /// The bearer token of the management API, which only the backend has.
    public var apiToken = "sandbox-api-token"
    /// The start of a sign-in by the newer generation.
    public var invocation = Invocation.automatic
    /// The URL of the authenticator; `nil`: in the sandbox itself.
    public var invokeURL: String?
    /// The wrong response of the newer generation's authorization endpoint.
    public var invocationFlaw = InvocationFlaw.none
    /// Whether the newer generation issues refresh tokens.
    public var issuesRefreshTokens = true
    /// The number of tokens on a page of the newer generation's list.
    public var tokensPerPage = 20

    /// A wrong response of the newer generation's authorization endpoint.
    public enum InvocationFlaw: String, Sendable, CaseIterable {
        /// The correct response.
        case none
        /// A page instead of JSON.
        case page
        /// `{"code": "forbidden", "message": …}`.
        case refusal
        /// JSON without `authenticate_url`.
        case empty
    }

    /// Creates the default settings.
    public init() {}

    /// The vendor of these settings.
    public static let vendor = Vendor.beyondIdentity

    /// The settings by their names.
    public static let sandboxSettings: [SandboxSetting<BeyondIdentitySettings>] = [
        .text("client_id", \.clientID, "the only client"),
        .word("client_auth", \.clientAuthentication, "the backend's client authentication"),
        .flag("require_pkce", \.requiresProofKey, "whether a code needs its verifier"),
        .flag("denies_sign_in", \.deniesSignIn, "whether the user denies the sign-in"),
        .word("payload", \.payload, "what the backend returns to the app"),
        .texts("app_redirects", \.appRedirects, "the redirect addresses of the app, compared byte for byte; empty for any on this machine"),
        .of(
            "session_lifetime", \.sessionLifetime, "expires_in of the session, in seconds; null omits it",
            read: { $0 == .null ? .some(nil) : $0.integer.map { .some(Int($0)) } }, write: { $0.map { .number($0) } ?? .null }),
        .word("state", \.stateFlaw, "what happens to state in the redirect"),
        .number("enroll_status", \.enrollStatus, "the status of sign-ups and recoveries", within: 200...599),
        .word("invocation", \.invocation, "how the newer generation starts a sign-in"),
        .word("invocation_flaw", \.invocationFlaw, "the wrong response of the newer generation's authorization endpoint"),
        .flag("gives_refresh_tokens", \.issuesRefreshTokens, "whether the newer generation issues refresh tokens"),
        .number("tokens_per_page", \.tokensPerPage, "the number of tokens on a page of the newer generation's list", within: 1...Int.max),
        .optionalText("invoke_url", \.invokeURL, "the URL of the authenticator"),
    ]

    /// Returns the system's routes on a server.
    public static func makeRoutes(on serverState: VendorServerState<BeyondIdentitySettings>) -> VendorRoutes {
        VendorRoutes(BeyondIdentitySystem(serverState: serverState))
    }
}
