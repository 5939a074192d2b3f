/// `kind = "arcgis"`: a portal, ArcGIS Online or an organisation's own.
public struct ArcGISConfiguration: Equatable, Sendable {
    /// `portal_url`, without a slash at its end, such as `https://www.arcgis.com` or `https://gis.example.org/portal`.
    public var portal: WebURL
    /// `refresh_minutes`: how long the refresh token is to last; 0 or `nil`: as the portal says, -1: as long as the portal allows.
    public var refreshMinutes: Int?
    /// `exchange_minutes`: after how long a refresh token is exchanged for a new one; 0 or less: never; `nil`: shortly before its end.
    public var exchangeMinutes: Int?
    /// `locale` of the sign-in page.
    public var locale: String?
    /// `style` of the sign-in page.
    public var style: Style?
    /// `social`: sign-in providers that are offered beside the portal's own page.
    public var socialProviders: [String]
    /// `prompt_untrusted`: whether the person is asked about a server whose certificate is signed by no known authority; else it is refused.
    public var asksAboutUntrusted: Bool

    public enum Style: String, Sendable, CaseIterable {
        case light
        case dark
    }

    public init(
        portal: WebURL, refreshMinutes: Int? = nil, exchangeMinutes: Int? = nil, locale: String? = nil, style: Style? = nil,
        socialProviders: [String] = [], asksAboutUntrusted: Bool = false
    ) {
        self.portal = portal
        self.refreshMinutes = refreshMinutes
        self.exchangeMinutes = exchangeMinutes
        self.locale = locale
        self.style = style
        self.socialProviders = socialProviders
        self.asksAboutUntrusted = asksAboutUntrusted
    }

    /// What ArcGIS calls them.
    public static let knownSocialProviders = ["facebook", "google", "github", "apple"]
}
