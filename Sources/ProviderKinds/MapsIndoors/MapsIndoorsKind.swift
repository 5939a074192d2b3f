import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "mapsindoors"`.
struct MapsIndoorsKind: KindDefinition {
    let keys = [
        KindKey("gateway_url", "The gateway with the solution's sign-in details; the key is appended to the URL."),
        KindKey("api_key", "The solution's key."),
        KindKey("idp", "The identity provider for the sign-in. Default: asks if there are several."),
        KindKey(
            "extra_scopes", "Scopes to request in addition to the gateway's: [\"offline_access\"] for sessions that can be renewed."),
        KindKey(
            "tenant_id",
            "For the Booking service, with issuer and client_id of its tenant instead of api_key: sent with every request."),
    ]

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        MapsIndoorsAdapter(configuration: configuration, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect {
        guard case .booking(let tenantID?)? = configuration.kindSettings as? MapsIndoorsConfiguration else { return BearerDialect() }
        return BearerDialect(fields: [("X-Tenant-Id", tenantID)])
    }

    // MARK: Reading

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        guard !table.has("issuer") || table.has("api_key") else {
            return KindReading(settings: try booking(table), scopes: ["openid"])
        }
        return KindReading(settings: try solution(table), client: .none, scopes: ["openid"])
    }

    private func booking(_ table: ConfigurationSection) throws(AuthFailure) -> MapsIndoorsConfiguration {
        try table.refuse(["gateway_url", "idp", "extra_scopes"], because: "phrase.mapsindoors_booking_tenant")
        let tenantID = try table.text("tenant_id")
        // The value is sent in a header field.
        guard tenantID?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) != false else {
            throw table.error(
                UserMessage("config.mapsindoors_invalid_tenant_id"), at: "tenant_id", hint: "hint.use_printable_ascii")
        }
        return .booking(tenantID: tenantID)
    }

    private func solution(_ table: ConfigurationSection) throws(AuthFailure) -> MapsIndoorsConfiguration {
        let key = try table.requiredText(
            "api_key", hint: "hint.mapsindoors_add_api_key")
        guard let gateway = try table.url("gateway_url") else {
            throw table.missing("gateway_url", hint: "hint.mapsindoors_add_gateway_url")
        }
        try table.refuse(
            ["issuer", "client_id", "client_secret_file", "client_secret_command", "client_auth", "scopes", "tenant_id"],
            because: "phrase.mapsindoors_gateway_sets_it")
        let identityProvider = try table.text("idp")
        // The value is one word of `acr_values`.
        if let identityProvider, !ScopeSet.isScope(identityProvider) {
            throw table.error(
                UserMessage("config.mapsindoors_not_an_idp", ["value": identityProvider]), at: "idp", hint: "hint.use_one_word")
        }
        return .solution(
            .init(
                gateway: gateway, apiKey: key, identityProvider: identityProvider,
                extraScopes: ScopeSet(try table.scopes("extra_scopes") ?? [])))
    }
}

/// The settings of `kind = "mapsindoors"`.
enum MapsIndoorsConfiguration: KindSettings {
    /// A solution. The gateway says how users sign in to it.
    struct Solution: Equatable {
        /// `gateway_url`: the gateway. The solution's key is appended as a path segment.
        var gateway: WebURL
        /// `api_key`. It identifies the solution, whose data may be open to anyone who has the key.
        var apiKey: String
        /// `idp`: the identity provider to sign in with; `nil`: the user is asked if there are several.
        var identityProvider: String?
        /// `extra_scopes`: requested in addition to those of the gateway's details.
        var extraScopes: ScopeSet = []
    }

    case solution(Solution)
    /// The Booking service, which accepts tokens of the tenant's own issuer. `tenantID` is sent with every request.
    case booking(tenantID: String?)

    var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .solution(let solution):
            [
                ("gateway_url", .string(solution.gateway.text)), ("api_key", .string(solution.apiKey)),
                ("idp", JSONValue(solution.identityProvider)), ("extra_scopes", JSONValue(solution.extraScopes.values)),
            ]
        case .booking(let tenantID): [("tenant_id", JSONValue(tenantID))]
        }
    }
}
