internal import AuthModel

/// Keys that only one kind of provider knows.
extension ProviderReader {
    /// Kinds whose client is confidential, and somebody else.
    static let kindsWithBackend: Set<ProviderKind> = [.beyondIdentity, .openWeb]

    /// The keys of each kind's own; every kind has the others.
    static let ownKeys: [ProviderKind: [String]] = [
        .exchange: ["from", "grant", "subject_token", "audience"],
        .beyondIdentity: [
            "mode", "url", "capture", "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "signup_url", "signup_kind",
            "signup_body", "recover_url", "download_url", "session_check_url", "pkce", "invocation", "invoke_hosts", "tokens_url",
        ],
        .mapsIndoors: ["gateway_url", "api_key", "idp", "extra_scopes", "tenant_id"],
        .arcGIS: ["portal_url", "refresh_minutes", "exchange_minutes", "locale", "style", "social", "prompt_untrusted"],
        .openWeb: [
            "gateway_url", "spot_id", "mode", "publisher", "publisher_login_url", "codeb_url", "codeb_header", "jwt_command", "provider",
            "login_prompt", "login_prompt_text", "renew_timeout",
        ],
    ]

    /// Refuses keys of other kinds, and says whose they are.
    func refuseForeignKeys(kind: ProviderKind) throws(AuthFailure) {
        let own = Self.ownKeys[kind] ?? []
        for key in section.keys where !own.contains(key) {
            let others = ProviderKind.allCases.filter { Self.ownKeys[$0]?.contains(key) == true }
            guard !others.isEmpty else { continue }
            let names = others.map { "\"\($0.rawValue)\"" }.joined(separator: " and ")
            throw section.error("'\(key)' belongs to kind \(names)", at: key, hint: "remove it, or change kind")
        }
    }

    /// What only the provider's kind needs to know.
    func ownSettings(kind: ProviderKind) throws(AuthFailure) -> KindSettings? {
        switch kind {
        case .oidc, .oauth2, .exchange: nil
        case .mapsIndoors: .mapsIndoors(try mapsIndoors())
        case .beyondIdentity: try beyondIdentity()
        case .arcGIS: .arcGIS(try arcGIS())
        case .openWeb: .openWeb(try openWeb())
        }
    }

    /// Refuses keys that a provider of this kind tells by itself.
    func refuse(_ keys: [String], because reason: String) throws(AuthFailure) {
        guard let key = keys.first(where: { section[$0] != nil }) else { return }
        throw section.error("'\(key)' has no place here: \(reason)", at: key, hint: "remove it")
    }

    // MARK: MapsIndoors

    private func mapsIndoors() throws(AuthFailure) -> MapsIndoorsConfiguration {
        guard section["issuer"] == nil || section["api_key"] != nil else {
            try refuse(["gateway_url", "idp", "extra_scopes"], because: "without api_key this is the Booking service's own tenant")
            return .booking(tenantID: try headerText("tenant_id"))
        }
        let key = try section.requiredText(
            "api_key", hint: "add the solution's api_key; for the Booking service, its tenant's issuer and client_id instead")
        let gateway = try url("gateway_url")
        guard let gateway else {
            throw section.error(
                "'gateway_url' is missing in \(ConfigurationSection.title(section.path))", hint: "add the gateway's https URL")
        }
        try refuse(
            ["issuer", "client_id", "client_secret_file", "client_secret_command", "client_auth", "scopes", "tenant_id"],
            because: "the gateway tells it for the solution")
        return .solution(
            .init(
                gateway: gateway, apiKey: key, identityProvider: try acrWord("idp"),
                extraScopes: ScopeSet(try scopeList("extra_scopes") ?? [])))
    }

    /// A text that can be one word of `acr_values`.
    private func acrWord(_ key: String) throws(AuthFailure) -> String? {
        guard let text = try section.text(key) else { return nil }
        guard ScopeSet.isScope(text) else { throw section.error("'\(text)' names no identity provider", at: key, hint: "write one word") }
        return text
    }

    /// A text that can stand in a header field.
    private func headerText(_ key: String) throws(AuthFailure) -> String? {
        guard let text = try section.text(key) else { return nil }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw section.error("'\(key)' has characters that cannot be sent", at: key, hint: "use printable ASCII without blanks")
        }
        return text
    }
}
