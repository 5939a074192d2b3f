internal import AuthEngine
internal import AuthModel

/// The settings of `kind = "beyond-identity"`: an app with a backend, which alone holds the client secret.
struct BeyondIdentityConfiguration: KindSettings {
    /// The party that redeems the code, and how it gets the code.
    enum Mode: Equatable {
        /// `mode = "rp-initiated"`: the backend performs the whole sign-in, and sends the browser back with parameters of its own.
        case mediated(BackendSignIn)
        /// `mode = "direct"`: Yett receives the code, and passes it to the backend.
        case direct(Direct)
    }

    /// A sign-in that the backend performs.
    struct BackendSignIn: Equatable {
        /// `url`: the backend's page. `{redirect}` stands for the redirect address, and `{state}` for the value that the backend must
        /// return as `state`.
        var page: String
        /// `capture`: the callback parameters that are the answer. The first one is the session.
        var capture = ["session"]
        /// `callback_path`: the path that the backend redirects to.
        var path = Path.exact

        enum Path: String, CaseIterable {
            /// The path of the redirect address, byte for byte.
            case exact
            /// A path below it that is generated for each sign-in, and known to the backend only.
            case random
        }

        static let statePlaceholder = "{state}"

        /// Whether the backend gets a state, which it must return.
        var takesState: Bool { page.contains(Self.statePlaceholder) }

        /// Returns the URL of the page for a redirect address; `nil` if that is not a protected URL.
        func url(returningTo redirect: String, state: String = "state") -> WebURL? {
            let parts = page.replacing(Self.statePlaceholder, with: FormEncoding.escape(state))
                .split(separator: "{redirect}", omittingEmptySubsequences: false)
            guard let url = WebURL(parts.joined(separator: FormEncoding.escape(redirect))), url.isRequestable, url.fragment == nil else {
                return nil
            }
            return url
        }
    }

    /// A sign-in whose code is passed to the backend.
    struct Direct: Equatable {
        /// `exchange_url`: accepts the code as JSON.
        var exchange: WebURL
        /// `session_pointer`: the JSON pointer (RFC 6901) to the session in the backend's answer.
        var session = "/session_id"
        /// `user_pointer`: the JSON pointer to the claims about the user.
        var user = "/user"
        /// `expires_pointer`: the JSON pointer to the lifetime of the session in seconds.
        var lifetime = "/expires_in"
    }

    /// The way that a user creates an account.
    enum SignUp: Equatable {
        /// The user's answers are posted to `signup_url` as JSON: `signup_body`.
        case form(WebURL, SignUpBody)
        /// `signup_url` is a page for the browser.
        case browser(WebURL)
    }

    var mode: Mode
    var signUp: SignUp?
    /// `recover_url`: accepts the email address of an account by POST, and sends a link that restores the account.
    var recovery: WebURL?
    /// `download_url`: where users get the authenticator.
    var download: WebURL?
    /// `session_check_url`: accepts a session as a bearer token and returns its user, or refuses a session that is not valid.
    var sessionCheck: WebURL?
    /// `sign_out_url`: accepts a session as a bearer token, and ends it.
    var signOut: WebURL?

    /// The vendor's download page of the authenticator.
    static let standardDownload = "https://app.byndid.com/downloads"

    var hasOpaqueSessions: Bool { true }

    var shown: [(name: String, value: JSONValue)] {
        mode.shown + (signUp?.shown ?? []) + [
            ("recover_url", JSONValue(recovery?.text)), ("download_url", JSONValue(download?.text)),
            ("session_check_url", JSONValue(sessionCheck?.text)), ("sign_out_url", JSONValue(signOut?.text)),
        ]
    }
}

extension BeyondIdentityConfiguration.Mode {
    fileprivate var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .mediated(let page):
            [
                ("mode", "rp-initiated"), ("url", .string(page.page)), ("capture", JSONValue(page.capture)),
                ("callback_path", .string(page.path.rawValue)),
            ]
        case .direct(let direct):
            [
                ("mode", "direct"), ("exchange_url", .string(direct.exchange.text)), ("session_pointer", .string(direct.session)),
                ("user_pointer", .string(direct.user)), ("expires_pointer", .string(direct.lifetime)),
            ]
        }
    }
}

extension BeyondIdentityConfiguration.SignUp {
    fileprivate var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .form(let url, let body):
            [("signup_url", .string(url.text)), ("signup_kind", "form"), ("signup_body", .string(body.template.text))]
        case .browser(let url): [("signup_url", .string(url.text)), ("signup_kind", "browser")]
        }
    }
}
