extension HelpTopics {
    /// The keys of kind `mapsindoors`.
    static let mapsIndoorsKeys: [HelpPage.Block] = [
        .heading("[providers.NAME]: kind \"mapsindoors\""),
        .terms([
            .init("gateway_url", "The gateway that tells how a solution is signed in to; the key is appended to it."),
            .init("api_key", "The solution's key."),
            .init("idp", "The identity provider to sign in with; left out, you are asked where there are several."),
            .init("extra_scopes", "What to ask for beside what the gateway tells: [\"offline_access\"] for sessions that can be renewed."),
            .init(
                "tenant_id",
                "For the Booking service, with issuer and client_id of its tenant in the place of api_key: sent with every request."),
        ]),
    ]

    /// The keys of kind `beyond-identity`.
    static let beyondIdentityKeys: [HelpPage.Block] = [
        .heading("[providers.NAME]: kind \"beyond-identity\""),
        .terms([
            .init(
                "mode",
                """
                "rp-initiated": the backend goes through the sign-in; "direct": the code comes here and is handed to the backend;
                "secure-access": the newer generation, with issuer and client_id of the application, and no backend.
                """),
            .init("url", "For rp-initiated: the backend's page, with {redirect} where the address goes that it comes back to."),
            .init("capture", "For rp-initiated: parameters that must come back. The first one is the session. Usually [\"session\"]."),
            .init("exchange_url", "For direct: where the backend takes the code, as JSON."),
            .init("session_pointer", "For direct: where the session stands in its answer, a JSON pointer. Usually /session_id."),
            .init("user_pointer", "For direct: where the person's claims stand. Usually /user."),
            .init("expires_pointer", "For direct: where the session's seconds stand. Usually /expires_in."),
            .init("signup_url", "What yett signup posts an e-mail address to, or opens."),
            .init("signup_kind", "\"form\", the usual one, or \"browser\"."),
            .init(
                "signup_body",
                """
                For form: what is posted, a JSON object with {email} in it, and {display_name} where a name is asked for, too; it is left out \
                where nobody gives one. Usually '{"email": "{email}"}'.
                """),
            .init("recover_url", "What yett recover posts an e-mail address to."),
            .init("download_url", "Where people get the authenticator."),
            .init(
                "session_check_url",
                """
                Where the backend tells whose a session is, as JSON, to whoever sends it as a bearer token: asked at the end of a sign-in, and \
                by yett inspect. Without it nothing is known of a session but what came along.
                """),
            .init(
                "pkce",
                """
                For direct and secure-access: "required", the usual one, or "auto". Both send a challenge (S256) with every request; a server \
                that knows nothing of it passes over it. "off" is refused.
                """),
            .init(
                "invocation",
                "For secure-access: \"automatic\", the usual one, or \"manual\", where the application answers with where the browser is to go."
            ),
            .init("invoke_hosts", "For manual: the hosts that the browser may be sent to. Usually the vendor's own."),
            .init("tokens_url", "For secure-access: the management API's list of tokens; made from the vendor's own issuers."),
        ]),
    ]

    /// The keys of kind `arcgis`.
    static let arcGISKeys: [HelpPage.Block] = [
        .heading("[providers.NAME]: kind \"arcgis\""),
        .terms([
            .init("portal_url", "The portal: https://www.arcgis.com, or an organisation's own, such as https://gis.example.org/portal."),
            .init("refresh_minutes", "How long a sign-in lasts: 0, the usual one, as the portal says; -1 as long as it allows."),
            .init(
                "exchange_minutes",
                "When the refresh token is exchanged for a new one: 0 never; left out, in its last day."),
            .init("locale", "The language of the portal's page."),
            .init("style", "The colours of the portal's page: \"light\" or \"dark\"."),
            .init("social", "What is offered beside the portal's own page: google, github, facebook, apple."),
            .init(
                "prompt_untrusted",
                "Whether you are asked about a server whose certificate no known authority signed. Usually false: it is refused."),
        ]),
    ]

    /// The keys of kind `openweb`.
    static let openWebKeys: [HelpPage.Block] = [
        .heading("[providers.NAME]: kind \"openweb\""),
        .terms([
            .init("spot_id", "The site whose conversations these are."),
            .init("gateway_url", "The gateway; OpenWeb's own where it is left out."),
            .init("codeb_url", "The publisher's backend, which turns a code A into a code B."),
            .init("publisher", "A provider whose session shows the publisher who you are; or publisher_login_url."),
            .init("publisher_login_url", "Where the publisher takes user name and password, as JSON, and answers with a token."),
            .init("codeb_header", "The field that brings the publisher's token to codeb_url. Usually access-token-network."),
            .init(
                "mode",
                "\"codes\", the usual one; \"jwt\": a JWT signs in; \"provider\": the token of an identity provider does."),
            .init("jwt_command", "A command whose first line is the JWT or the token; without one you are asked."),
            .init("provider", "For mode provider: janrain, gigya, piano, auth0, foxid or hearst."),
            .init("login_prompt", "Whether guests are shown that they can sign in. Usually false."),
            .init("login_prompt_text", "What they are shown. Usually \"Authorize to participate\"."),
            .init("renew_timeout", "Seconds that a silent renewal may take before you are a guest. Usually 30."),
        ]),
    ]
}
