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
            // Google knows no offline_access, and gives a refresh token with the first consent only.
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
            // The slash belongs to the issuer.
            name: "auth0", address: .issuer("https://{}/", Place(what: "your domain", example: "dev-1.eu.auth0.com")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["auth0.com"],
            hints: [
                "make a native application; redirect addresses are compared whole, port and all",
                "for a token of your own API set extra_params = { audience = \"…\" }; a refresh token needs \"Allow Offline Access\" there",
            ]),
        ProviderPreset(
            // With a scope beside openid it answers by a form that is posted, which nobody could paste.
            name: "apple", address: .issuer("https://appleid.apple.com"), scopes: ["openid"], needsOwnPage: true,
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
            kind: .mapsIndoors, redirects: fixedPorts, namesTheClient: true, apiHosts: ["api.mapsindoors.com"],
            hosts: ["mapsindoors.com"],
            hints: [
                "have MapsIndoors register the redirect addresses; they are compared whole, port and all",
                "the gateway says which client and identity providers there are: yett providers details NAME shows them",
                "a session ends after a day; for one that can be renewed set extra_scopes = [\"offline_access\"]",
            ]),
        ProviderPreset(
            name: "beyond-identity",
            address: .issuer(
                "https://{}",
                Place(
                    what: "your application's issuer",
                    example: "auth-us.beyondidentity.com/v1/tenants/TENANT/realms/REALM/applications/APPLICATION")),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hosts: ["beyondidentity.com", "byndid.com"],
            hints: [
                "make the application a public client with PKCE S256; redirect addresses are compared whole, port and all",
                "tokens that can be renewed are switched on for the application; they are off at first",
                "where a backend of yours holds the secret, write kind = \"beyond-identity\" yourself: yett help configuration",
            ]),
        ProviderPreset(
            name: "openweb",
            address: .settings([("spot_id", "{}"), ("mode", "jwt")], Place(what: "your site's spot_id", example: "sp_eCIlROSD")),
            kind: .openWeb, namesTheClient: true,
            hints: [
                "you are asked for the JWT of the site's identity provider; jwt_command = [\"…\"] gets it without you",
                "for a publisher's own users take mode = \"codes\" with codeb_url and publisher_login_url: yett help configuration",
            ]),
    ]
}
