internal import AuthModel

/// `kind = "beyond-identity"`: an app with a backend, which alone holds a secret.
struct BeyondIdentityConfiguration: KindSettings {
    /// Who brings the code to the token endpoint, and how it gets there.
    enum Mode: Equatable {
        /// `mode = "rp-initiated"`: the backend goes through the whole sign-in, and sends the browser back with what it likes.
        case mediated(Mediated)
        /// `mode = "direct"`: the code comes here, and is handed to the backend.
        case direct(Direct)
    }

    /// A sign-in that the backend mediates.
    struct Mediated: Equatable {
        /// `url`: the backend's page, with `{redirect}` where the address goes that it is to come back to, and `{state}` where the value
        /// goes that it is to send back as `state`.
        var page: String
        /// `capture`: parameters of the way back that are the answer. The first one is the session.
        var capture = ["session"]
        /// `callback_path`: which path the backend comes back to.
        var path = Path.exact

        enum Path: String, CaseIterable {
            /// That of the redirect address, byte for byte.
            case exact
            /// One below it that is made for each sign-in and told to the backend alone.
            case random
        }

        /// The mark of the place for a state.
        static let statePlace = "{state}"

        /// Whether the backend is given a state, which has to come back.
        var takesState: Bool { page.contains(Self.statePlace) }

        /// The page for an address to come back to; `nil` where that makes no protected address.
        func url(returningTo redirect: String, state: String = "state") -> WebURL? {
            let parts = page.replacing(Self.statePlace, with: FormEncoding.escape(state))
                .split(separator: "{redirect}", omittingEmptySubsequences: false)
            guard let url = WebURL(parts.joined(separator: FormEncoding.escape(redirect))), url.isProtected, url.fragment == nil else {
                return nil
            }
            return url
        }
    }

    /// A code that is handed to the backend.
    struct Direct: Equatable {
        /// `exchange_url`: takes the code as JSON.
        var exchange: WebURL
        /// Where the session stands in its answer, a JSON pointer (RFC 6901): `session_pointer`.
        var session = "/session_id"
        /// `user_pointer`: the claims about the person.
        var user = "/user"
        /// `expires_pointer`: how many seconds the session lasts.
        var lifetime = "/expires_in"
    }

    /// How an account is made.
    enum SignUp: Equatable {
        /// `signup_url` is posted what the person answers as JSON: `signup_body`.
        case form(WebURL, SignUpBody)
        /// `signup_url` is a page for the browser.
        case browser(WebURL)
    }

    var mode: Mode
    var signUp: SignUp?
    /// `recover_url`: is posted the e-mail address of an account, and sends a link that makes it good again.
    var recovery: WebURL?
    /// `download_url`: where people get the authenticator.
    var download: WebURL?
    /// `session_check_url`: tells whose a session is that it is sent as a bearer token, and refuses one that is not good (any more).
    var sessionCheck: WebURL?
    /// `sign_out_url`: ends the session that it is sent as a bearer token.
    var signOut: WebURL?

    /// Where the vendor offers the authenticator.
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
