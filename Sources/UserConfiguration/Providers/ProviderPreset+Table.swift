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
                "create an OAuth client of type \"Desktop app\": it accepts any port on 127.0.0.1 and needs no callback address",
                "Google requires its client_secret, although it is not confidential: put it in a file, and give --client-secret-file",
            ]),
        ProviderPreset(
            name: "entra",
            address: .issuer(
                "https://login.microsoftonline.com/{}/v2.0",
                Place(what: "your tenant ID", example: "00000000-0000-0000-0000-000000000000")),
            scopes: openID + ["offline_access"], redirects: ["http://localhost/callback"], hosts: ["login.microsoftonline.com"],
            hints: [
                "register http://localhost/callback under \"Mobile and desktop applications\": Entra ignores the port only for localhost",
                "a public client must have no secret; conditional access may refuse the device flow",
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
                "register http://127.0.0.1/callback in the OAuth app: then any port is accepted",
                "the browser flow needs the app's secret (--client-secret-file); the device flow does not, but must be enabled in the app",
                "the tokens of an OAuth app do not expire and cannot be renewed",
            ]),
        ProviderPreset(
            name: "gitlab", address: .issuer("https://{}", Place(what: "its host", example: "gitlab.example.org", usual: "gitlab.com")),
            scopes: openID,
            redirects: anyPort, hosts: ["gitlab.com"],
            hints: ["clear \"Confidential\" for the application; a refresh token is always issued"]),
        ProviderPreset(
            name: "keycloak", address: .issuer("https://{}", Place(what: "its host and realm", example: "id.example.org/realms/main")),
            scopes: openID + ["offline_access"], redirects: anyPort,
            hints: [
                "create a public client with \"Standard flow\" and http://127.0.0.1/callback as a valid redirect URI: any port is accepted",
                "without the scope offline_access, the session ends with the browser session at Keycloak",
            ]),
        ProviderPreset(
            name: "okta",
            address: .issuer("https://{}", Place(what: "your domain, or one of its authorization servers", example: "dev-1.okta.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["okta.com"],
            hints: [
                "create a native application with the grant \"Refresh Token\"; callback addresses must match exactly, including the port"
            ]),
        ProviderPreset(
            // The trailing slash is part of the issuer.
            name: "auth0", address: .issuer("https://{}/", Place(what: "your domain", example: "dev-1.eu.auth0.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["auth0.com"],
            hints: [
                "create a native application; callback addresses must match exactly, including the port",
                "for a token of your own API set extra_params = { audience = \"…\" }; a refresh token needs \"Allow Offline Access\" there",
            ]),
        ProviderPreset(
            // With any scope besides openid, Apple responds with a form POST, which the user could not paste.
            name: "apple", address: .issuer("https://appleid.apple.com"), scopes: ["openid"], requiresPasteRedirect: true,
            hosts: ["appleid.apple.com"],
            hints: [
                "the client is a Services ID; its return URL is an https page on your own domain, never an address on this machine",
                "to sign in, paste the full URL that your browser ends on; the page itself need not do anything",
                "its client secret is a JWT that you sign with your key, valid for up to six months: set client_secret_command to create it",
            ]),
        ProviderPreset(
            name: "arcgis",
            address: .settings(
                [("portal_url", "https://{}")],
                Place(what: "your portal", example: "gis.example.org/portal", usual: "www.arcgis.com")),
            kind: .arcGIS, redirects: fixedPorts, hosts: ["arcgis.com"],
            hints: [
                "register an application with its callback addresses at the portal; they must match exactly, including the port",
                "to sign in with Google, Facebook, GitHub or Apple, set social = [\"google\"]; organisation accounts need no setting",
                "the portal's servers need separate tokens: yett request NAME URL requests them from the portal",
            ]),
        ProviderPreset(
            name: "mapsindoors",
            address: .settings(
                [("gateway_url", "https://{parent}"), ("api_key", "{last}")],
                Place(what: "the gateway URL and your solution's key", example: "gateway.example.org/auth/KEY")),
            kind: .mapsIndoors, redirects: fixedPorts, choosesClient: true, apiHosts: ["api.mapsindoors.com"],
            hosts: ["mapsindoors.com"],
            hints: [
                "ask MapsIndoors to register the callback addresses; they must match exactly, including the port",
                "list the gateway's clients and identity providers with: yett providers details NAME",
                "a session ends after one day; to make it renewable, set extra_scopes = [\"offline_access\"]",
            ]),
        ProviderPreset(
            name: "beyond-identity", address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
            redirects: fixedPorts,
            modes: [
                ProviderMode(
                    name: "rp-initiated", meaning: "a backend signs you in and redirects the browser back with its session",
                    kind: .beyondIdentity, address: .settings([]),
                    needs: [
                        .init(
                            keys: ["url"], what: "the backend's sign-in page",
                            example: "https://app.example.org/start?redirect={redirect}&state={state}")
                    ], choosesClient: true,
                    hints: [
                        "the backend must accept the callback addresses unchanged, and return the state that it gets",
                        "set session_check_url to check sessions at the backend, and sign_out_url to end them there",
                    ]),
                ProviderMode(
                    name: "direct", meaning: "Yett receives the code, and a backend exchanges it for its session", kind: .beyondIdentity,
                    address: .settings([]), fixed: [("authorization_endpoint", "https://auth.byndid.com/v2/authorize")],
                    needs: [
                        .init(
                            keys: ["exchange_url"], what: "the backend's URL for the code",
                            example: "https://app.example.org/exchange")
                    ], scopes: ["openid"],
                    hints: [
                        "configure the application as a public client with PKCE S256; callback addresses must match exactly, including the port"
                    ]),
                ProviderMode(
                    name: "secure-access", meaning: "the newer generation: an OpenID provider, without a backend", kind: .beyondIdentity,
                    address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
                    hints: [
                        "configure the application as a public client with PKCE S256; callback addresses must match exactly, including the port",
                        "enable refresh tokens for the application; they are off by default",
                    ], hosts: ["beyondidentity.com"]),
            ],
            hosts: ["beyondidentity.com", "byndid.com"],
            hints: [
                "configure the application as a public client with PKCE S256; callback addresses must match exactly, including the port"
            ]),
        ProviderPreset(
            name: "openweb", address: .settings([("spot_id", "{}")], site), kind: .openWeb, choosesClient: true,
            modes: [
                ProviderMode(
                    name: "codes", meaning: "the publisher's backend vouches for the publisher's own users", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["codeb_url"], what: "the publisher's URL that exchanges code A for code B",
                            example: "https://www.example.org/api/spotim-sso"),
                        .init(
                            keys: ["publisher_login_url", "publisher"],
                            what: "the publisher's URL for user name and password, or the name of the provider to sign in with",
                            example: "https://www.example.org/api/login"),
                    ], choosesClient: true),
                ProviderMode(
                    name: "jwt", meaning: "a JWT of the site's identity provider", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site), choosesClient: true,
                    hints: ["yett asks for the JWT of the site's identity provider; to get it automatically, set jwt_command = [\"…\"]"]),
                ProviderMode(
                    name: "provider", meaning: "a token of an identity provider that OpenWeb knows by name", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["provider"], what: "the identity provider: janrain, gigya, piano, auth0, foxid or hearst",
                            example: "piano")
                    ], choosesClient: true,
                    hints: ["yett asks for the identity provider's token; to get it automatically, set jwt_command = [\"…\"]"]),
            ]),
    ]

    private static let application = Place(
        what: "your application's issuer",
        example: "auth-us.beyondidentity.com/v1/tenants/TENANT/realms/REALM/applications/APPLICATION")
    private static let site = Place(what: "your site's spot_id", example: "sp_eCIlROSD")
}
