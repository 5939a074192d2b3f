internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import UserConfiguration

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
        guard let settings = configuration.own as? ArcGISConfiguration else {
            return OpenIDAdapter(configuration: configuration, environment: environment)
        }
        return ArcGISAdapter(configuration: configuration, settings: settings, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect { ArcGISDialect() }

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
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
