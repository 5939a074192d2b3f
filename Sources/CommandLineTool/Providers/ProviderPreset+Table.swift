internal import AuthModel

/// The well-known providers.
extension ProviderPreset {
    private static let openID = ["openid", "profile", "email"]
    private static let anyPort = ["http://127.0.0.1/callback"]
    /// For providers that compare redirect addresses byte for byte.
    private static let fixedPorts = ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"]

    static let all: [ProviderPreset] = [
        ProviderPreset(
            name: "google", address: .issuer("https://accounts.google.com"), scopes: openID, redirects: anyPort,
            apiHosts: ["www.googleapis.com", "openidconnect.googleapis.com"],
            // Google has no offline_access scope, and issues a refresh token with the first consent only.
            extraParameters: [("access_type", "offline"), ("prompt", "consent")], hosts: ["accounts.google.com"],
            hints: [
                "make an OAuth client of type \"Desktop app\": it takes every port on 127.0.0.1, and needs no redirect address",
                "its client_secret is no secret, and Google wants it all the same: put it in a file, and name that with --client-secret-file",
            ]),
        ProviderPreset(
            name: "entra",
            address: .issuer(
                "https://login.microsoftonline.com/{}/v2.0",
                Place(what: "your tenant's identifier", example: "00000000-0000-0000-0000-000000000000")),
            scopes: openID + ["offline_access"], redirects: ["http://localhost/callback"], hosts: ["login.microsoftonline.com"],
            hints: [
                "register http://localhost/callback under \"Mobile and desktop applications\": Entra passes over the port on localhost alone",
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
                "register http://127.0.0.1/callback in the OAuth app: every port is taken then",
                "the browser's flow wants the app's secret (--client-secret-file); the device flow needs none, and is switched on in the app",
                "the tokens of an OAuth app do not end, and cannot be renewed",
            ]),
        ProviderPreset(
            name: "gitlab", address: .issuer("https://{}", Place(what: "its host", example: "gitlab.example.org", usual: "gitlab.com")),
            scopes: openID,
            redirects: anyPort, hosts: ["gitlab.com"],
            hints: ["untick \"Confidential\" for the application; a refresh token comes without being asked for"]),
        ProviderPreset(
            name: "keycloak", address: .issuer("https://{}", Place(what: "its host and realm", example: "id.example.org/realms/main")),
            scopes: openID + ["offline_access"], redirects: anyPort,
            hints: [
                "make a public client with \"Standard flow\", and http://127.0.0.1/callback among its valid redirect URIs: every port is taken",
                "without the scope offline_access the session ends with the browser's at Keycloak",
            ]),
        ProviderPreset(
            name: "okta",
            address: .issuer("https://{}", Place(what: "your domain, or one of its authorization servers", example: "dev-1.okta.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["okta.com"],
            hints: ["make a native application with the grant \"Refresh Token\"; redirect addresses are compared whole, port and all"]),
        ProviderPreset(
            // The trailing slash is part of the issuer.
            name: "auth0", address: .issuer("https://{}/", Place(what: "your domain", example: "dev-1.eu.auth0.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["auth0.com"],
            hints: [
                "make a native application; redirect addresses are compared whole, port and all",
                "for a token of your own API set extra_params = { audience = \"…\" }; a refresh token needs \"Allow Offline Access\" there",
            ]),
        ProviderPreset(
            // With any scope besides openid, Apple responds with a form POST, which the user could not paste.
            name: "apple", address: .issuer("https://appleid.apple.com"), scopes: ["openid"], requiresPasteRedirect: true,
            hosts: ["appleid.apple.com"],
            hints: [
                "the client is a Services ID; its return URL is an https page of a domain of yours, never an address of this machine",
                "you sign in by pasting the whole address that your browser ends on; the page there need not do anything",
                "its client secret is a JWT that you sign with your key, good for half a year at most: set client_secret_command to make one",
            ]),
        ProviderPreset(
            name: "arcgis",
            address: .settings(
                [("portal_url", "https://{}")],
                Place(what: "your portal", example: "gis.example.org/portal", usual: "www.arcgis.com")),
            kind: .arcGIS, redirects: fixedPorts, hosts: ["arcgis.com"],
            hints: [
                "register an application at the portal, with its redirect addresses; they are compared whole, port and all",
                "for sign-in with Google, Facebook, GitHub or Apple set social = [\"google\"]; accounts of an organisation need nothing",
                "servers that belong to the portal get tokens of their own: yett request NAME URL asks the portal for them",
            ]),
        ProviderPreset(
            name: "mapsindoors",
            address: .settings(
                [("gateway_url", "https://{parent}"), ("api_key", "{last}")],
                Place(what: "the gateway's address and your solution's key", example: "gateway.example.org/auth/KEY")),
            kind: .mapsIndoors, redirects: fixedPorts, choosesClient: true, apiHosts: ["api.mapsindoors.com"],
            hosts: ["mapsindoors.com"],
            hints: [
                "have MapsIndoors register the redirect addresses; they are compared whole, port and all",
                "the gateway says which client and identity providers there are: yett providers details NAME shows them",
                "a session ends after a day; for one that can be renewed set extra_scopes = [\"offline_access\"]",
            ]),
        ProviderPreset(
            name: "beyond-identity", address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
            redirects: fixedPorts,
            modes: [
                ProviderMode(
                    name: "rp-initiated", meaning: "a backend signs you in, and sends the browser back with its session",
                    kind: .beyondIdentity, address: .settings([]),
                    needs: [
                        .init(
                            keys: ["url"], what: "the backend's sign-in page",
                            example: "https://app.example.org/start?redirect={redirect}&state={state}")
                    ], choosesClient: true,
                    hints: [
                        "the backend takes the redirect addresses as they are, and sends back the state that it is given",
                        "set session_check_url for the backend's word on a session, and sign_out_url to end it there",
                    ]),
                ProviderMode(
                    name: "direct", meaning: "the code comes here, and a backend exchanges it for its session", kind: .beyondIdentity,
                    address: .settings([]), fixed: [("authorization_endpoint", "https://auth.byndid.com/v2/authorize")],
                    needs: [
                        .init(
                            keys: ["exchange_url"], what: "the backend's URL that takes the code",
                            example: "https://app.example.org/exchange")
                    ], scopes: ["openid"],
                    hints: ["make the application a public client with PKCE S256; redirect addresses are compared whole, port and all"]),
                ProviderMode(
                    name: "secure-access", meaning: "the newer generation: an OpenID provider, without a backend", kind: .beyondIdentity,
                    address: .issuer("https://{}", application), scopes: openID + ["offline_access"],
                    hints: [
                        "make the application a public client with PKCE S256; redirect addresses are compared whole, port and all",
                        "tokens that can be renewed are switched on for the application; they are off at first",
                    ], hosts: ["beyondidentity.com"]),
            ],
            hosts: ["beyondidentity.com", "byndid.com"],
            hints: ["make the application a public client with PKCE S256; redirect addresses are compared whole, port and all"]),
        ProviderPreset(
            name: "openweb", address: .settings([("spot_id", "{}")], site), kind: .openWeb, choosesClient: true,
            modes: [
                ProviderMode(
                    name: "codes", meaning: "the publisher's backend vouches for the publisher's own users", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["codeb_url"], what: "the publisher's URL that turns a code A into a code B",
                            example: "https://www.example.org/api/spotim-sso"),
                        .init(
                            keys: ["publisher_login_url", "publisher"],
                            what: "the publisher's URL for user name and password, or the provider here that people sign in at",
                            example: "https://www.example.org/api/login"),
                    ], choosesClient: true),
                ProviderMode(
                    name: "jwt", meaning: "a JWT of the site's identity provider", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site), choosesClient: true,
                    hints: ["you are asked for the JWT of the site's identity provider; jwt_command = [\"…\"] gets it without you"]),
                ProviderMode(
                    name: "provider", meaning: "a token of an identity provider that OpenWeb knows by name", kind: .openWeb,
                    address: .settings([("spot_id", "{}")], site),
                    needs: [
                        .init(
                            keys: ["provider"], what: "the identity provider: janrain, gigya, piano, auth0, foxid or hearst",
                            example: "piano")
                    ], choosesClient: true,
                    hints: ["you are asked for the identity provider's token; jwt_command = [\"…\"] gets it without you"]),
            ]),
    ]

    private static let application = Place(
        what: "your application's issuer",
        example: "auth-us.beyondidentity.com/v1/tenants/TENANT/realms/REALM/applications/APPLICATION")
    private static let site = Place(what: "your site's spot_id", example: "sp_eCIlROSD")
}
