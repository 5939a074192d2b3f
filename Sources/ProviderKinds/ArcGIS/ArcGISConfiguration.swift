internal import AuthEngine
internal import AuthModel

/// The settings of `kind = "arcgis"`: a portal, either ArcGIS Online or an organisation's own.
struct ArcGISConfiguration: KindSettings {
    /// `portal_url`, without a final slash, such as `https://www.arcgis.com` or `https://gis.example.org/portal`.
    var portal: WebURL
    /// `refresh_minutes`: the requested lifetime of the refresh token. 0 or `nil`: the portal's default; -1: the portal's maximum.
    var refreshMinutes: Int?
    /// `exchange_minutes`: the age at which a refresh token is exchanged for a new one. 0 or less: never; `nil`: in its last day.
    var exchangeMinutes: Int?
    /// `locale` of the sign-in page.
    var locale: String?
    /// `style` of the sign-in page.
    var style: Style?
    /// `social`: identity providers that are offered in addition to the portal's own page.
    var socialProviders: [String] = []
    /// `prompt_untrusted`: whether the user is asked about a server certificate that no known authority signed.
    var confirmsUntrustedCertificates = false

    enum Style: String, CaseIterable {
        case light
        case dark
    }

    /// The names of the identity providers in ArcGIS.
    static let knownSocialProviders = ["facebook", "google", "github", "apple"]

    var discoversServers: Bool { true }

    var home: WebURL? { portal }

    /// A portal's token is sent to the portal's REST interface, and a stand-alone server's token to that server.
    func isProviderURL(_ url: WebURL, issuer: String?) -> Bool {
        guard let issuer else { return ArcGISAddress.isPortal(url, portal) }
        guard let root = WebURL(issuer) else { return false }
        return ArcGISAddress.isSame(root, portal) ? ArcGISAddress.isPortal(url, root) : url.lies(in: root)
    }

    var shown: [(name: String, value: JSONValue)] {
        [
            ("portal_url", .string(portal.text)), ("refresh_minutes", refreshMinutes.map { .number($0) } ?? .null),
            ("exchange_minutes", exchangeMinutes.map { .number($0) } ?? .null), ("locale", JSONValue(locale)),
            ("style", JSONValue(style?.rawValue)), ("social", JSONValue(socialProviders)),
            ("prompt_untrusted", .bool(confirmsUntrustedCertificates)),
        ]
    }
}
