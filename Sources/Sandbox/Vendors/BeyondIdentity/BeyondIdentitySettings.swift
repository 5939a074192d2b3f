import AuthModel

/// What the Beyond Identity of the sandbox, and the backend of an app that signs in there, are to be like.
public struct BeyondIdentitySettings: VendorSettings {
    /// How the backend shows who it is at the token endpoint.
    public enum ClientAuthentication: String, Sendable, CaseIterable {
        case basic, post, none
    }

    /// What the backend sends back to the app at the end of a sign-in that it mediated.
    public enum Payload: String, Sendable, CaseIterable {
        case session
        /// Claims about the person, and no session.
        case userInfo = "userinfo"
        case none
    }

    /// What becomes of `state` on the way back.
    public enum StateFlaw: String, Sendable, CaseIterable {
        case none, missing, tampered
    }

    /// How the newer generation begins a sign-in: with a redirect, or with a document for the app to carry on with.
    public enum Invocation: String, Sendable, CaseIterable {
        case automatic, manual
    }

    public var clientID = "acme-cloud"
    /// Held by the backend, and never by an app.
    public var clientSecret = "sandbox-backend-secret"
    public var clientAuthentication = ClientAuthentication.basic
    /// Whether a code is redeemed only with the verifier of its challenge (RFC 7636).
    public var requiresProofKey = false
    public var payload = Payload.session
    /// The addresses that the backend sends its app's browser to, compared byte for byte; empty for any on this machine.
    public var appRedirects: [String] = []
    /// Whether the person says no.
    public var deniesSignIn = false
    /// `expires_in` beside the session, in seconds.
    public var sessionLifetime: Int?
    public var stateFlaw = StateFlaw.none
    /// What `/enroll` and `/recover` answer with.
    public var enrollStatus = 200
    /// The bearer token of the management API, held by the backend.
    public var apiToken = "sandbox-api-token"
    public var invocation = Invocation.automatic
    /// Where the authenticator is invoked; `nil`: at the sandbox itself.
    public var invokeURL: String?
    /// What the newer generation's authorization endpoint answers with instead of what it should.
    public var invocationFlaw = InvocationFlaw.none
    /// Whether the newer generation gives refresh tokens.
    public var givesRefreshTokens = true
    /// How many tokens the newer generation's list has on a page.
    public var tokensPerPage = 20

    public enum InvocationFlaw: String, Sendable, CaseIterable {
        case none
        /// A page instead of JSON.
        case page
        /// `{"code": "forbidden", "message": …}`.
        case refusal
        /// JSON without `authenticate_url`.
        case empty
    }

    public init() {}

    public static let vendor = Vendor.beyondIdentity

    public static let sandboxSettings: [SandboxSetting<BeyondIdentitySettings>] = [
        .text("client_id", \.clientID, "the only client"),
        .word("client_auth", \.clientAuthentication, "how the backend shows who it is"),
        .flag("require_pkce", \.requiresProofKey, "whether a code needs its verifier"),
        .flag("denies_sign_in", \.deniesSignIn, "whether the person says no"),
        .word("payload", \.payload, "what the backend sends back"),
        .texts("app_redirects", \.appRedirects, "addresses that the backend comes back to, byte for byte; empty for any on this machine"),
        .of(
            "session_lifetime", \.sessionLifetime, "expires_in beside the session, in seconds; null for none",
            read: { $0 == .null ? .some(nil) : $0.integer.map { .some(Int($0)) } }, write: { $0.map { .number($0) } ?? .null }),
        .word("state", \.stateFlaw, "what becomes of state on the way back"),
        .number("enroll_status", \.enrollStatus, "the status of sign-ups and recoveries", within: 200...599),
        .word("invocation", \.invocation, "how the newer generation begins"),
        .word("invocation_flaw", \.invocationFlaw, "what the newer generation answers with instead of what it should"),
        .flag("gives_refresh_tokens", \.givesRefreshTokens, "whether the newer generation gives refresh tokens"),
        .number("tokens_per_page", \.tokensPerPage, "how many tokens a page of the newer generation's list has", within: 1...Int.max),
        .optionalText("invoke_url", \.invokeURL, "where the authenticator is invoked"),
    ]

    public static func makeRoutes(on stage: VendorServerState<BeyondIdentitySettings>) -> VendorRoutes {
        VendorRoutes(BeyondIdentitySystem(stage: stage))
    }
}
