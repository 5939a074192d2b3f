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
                "\"rp-initiated\": the backend goes through the sign-in; \"direct\": the code comes here and is handed to the backend."),
            .init("url", "For rp-initiated: the backend's page, with {redirect} where the address goes that it comes back to."),
            .init("capture", "For rp-initiated: parameters that must come back. The first one is the session. Usually [\"session\"]."),
            .init("exchange_url", "For direct: where the backend takes the code, as JSON."),
            .init("session_pointer", "For direct: where the session stands in its answer, a JSON pointer. Usually /session_id."),
            .init("user_pointer", "For direct: where the person's claims stand. Usually /user."),
            .init("expires_pointer", "For direct: where the session's seconds stand. Usually /expires_in."),
            .init("signup_url", "What yett signup posts an e-mail address to, or opens."),
            .init("signup_kind", "\"form\", the usual one, or \"browser\"."),
            .init("download_url", "Where people get the authenticator."),
        ]),
    ]
}
