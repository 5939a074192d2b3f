import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "arcgis"`.
struct ArcGISKind: KindDefinition {
    let keys = [
        KindKey("portal_url", "The portal: https://www.arcgis.com, or an organisation's own, such as https://gis.example.org/portal."),
        KindKey("refresh_minutes", "Lifetime of a sign-in in minutes. 0: the portal's default; -1: the maximum. Default: 0."),
        KindKey("exchange_minutes", "Minutes after its issue to exchange the refresh token; 0: never. Default: in its last day."),
        KindKey("locale", "The language of the portal's page."),
        KindKey("style", "The colours of the portal's page: \"light\" or \"dark\"."),
        KindKey("social", "Sign-in methods beside the portal's own: google, github, facebook, apple."),
        KindKey(
            "prompt_untrusted",
            "Whether to ask about a server with a certificate from an unknown authority. Default: false, which refuses it."),
    ]

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        guard let settings = configuration.kindSettings as? ArcGISConfiguration else {
            return OpenIDAdapter(configuration: configuration, environment: environment)
        }
        return ArcGISAdapter(configuration: configuration, settings: settings, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect { ArcGISDialect() }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        try table.refuse(
            ["issuer", "scopes", "client_secret_file", "client_secret_command", "client_auth", "authorization_endpoint", "token_endpoint"],
            because: "phrase.arcgis_portal_sets_it")
        let hint = UserMessage("hint.arcgis_add_portal_url")
        _ = try table.requiredText("portal_url", hint: hint)
        guard let portal = try table.url("portal_url")?.asBase else {
            throw table.error("arcgis.portal_url_refused", at: "portal_url", hint: hint)
        }
        let social = try table.textOrTexts("social") ?? []
        if let unknown = social.first(where: { !ArcGISConfiguration.knownSocialProviders.contains($0) }) {
            throw table.unknownWord("social", unknown, known: ArcGISConfiguration.knownSocialProviders)
        }
        if !table.has("client_id"), !social.isEmpty {
            throw table.error("arcgis.social_requires_client_id", at: "social", hint: "hint.arcgis_add_client_id")
        }
        let settings = ArcGISConfiguration(
            portal: portal, refreshMinutes: try table.wholeNumber("refresh_minutes", within: -1...129_600).map { Int($0) },
            exchangeMinutes: try table.wholeNumber("exchange_minutes", within: -1...129_600).map { Int($0) },
            locale: try table.text("locale"), style: try table.word("style", as: ArcGISConfiguration.Style.self),
            socialProviders: social, confirmsUntrustedCertificates: try table.flag("prompt_untrusted") ?? false)
        // Without a client, users sign in with user name and password.
        return KindReading(settings: settings, client: .optional)
    }
}

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
