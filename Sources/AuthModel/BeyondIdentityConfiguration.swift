/// `kind = "beyond-identity"`: an app with a backend, which alone holds a secret.
public struct BeyondIdentityConfiguration: Equatable, Sendable {
    /// Who brings the code to the token endpoint, and how it gets there.
    public enum Mode: Equatable, Sendable {
        /// `mode = "rp-initiated"`: the backend goes through the whole sign-in, and sends the browser back with what it likes.
        case mediated(Mediated)
        /// `mode = "direct"`: the code comes here, and is handed to the backend.
        case direct(Direct)
    }

    /// A sign-in that the backend mediates.
    public struct Mediated: Equatable, Sendable {
        /// `url`: the backend's page, with `{redirect}` where the address goes that it is to come back to.
        public var page: String
        /// `capture`: parameters of the way back that are the answer. The first one is the session.
        public var capture: [String]

        public init(page: String, capture: [String] = ["session"]) {
            self.page = page
            self.capture = capture
        }

        /// The page for an address to come back to; `nil` where that makes no protected address.
        public func url(returningTo redirect: String) -> WebURL? {
            let parts = page.split(separator: "{redirect}", omittingEmptySubsequences: false)
            guard let url = WebURL(parts.joined(separator: FormEncoding.escape(redirect))), url.isProtected, url.fragment == nil else {
                return nil
            }
            return url
        }
    }

    /// A code that is handed to the backend.
    public struct Direct: Equatable, Sendable {
        /// `exchange_url`: takes the code as JSON.
        public var exchange: WebURL
        /// Where the session stands in its answer, a JSON pointer (RFC 6901): `session_pointer`.
        public var session: String
        /// `user_pointer`: the claims about the person.
        public var user: String
        /// `expires_pointer`: how many seconds the session lasts.
        public var lifetime: String

        public init(exchange: WebURL, session: String = "/session_id", user: String = "/user", lifetime: String = "/expires_in") {
            self.exchange = exchange
            self.session = session
            self.user = user
            self.lifetime = lifetime
        }
    }

    /// How an account is made.
    public enum SignUp: Equatable, Sendable {
        /// `signup_url` is posted what the person answers as JSON: `signup_body`.
        case form(WebURL, SignUpBody)
        /// `signup_url` is a page for the browser.
        case browser(WebURL)
    }

    public var mode: Mode
    public var signUp: SignUp?
    /// `recover_url`: is posted the e-mail address of an account, and sends a link that makes it good again.
    public var recovery: WebURL?
    /// `download_url`: where people get the authenticator.
    public var download: WebURL?
    /// `session_check_url`: tells whose a session is that it is sent as a bearer token, and refuses one that is not good (any more).
    public var sessionCheck: WebURL?

    public init(mode: Mode, signUp: SignUp? = nil, recovery: WebURL? = nil, download: WebURL? = nil, sessionCheck: WebURL? = nil) {
        self.mode = mode
        self.signUp = signUp
        self.recovery = recovery
        self.download = download
        self.sessionCheck = sessionCheck
    }

    /// Where the vendor offers the authenticator.
    public static let standardDownload = "https://app.byndid.com/downloads"
}

extension ProviderConfiguration {
    public var beyondIdentity: BeyondIdentityConfiguration? { if case .beyondIdentity(let settings) = own { settings } else { nil } }

    /// Whether an account can be made there; `nil` where only the provider's metadata can say so.
    public var offersSignUp: Bool? {
        switch kind {
        case .oidc, .oauth2: signUpURL == nil ? nil : true
        // Accounts there are made by whoever runs the solution.
        case .mapsIndoors: signUpURL != nil
        case .beyondIdentity: beyondIdentity.map { $0.signUp != nil }
        case .exchange, .arcGIS, .openWeb: false
        }
    }
}
