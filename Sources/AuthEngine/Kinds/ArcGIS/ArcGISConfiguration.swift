internal import AuthModel

/// `kind = "arcgis"`: a portal, ArcGIS Online or an organisation's own.
struct ArcGISConfiguration: KindSettings {
    /// `portal_url`, without a slash at its end, such as `https://www.arcgis.com` or `https://gis.example.org/portal`.
    var portal: WebURL
    /// `refresh_minutes`: how long the refresh token is to last; 0 or `nil`: as the portal says, -1: as long as the portal allows.
    var refreshMinutes: Int?
    /// `exchange_minutes`: after how long a refresh token is exchanged for a new one; 0 or less: never; `nil`: shortly before its end.
    var exchangeMinutes: Int?
    /// `locale` of the sign-in page.
    var locale: String?
    /// `style` of the sign-in page.
    var style: Style?
    /// `social`: sign-in providers that are offered beside the portal's own page.
    var socialProviders: [String] = []
    /// `prompt_untrusted`.
    var asksAboutUntrusted = false

    enum Style: String, CaseIterable {
        case light
        case dark
    }

    /// What ArcGIS calls them.
    static let knownSocialProviders = ["facebook", "google", "github", "apple"]

    var shown: [(name: String, value: JSONValue)] {
        [
            ("portal_url", .string(portal.text)), ("refresh_minutes", refreshMinutes.map { .number($0) } ?? .null),
            ("exchange_minutes", exchangeMinutes.map { .number($0) } ?? .null), ("locale", JSONValue(locale)),
            ("style", JSONValue(style?.rawValue)), ("social", JSONValue(socialProviders)),
            ("prompt_untrusted", .bool(asksAboutUntrusted)),
        ]
    }
}
