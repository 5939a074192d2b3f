internal import AuthModel

/// The definition of `kind = "mapsindoors"`.
struct MapsIndoorsKind: KindDefinition {
    let keys = [
        KindKey("gateway_url", "The gateway that tells how a solution is signed in to; the key is appended to it."),
        KindKey("api_key", "The solution's key."),
        KindKey("idp", "The identity provider to sign in with; left out, you are asked where there are several."),
        KindKey(
            "extra_scopes", "What to ask for beside what the gateway tells: [\"offline_access\"] for sessions that can be renewed."),
        KindKey(
            "tenant_id",
            "For the Booking service, with issuer and client_id of its tenant in the place of api_key: sent with every request."),
    ]

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        MapsIndoorsAdapter(configuration: configuration, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect {
        guard case .booking(let tenantID?)? = configuration.own as? MapsIndoorsConfiguration else { return BearerDialect() }
        return BearerDialect(fields: [("X-Tenant-Id", tenantID)])
    }

    // MARK: Reading

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        guard !table.has("issuer") || table.has("api_key") else {
            return KindReading(settings: try booking(table), scopes: ["openid"])
        }
        return KindReading(settings: try solution(table), client: .none, scopes: ["openid"])
    }

    private func booking(_ table: any SettingsTable) throws(AuthFailure) -> MapsIndoorsConfiguration {
        try table.refuse(["gateway_url", "idp", "extra_scopes"], because: "without api_key this is the Booking service's own tenant")
        let tenantID = try table.text("tenant_id")
        // The value is sent in a header field.
        guard tenantID?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) != false else {
            throw table.error(
                "'tenant_id' has characters that cannot be sent", at: "tenant_id", hint: "use printable ASCII without blanks")
        }
        return .booking(tenantID: tenantID)
    }

    private func solution(_ table: any SettingsTable) throws(AuthFailure) -> MapsIndoorsConfiguration {
        let key = try table.requiredText(
            "api_key", hint: "add the solution's api_key; for the Booking service, its tenant's issuer and client_id instead")
        guard let gateway = try table.url("gateway_url") else {
            throw table.missing("gateway_url", hint: "add the gateway's https URL")
        }
        try table.refuse(
            ["issuer", "client_id", "client_secret_file", "client_secret_command", "client_auth", "scopes", "tenant_id"],
            because: "the gateway tells it for the solution")
        let identityProvider = try table.text("idp")
        // The value is one word of `acr_values`.
        if let identityProvider, !ScopeSet.isScope(identityProvider) {
            throw table.error("'\(identityProvider)' names no identity provider", at: "idp", hint: "write one word")
        }
        return .solution(
            .init(
                gateway: gateway, apiKey: key, identityProvider: identityProvider,
                extraScopes: ScopeSet(try table.scopes("extra_scopes") ?? [])))
    }
}
