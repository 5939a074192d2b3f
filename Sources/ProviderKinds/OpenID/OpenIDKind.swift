import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "oidc"`. Only the issuer is needed; its metadata has everything else.
struct OpenIDKind: KindDefinition {
    var keys: [KindKey] { Self.dialectKeys }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        var reading = KindReading(address: .issuer, scopes: ["openid"], openIDHint: UserMessage("hint.add_or_use_oauth2"))
        reading.dialect = try DialectReader(table: table).read()
        return reading
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        OpenIDAdapter(configuration: configuration, environment: environment)
    }

    /// The keys that describe how a service differs from the standards, for kinds `oidc` and `oauth2`.
    static let dialectKeys: [KindKey] = [
        KindKey(
            "discovery",
            "The URL of the metadata document, if it is not at the issuer's own place. Its issuer must still be the configured one."),
        KindKey(
            "issuer_pattern",
            """
            For a provider whose tenants have an issuer each, such as "https://id.example/{tenantid}": the metadata may name the pattern \
            itself or one tenant's issuer, and the issuer of an ID token must be the one of the tenant in its claim tid.
            """),
        KindKey(
            "trusted_audiences",
            """
            Audiences that an ID token may name besides this client, such as the ID of the client's project: ["123456"]. Add only clients that \
            you trust with your sign-in. Default: none; such an ID token is refused.
            """),
        KindKey(
            "resource_parameter",
            """
            Whether requests have the parameter resource (RFC 8707), if the provider has a resource: "sent", or "off" for a service that refuses \
            it, such as Microsoft Entra, where a scope names its resource. Default: "sent".
            """),
        KindKey(
            "client_id_parameter", "The parameter that names the client in requests, such as \"client_key\". Default: \"client_id\"."),
        KindKey(
            "client_secret_parameter",
            "The parameter that has the client's secret in requests: \"client_secret\", \"secret\" or \"app_secret\". Default: \"client_secret\"."
        ),
        KindKey(
            "redirect_name",
            """
            The service's name for the page of paste_redirect, which requests have as redirect_uri in the place of its address, such as \
            eBay's RuName. Default: none.
            """),
        KindKey(
            "redirect_parameter",
            "The parameter that has the address of the redirect page in requests: \"redirect_uri\" or \"redirect_url\". Default: \"redirect_uri\"."
        ),
        KindKey(
            "pkce",
            """
            "required", "hex" or "refused". With "hex", code_challenge is the S256 hash in hexadecimal digits. With "refused", neither \
            code_challenge nor code_verifier is sent; this needs a client secret. A service that takes only "plain", such as MyAnimeList, cannot \
            be used: "plain" shows in the address of the browser what protects the code. Default: "required".
            """),
        KindKey("scope_parameter", "The parameter that has the scopes in requests, such as \"user_scope\". Default: \"scope\"."),
        KindKey("scope_separator", "The character between scopes in requests. Default: a space."),
        KindKey(
            "scopes_in_response",
            """
            "granted" or "ignored". With "ignored", the requested scopes count as granted, because the service sends something else there. \
            Default: "granted".
            """),
        KindKey(
            "renewal_scopes",
            """
            "omitted" or "sent": whether a renewal names the scopes of the session. Use "sent" for a service that otherwise issues a token for \
            something else or no ID token, such as Microsoft Entra. Default: "omitted".
            """),
        KindKey(
            "token_request",
            """
            The format of requests to the token endpoint: "form", "json", "query" for a GET with the parameters in the query, for a service \
            that reads nothing else, or "camel_case_json" for JSON with names such as grantType. Default: "form".
            """),
        KindKey(
            "client_assertion_audience",
            """
            "issuer" or "token_endpoint": the audience of the JWT with which client_auth = "private_key_jwt" authenticates. Use \
            "token_endpoint" only for a server that refuses its issuer. Default: "issuer".
            """),
        KindKey(
            "client_assertion_issuer",
            "The issuer of that JWT, if it is not the client, such as the ID of your team at Apple. Default: the client ID."),
        KindKey(
            "client_assertion_algorithm",
            "The algorithm that signs that JWT, such as \"RS384\". Default: one that the provider announces and your key can sign with."),
        KindKey(
            "client_assertion_parameter",
            """
            "client_assertion" or "client_secret": the parameter that has that JWT. With "client_secret", it is the client's secret, as at \
            Apple. Default: "client_assertion".
            """),
        KindKey(
            "token_params",
            """
            A table of additional parameters for requests to the token endpoint. They cannot override Yett's own. "{callback.NAME}" stands for \
            a parameter of callback_members, also in later renewals, and "{callback.state}" for the state of the sign-in. client_id = \
            "{client_id}" names the client beside Basic authentication. Default: none.
            """),
        KindKey(
            "token_headers",
            """
            A table of additional header fields of requests to the token endpoint and for a device code, such as the key of a gateway. \
            {client_id} and {client_secret} are replaced. Default: none.
            """),
        KindKey(
            "code_parameter",
            "The parameter of the callback that has the code, such as \"spapi_oauth_code\" at Amazon. Default: \"code\"."),
        KindKey(
            "token_code_parameter", "The parameter of a token request that has the code: \"code\" or \"auth_code\". Default: \"code\"."
        ),
        KindKey(
            "long_lived_grant",
            """
            The grant_type of a GET after the sign-in that exchanges the access token for one that is valid for longer, such as \
            "ig_exchange_token" at Instagram. Default: none.
            """),
        KindKey("long_lived_endpoint", "The URL of this exchange. Default: the token endpoint."),
        KindKey(
            "renewal_grant",
            """
            The grant_type of a GET that renews the access token with the token itself, for a service without refresh tokens, such as \
            "ig_refresh_token" at Instagram. Such a token is renewed after half of its lifetime, because it cannot be renewed once it has \
            ended. Default: none; a refresh token renews.
            """),
        KindKey(
            "access_token_parameter",
            """
            The parameter that has the access token in this exchange and in these renewals: "access_token" or "fb_exchange_token". Default: \
            "access_token".
            """),
        KindKey("refresh_endpoint", "The URL to renew tokens at. Default: the token endpoint."),
        KindKey(
            "callback_members",
            """
            Parameters of the callback to keep with the session, such as ["realmId"] for the company's ID. yett inspect SESSION --json shows \
            them. Default: none.
            """),
        KindKey(
            "token_type",
            """
            "Bearer": what a token is if the response does not say it, or says it with a word of the service's own. Default: none; such a \
            response is refused.
            """),
        KindKey(
            "tokens_at",
            """
            The object of a token response that contains the tokens, such as "authed_user": names of members with dots between them. Default: \
            the response itself.
            """),
        KindKey(
            "zero_lifetime",
            "What expires_in = 0 means: \"expired\", or \"unlimited\" for a token that does not expire. Default: \"expired\"."),
        KindKey(
            "access_lifetime",
            """
            How many seconds an access token is valid if the token response does not say it, such as 7200. Default: unknown; the token is \
            renewed when a server refuses it.
            """),
        KindKey(
            "renewal",
            """
            "expected", "none" or "maybe". With "none" and "maybe", a sign-in without a refresh token causes no warning. Default: "expected".
            """),
        KindKey(
            "userinfo",
            """
            "optional", "off", "access_token" or "required". With "off", userinfo is not requested: the ID token or the token response \
            identifies the user. With "access_token", the claims of the access token do, which must be a JWT. With "required", a refusal ends \
            the sign-in even if the ID token is valid. Default: "optional".
            """),
        KindKey(
            "userinfo_params",
            """
            A table of additional parameters in the query at userinfo. "{access_token}" stands for the access token, which Authorization then \
            does not have, for a service that reads it nowhere else: { access_token = "{access_token}" }. "{token.NAME}" stands for a member of \
            the token response, and {client_id} is replaced. Default: none.
            """),
        KindKey("userinfo_body", "The JSON to send to userinfo in a POST. Default: none; userinfo is a GET."),
        KindKey("userinfo_scheme", "The scheme of the Authorization header at userinfo. Default: \"Bearer\"."),
        KindKey(
            "userinfo_headers",
            """
            A table of additional header fields at userinfo, such as the version of the API. {client_id} and {client_secret} are replaced. \
            Default: none.
            """),
        KindKey(
            "identity",
            """
            Where userinfo, or the token response without userinfo, has the user's data: a table with subject (the permanent ID), name (which \
            becomes the account's name in Yett) and email, each as names of members with dots between them, such as { subject = "data.0.id" }. \
            Default: the common names.
            """),
        KindKey(
            "token_header",
            """
            The header field that has the token, without a scheme, at the API and at userinfo, for a service that does not read Authorization, \
            such as "X-Shopify-Access-Token", or "Authorization" for one that wants no scheme there. The schemes do not apply then. Default: Authorization.
            """),
        KindKey("api_scheme", "The scheme of the Authorization header at the API, such as \"OAuth\". Default: \"Bearer\"."),
        KindKey(
            "api_headers",
            """
            A table of header fields that yett request, proxy and mcp send to the API with each token, such as { Client-Id = "{client_id}" }. \
            Where a request has such a field, its own value is sent, except Accept: */*. {client_id} and {client_secret} are \
            replaced, such as in { x-api-key = "{client_id}:{client_secret}" }; the secret comes from client_secret_file or \
            client_secret_command each time, and only a field with auth, key, secret or token in its name may have it. Default: none.
            """),
        KindKey(
            "api_refused_status",
            """
            The status, besides 401, with which the API answers a token that has ended, such as 403, or a list: the token is then renewed, and the \
            request sent once more. 203 counts only with an HTML page, and 302 only where it leads to a sign-in page. Default: none.
            """),
        KindKey(
            "api_errors",
            """
            A table that says what the API's own error codes and messages say about the token, with any status: "ended", so that it is renewed, and \
            the request sent once more, or "denied", so that the session stays as it is, such as { OAUTH_027 = "denied" }. A message may end \
            before its colon, and a member that is true counts by its name. yett request reads them. Default: none.
            """),
        KindKey(
            "api_host_from",
            """
            The member of the token response that names the session's own API host, such as "instance_url". That session's token may be sent to \
            this host too. Default: none.
            """),
        KindKey(
            "revocation",
            """
            The form of a revocation request: "rfc7009", "json" (the token as JSON, with the client in Basic authentication), "delete_json" (the \
            same with DELETE, by a client with a secret; {client_id} in revocation_endpoint is replaced), "delete_form" (the form of RFC 7009 \
            with DELETE), "json_post" (the token, and the client \
            with its secret, as JSON), "bearer" (an empty POST with the token in the Authorization header), "delete" (the same with DELETE) or \
            "none" (the service revokes no tokens). Default: "rfc7009".
            """),
        KindKey("revocation_parameter", "The parameter of a revocation request that has the token. Default: \"token\"."),
        KindKey("revokes", "Which tokens the service revokes: \"both\", \"refresh\" or \"access\". Default: \"both\"."),
        KindKey(
            "end_session_params",
            """
            A table of parameters for the service's sign-out page, instead of the standard ones. {client_id} and {redirect} (an address of \
            post_logout_redirect) are replaced. Default: the standard parameters.
            """),
        KindKey(
            "device_params",
            """
            A table of additional parameters for requests for a device code, such as { response_type = "device_code" }. They cannot override \
            Yett's own. Default: none.
            """),
        KindKey(
            "device_lifetime",
            "How many seconds a device code is valid if the response does not say it, such as 600. Default: none; such a response is refused."
        ),
        KindKey("device_token_endpoint", "The URL to ask whether the user has confirmed a device code. Default: the token endpoint."),
        KindKey(
            "device_grant",
            """
            The grant_type of requests that ask whether the user has confirmed a device code, such as "device_code", or "none" for no grant_type. \
            Default: the one of RFC 8628.
            """),
        KindKey(
            "device_code_parameter", "The parameter of these requests that has the device code, such as \"code\". Default: \"device_code\"."
        ),
        KindKey(
            "device_poll_params",
            """
            A table of additional parameters of these requests. {user_code} is replaced by the code that the user types. They cannot override \
            Yett's own. Default: none.
            """),
        KindKey(
            "device_pkce",
            """
            "auto" or "required": whether requests for a device code have a code challenge, and polls its verifier. With "auto", they do if the \
            provider refuses a request without it, and says so. Default: "auto".
            """),
        KindKey(
            "device_client_token",
            """
            The client token of your app at Facebook, which authenticates the device flow in place of the client secret: it is sent as \
            access_token, after the client ID and a bar. Default: none.
            """),
        KindKey(
            "device_errors",
            """
            A table that says what a service's own error codes, or the statuses of its answers, mean while the user confirms a device code: \
            "authorization_pending", "slow_down", "expired_token", "access_denied" or "invalid_grant" each, such as { 410 = "expired_token" }. \
            Default: none; the service has the codes of RFC 8628.
            """),
    ]
}

/// The definition of `kind = "oauth2"`, with or without metadata.
struct OAuthKind: KindDefinition {
    var keys: [KindKey] { OpenIDKind.dialectKeys }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        // Some services, such as tado's, have nothing but device codes.
        let hasPage = try table.text("device_authorization_endpoint") == nil
        var reading = KindReading(address: .endpoints((hasPage ? ["authorization_endpoint"] : []) + ["token_endpoint"]))
        reading.dialect = try DialectReader(table: table).read()
        return reading
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        OpenIDAdapter(configuration: configuration, environment: environment)
    }
}
