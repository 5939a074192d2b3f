internal import AuthEngine
internal import UserConfiguration

extension BeyondIdentityKind {
    var keys: [KindKey] {
        [
            KindKey(
                "mode",
                """
                "rp-initiated": the backend does the sign-in; "direct": yett receives the code and sends it to the backend;
                "secure-access": the newer generation, with issuer and client_id of the application, and no backend.
                """),
            KindKey(
                "url",
                """
                For rp-initiated: the backend's page, with {redirect} in place of the redirect address. If it also contains {state}, the \
                backend must return that value as state, and all other responses are refused.
                """),
            KindKey(
                "callback_path",
                """
                For rp-initiated: "exact" uses the address that yett providers redirect prints. "random" adds a random part to its path for \
                each sign-in, for a backend that accepts every path below the address and returns no state. Default: "exact".
                """),
            KindKey(
                "capture", "For rp-initiated: required callback parameters; the first one is the session. Default: [\"session\"]."),
            KindKey("exchange_url", "For direct: the backend's URL for the code, which is sent as JSON."),
            KindKey("session_pointer", "For direct: the JSON pointer to the session in the response. Default: /session_id."),
            KindKey("user_pointer", "For direct: the JSON pointer to the user's claims. Default: /user."),
            KindKey("expires_pointer", "For direct: the JSON pointer to the session's lifetime in seconds. Default: /expires_in."),
            KindKey("signup_url", "The URL to which yett signup posts an e-mail address, or that it opens."),
            KindKey("signup_kind", "\"form\" or \"browser\". Default: \"form\"."),
            KindKey(
                "signup_body",
                """
                For form: the JSON object to post, with {email}, and with {display_name} to ask for a name, too; without a name, that member is \
                left out. Default: '{"email": "{email}"}'.
                """),
            KindKey("recover_url", "The URL to which yett recover posts an e-mail address."),
            KindKey("download_url", "The download page of the authenticator."),
            KindKey(
                "session_check_url",
                """
                The URL where the backend returns the user of a session as JSON. The session is sent as a bearer token, at the end of a sign-in \
                and by yett inspect. Without it, only the data from the sign-in is known.
                """),
            KindKey("sign_out_url", "The URL to which yett logout posts, with the session as a bearer token, to end it."),
            KindKey(
                "pkce",
                """
                For direct and secure-access: "required" or "auto". Both send a challenge (S256) with every request; a server without PKCE \
                ignores it. "off" is refused. Default: "required".
                """),
            KindKey(
                "invocation",
                "For secure-access: \"automatic\", or \"manual\" if the application responds with the URL for the browser. Default: \"automatic\"."
            ),
            KindKey("invoke_hosts", "For manual: the allowed hosts for the browser. Default: the vendor's own."),
            KindKey(
                "tokens_url",
                "For secure-access: the management API's token list, for yett sessions --remote. Default: derived from the vendor's own issuers."
            ),
        ]
    }
}
