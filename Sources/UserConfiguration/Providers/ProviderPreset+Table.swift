internal import AuthModel

/// The well-known providers.
extension ProviderPreset {
    private static let openID = ["openid", "profile", "email"]
    private static let anyPort = ["http://127.0.0.1/callback"]
    /// For providers that compare redirect addresses byte for byte.
    private static let fixedPorts = ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"]

    package static let all: [ProviderPreset] = [
        ProviderPreset(
            name: "google", address: .issuer("https://accounts.google.com"), scopes: openID, redirects: anyPort,
            apiHosts: ["www.googleapis.com", "openidconnect.googleapis.com"],
            // Google has no offline_access scope, and issues a refresh token with the first consent only.
            extraParameters: [("access_type", "offline"), ("prompt", "consent")], hosts: ["accounts.google.com"],
            hints: [
                "hint.google_create_desktop_client",
                "hint.google_give_client_secret_file",
            ]),
        ProviderPreset(
            name: "entra",
            address: .issuer(
                "https://login.microsoftonline.com/{}/v2.0",
                Place(what: "phrase.entra_tenant_id", example: "00000000-0000-0000-0000-000000000000")),
            scopes: openID + ["offline_access"], redirects: ["http://localhost/callback"], hosts: ["login.microsoftonline.com"],
            hints: [
                "hint.entra_register_localhost",
                "hint.entra_public_client_no_secret",
            ]),
        ProviderPreset(
            name: "github",
            address: .settings([
                ("authorization_endpoint", "https://github.com/login/oauth/authorize"),
                ("token_endpoint", "https://github.com/login/oauth/access_token"), ("userinfo_endpoint", "https://api.github.com/user"),
                ("device_authorization_endpoint", "https://github.com/login/device/code"),
            ]),
            kind: .oauth2, scopes: ["read:user", "user:email"], redirects: anyPort, apiHosts: ["api.github.com"],
            hints: [
                "hint.github_register_loopback",
                "hint.github_browser_flow_needs_secret",
                "hint.github_tokens_never_expire",
            ]),
        ProviderPreset(
            name: "gitlab",
            address: .issuer("https://{}", Place(what: "phrase.gitlab_host", example: "gitlab.example.org", fallback: "gitlab.com")),
            scopes: openID,
            redirects: anyPort, hosts: ["gitlab.com"],
            hints: ["hint.gitlab_clear_confidential"]),
        ProviderPreset(
            name: "keycloak",
            address: .issuer("https://{}", Place(what: "phrase.keycloak_host_and_realm", example: "id.example.org/realms/main")),
            scopes: openID + ["offline_access"], redirects: anyPort,
            hints: [
                "hint.keycloak_create_public_client",
                "hint.keycloak_offline_access",
            ]),
        ProviderPreset(
            name: "okta",
            address: .issuer("https://{}", Place(what: "phrase.okta_domain", example: "dev-1.okta.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["okta.com"],
            hints: [
                "hint.okta_create_native_application"
            ]),
        ProviderPreset(
            // The trailing slash is part of the issuer.
            name: "auth0", address: .issuer("https://{}/", Place(what: "phrase.auth0_domain", example: "dev-1.eu.auth0.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["auth0.com"],
            hints: [
                "hint.auth0_create_native_application",
                "hint.auth0_set_audience",
            ]),
        ProviderPreset(
            // With any scope besides openid, Apple responds with a form POST, which the user could not paste.
            name: "apple", address: .issuer("https://appleid.apple.com"), scopes: ["openid"], requiresPasteRedirect: true,
            hosts: ["appleid.apple.com"],
            hints: [
                "hint.apple_client_is_services_id",
                "hint.apple_paste_url",
                "hint.apple_set_client_secret_command",
            ]),
        ProviderPreset(
            name: "arcgis",
            address: .settings(
                [("portal_url", "https://{}")],
                Place(what: "phrase.arcgis_portal", example: "gis.example.org/portal", fallback: "www.arcgis.com")),
            kind: .arcGIS, redirects: fixedPorts, hosts: ["arcgis.com"],
            hints: [
                "hint.arcgis_register_application",
                "hint.arcgis_set_social",
                "hint.arcgis_servers_need_own_tokens",
            ]),
        ProviderPreset(
            name: "mapsindoors",
            address: .settings(
                [("gateway_url", "https://{parent}"), ("api_key", "{last}")],
                Place(what: "phrase.mapsindoors_gateway_and_key", example: "gateway.example.org/auth/KEY")),
            kind: .mapsIndoors, redirects: fixedPorts, choosesClient: true, apiHosts: ["api.mapsindoors.com"],
            hosts: ["mapsindoors.com"],
            hints: [
                "hint.mapsindoors_register_callbacks",
                "hint.mapsindoors_list_clients",
                "hint.mapsindoors_make_renewable",
            ]),
        ProviderPreset(
            name: "beyond-identity", address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
            redirects: fixedPorts,
            modes: [
                ProviderMode(
                    name: "rp-initiated", meaning: UserMessage("beyond_identity.mode_rp_initiated"),
                    kind: .beyondIdentity, address: .settings([]),
                    needs: [
                        .init(
                            keys: ["url"], what: "provider.preset_backend_page",
                            example: "https://app.example.org/start?redirect={redirect}&state={state}")
                    ], choosesClient: true,
                    hints: [
                        "hint.preset_backend_callback",
                        "hint.preset_backend_session_check",
                    ]),
                ProviderMode(
                    name: "direct", meaning: "provider.preset_direct", kind: .beyondIdentity,
                    address: .settings([]), fixed: [("authorization_endpoint", "https://auth.byndid.com/v2/authorize")],
                    needs: [
                        .init(
                            keys: ["exchange_url"], what: "provider.preset_backend_code_url",
                            example: "https://app.example.org/exchange")
                    ], scopes: ["openid"],
                    hints: [
                        "hint.preset_public_client"
                    ]),
                ProviderMode(
                    name: "secure-access", meaning: "provider.preset_secure_access", kind: .beyondIdentity,
                    address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
                    hints: [
                        "hint.preset_public_client",
                        "hint.preset_refresh_tokens_off",
                    ], hosts: ["beyondidentity.com"]),
            ],
            hosts: ["beyondidentity.com", "byndid.com"],
            hints: [
                "hint.preset_public_client"
            ]),
        ProviderPreset(
            name: "openweb", address: .settings([("spot_id", "{}")], site), kind: .openWeb, choosesClient: true,
            modes: [
                ProviderMode(
                    name: "codes", meaning: "provider.preset_publisher_users", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["codeb_url"], what: "provider.preset_codeb_url",
                            example: "https://www.example.org/api/spotim-sso"),
                        .init(
                            keys: ["publisher_login_url", "publisher"],
                            what: "provider.preset_publisher_login",
                            example: "https://www.example.org/api/login"),
                    ], choosesClient: true),
                ProviderMode(
                    name: "jwt", meaning: "provider.preset_jwt", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site), choosesClient: true,
                    hints: ["hint.preset_jwt_command"]),
                ProviderMode(
                    name: "provider", meaning: "provider.preset_idp_token", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["provider"], what: "provider.preset_idp_name",
                            example: "piano")
                    ], choosesClient: true,
                    hints: ["hint.preset_idp_token_command"]),
            ]),
    ]

    private static let application = Place(
        what: "provider.preset_issuer",
        example: "auth-us.beyondidentity.com/v1/tenants/TENANT/realms/REALM/applications/APPLICATION")
    private static let site = Place(what: "provider.preset_spot_id", example: "sp_eCIlROSD")
}
