extension BeyondIdentityKind {
    var keys: [KindKey] {
        [
            KindKey(
                "mode",
                """
                "rp-initiated": the backend goes through the sign-in; "direct": the code comes here and is handed to the backend;
                "secure-access": the newer generation, with issuer and client_id of the application, and no backend.
                """),
            KindKey(
                "url",
                """
                For rp-initiated: the backend's page, with {redirect} where the address goes that it comes back to. With {state} in it as well, \
                the backend has to send that value back as state: then nobody else's answer is taken.
                """),
            KindKey(
                "callback_path",
                """
                For rp-initiated: "exact", the usual one, comes back to the very address that yett providers redirect prints. "random" adds a \
                part to its path that is made for each sign-in, for a backend that takes every path below the address and returns no state.
                """),
            KindKey(
                "capture", "For rp-initiated: parameters that must come back. The first one is the session. Usually [\"session\"]."),
            KindKey("exchange_url", "For direct: where the backend takes the code, as JSON."),
            KindKey("session_pointer", "For direct: where the session stands in its answer, a JSON pointer. Usually /session_id."),
            KindKey("user_pointer", "For direct: where the person's claims stand. Usually /user."),
            KindKey("expires_pointer", "For direct: where the session's seconds stand. Usually /expires_in."),
            KindKey("signup_url", "What yett signup posts an e-mail address to, or opens."),
            KindKey("signup_kind", "\"form\", the usual one, or \"browser\"."),
            KindKey(
                "signup_body",
                """
                For form: what is posted, a JSON object with {email} in it, and {display_name} where a name is asked for, too; it is left out \
                where nobody gives one. Usually '{"email": "{email}"}'.
                """),
            KindKey("recover_url", "What yett recover posts an e-mail address to."),
            KindKey("download_url", "Where people get the authenticator."),
            KindKey(
                "session_check_url",
                """
                Where the backend tells whose a session is, as JSON, to whoever sends it as a bearer token: asked at the end of a sign-in, and \
                by yett inspect. Without it nothing is known of a session but what came along.
                """),
            KindKey("sign_out_url", "What yett logout posts to, with the session as a bearer token, to end it at the backend."),
            KindKey(
                "pkce",
                """
                For direct and secure-access: "required", the usual one, or "auto". Both send a challenge (S256) with every request; a server \
                that knows nothing of it passes over it. "off" is refused.
                """),
            KindKey(
                "invocation",
                "For secure-access: \"automatic\", the usual one, or \"manual\", where the application answers with where the browser is to go."
            ),
            KindKey("invoke_hosts", "For manual: the hosts that the browser may be sent to. Usually the vendor's own."),
            KindKey(
                "tokens_url",
                "For secure-access: the management API's list of tokens, for yett sessions --remote; made from the vendor's own issuers."),
        ]
    }
}
