internal import AuthModel

/// `kind = "arcgis"`.
extension ProviderReader {
    func arcGIS() throws(AuthFailure) -> ArcGISConfiguration {
        try refuse(
            ["issuer", "scopes", "client_secret_file", "client_secret_command", "client_auth", "authorization_endpoint", "token_endpoint"],
            because: "an ArcGIS portal has its own")
        let hint = "add the portal's address, such as https://www.arcgis.com"
        _ = try section.requiredText("portal_url", hint: hint)
        guard let given = try url("portal_url"), given.query == nil,
            let portal = WebURL(given.text.last == "/" ? String(given.text.dropLast()) : given.text)
        else { throw section.error("'portal_url' is refused", at: "portal_url", hint: hint) }
        let social = try section.textOrTexts("social") ?? []
        if let unknown = social.first(where: { !ArcGISConfiguration.knownSocialProviders.contains($0) }) {
            throw section.unknownWord("social", unknown, known: ArcGISConfiguration.knownSocialProviders)
        }
        if section["client_id"] == nil, !social.isEmpty {
            throw section.error("'social' needs a client_id", at: "social", hint: "add the client_id of the registered application")
        }
        return ArcGISConfiguration(
            portal: portal, refreshMinutes: try section.wholeNumber("refresh_minutes", within: -1...129_600).map { Int($0) },
            exchangeMinutes: try section.wholeNumber("exchange_minutes", within: -1...129_600).map { Int($0) },
            locale: try section.text("locale"), style: try section.word("style", as: ArcGISConfiguration.Style.self),
            socialProviders: social, asksAboutUntrusted: try section.flag("prompt_untrusted") ?? false)
    }
}
