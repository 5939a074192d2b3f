internal import AuthModel

/// The well-known providers.
extension ProviderPreset {
    private static let openID = ["openid", "profile", "email"]
    private static let anyPort = ["http://127.0.0.1/callback"]
    /// For providers that compare redirect addresses byte for byte.
    private static let fixedPorts = ["http://127.0.0.1:8400/callback", "http://127.0.0.1:8401/callback"]

    static let all: [ProviderPreset] = [
        ProviderPreset(
            name: "google", address: .fixed("https://accounts.google.com"), scopes: openID, redirects: anyPort,
            apiHosts: ["www.googleapis.com", "openidconnect.googleapis.com"],
            // Google knows no offline_access, and gives a refresh token with the first consent only.
            extraParameters: [("access_type", "offline"), ("prompt", "consent")], hostSuffix: "accounts.google.com",
            hints: [
                "make an OAuth client of type \"Desktop app\": it takes every port on 127.0.0.1, and needs no redirect address",
                "its client_secret is no secret, and Google wants it all the same: put it in a file, and name that with --client-secret-file",
            ]),
        ProviderPreset(
            name: "entra",
            address: .own(
                "https://login.microsoftonline.com/{}/v2.0", what: "your tenant's identifier",
                example: "00000000-0000-0000-0000-000000000000"),
            scopes: openID + ["offline_access"], redirects: ["http://localhost/callback"], hostSuffix: "login.microsoftonline.com",
            hints: [
                "register http://localhost/callback under \"Mobile and desktop applications\": Entra passes over the port on localhost alone",
                "a public client must have no secret; conditional access may refuse the device flow",
            ]),
        ProviderPreset(
            name: "github",
            address: .endpoints([
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
            name: "gitlab", address: .own("https://{}", what: "its host", example: "gitlab.com"), scopes: openID,
            redirects: anyPort, hostSuffix: "gitlab.com",
            hints: ["untick \"Confidential\" for the application; a refresh token comes without being asked for"]),
        ProviderPreset(
            name: "keycloak", address: .own("https://{}", what: "its host and realm", example: "id.example.org/realms/main"),
            scopes: openID + ["offline_access"], redirects: anyPort,
            hints: [
                "make a public client with \"Standard flow\", and http://127.0.0.1/callback among its valid redirect URIs: every port is taken",
                "without the scope offline_access the session ends with the browser's at Keycloak",
            ]),
        ProviderPreset(
            name: "okta", address: .own("https://{}", what: "your domain, or one of its authorization servers", example: "dev-1.okta.com"),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hostSuffix: "okta.com",
            hints: ["make a native application with the grant \"Refresh Token\"; redirect addresses are compared whole, port and all"]),
        ProviderPreset(
            // The slash belongs to the issuer.
            name: "auth0", address: .own("https://{}/", what: "your domain", example: "dev-1.eu.auth0.com"),
            scopes: openID + ["offline_access"], redirects: fixedPorts, hostSuffix: "auth0.com",
            hints: [
                "make a native application; redirect addresses are compared whole, port and all",
                "for a token of your own API set extra_params = { audience = \"…\" }; a refresh token needs \"Allow Offline Access\" there",
            ]),
        ProviderPreset(
            name: "apple",
            address: .unsupported(
                reason: "apple takes no redirect to a program on this machine",
                hint: "sign in through a provider that offers Apple, such as your own Keycloak or Auth0"),
            hostSuffix: "appleid.apple.com"),
        ProviderPreset(
            name: "arcgis-online",
            address: .unsupported(
                reason: "this version does not know the kind 'arcgis'",
                hint: "its tokens follow rules of their own, which are not built yet"),
            hostSuffix: "arcgis.com"),
        ProviderPreset(
            name: "mapsindoors",
            address: .unsupported(
                reason: "this version does not know the kind 'mapsindoors'",
                hint: "if you know the issuer behind your solution, add that: yett providers add ISSUER --client-id ID"),
            hostSuffix: "mapsindoors.com"),
        ProviderPreset(
            name: "beyond-identity",
            address: .unsupported(
                reason: "this version does not know the kind 'beyond-identity'",
                hint: "where your tenant is an OpenID provider, add its issuer: yett providers add ISSUER --client-id ID")),
    ]
}
