package import AuthEngine
package import AuthModel
package import OAuth
package import UserConfiguration

/// One provider kind: how it is configured, and the factories for its adapter and its resource dialect. Each kind's folder has one such
/// type, which ``AuthModel/ProviderKind/definition`` returns.
package protocol KindDefinition: KindConfiguration {
    /// Creates the adapter for a provider of the kind.
    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter

    /// Returns how requests to the resources of a provider of the kind are made.
    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect
}

extension KindDefinition {
    /// Default: bearer tokens, with `api_scheme` or `token_header`, and the fields of `api_headers`, for kinds that have these keys.
    package func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect {
        let dialect = configuration.dialect
        return BearerDialect(
            fields: dialect.apiHeaders.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, scheme: dialect.apiScheme,
            ownField: dialect.tokenHeader, refusedStatuses: dialect.apiRefusedStatuses, errors: dialect.apiErrors)
    }
}

extension ProviderKind {
    /// The definition of the kind. This is the only list of all kinds.
    package var definition: any KindDefinition {
        switch self {
        case .oidc: OpenIDKind()
        case .oauth2: OAuthKind()
        case .exchange: ExchangeKind()
        case .mapsIndoors: MapsIndoorsKind()
        case .beyondIdentity: BeyondIdentityKind()
        case .arcGIS: ArcGISKind()
        case .openWeb: OpenWebKind()
        case .awsSSO: IdentityCenterKind()
        }
    }
}

extension ProviderConfiguration {
    /// The form of requests to this provider's resources.
    package var resourceDialect: any ResourceDialect { kind.definition.resourceDialect(of: self) }

    /// Returns the form of requests to this provider's resources, with the client's secret in the header fields that have it.
    ///
    /// - Parameter environment: the environment of a command that prints the secret.
    package func resourceDialect(in environment: [String: String]) async throws(AuthFailure) -> any ResourceDialect {
        let plain = resourceDialect
        guard var bearer = plain as? BearerDialect, let secret = try await self.secret(for: dialect.apiHeaders, environment: environment)
        else { return plain }
        bearer.secret = secret
        return bearer
    }
}

extension AuthFailure {
    /// The failure for a session that cannot be renewed, because it has no refresh token.
    static func noRefreshToken(of record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, UserMessage("session.no_refresh_token", ["session": record.summary.name]), hint: "hint.repeat_sign_in")
    }

    /// The failure for an answer without the JSON value that it must be.
    static func notJSON(from host: String, when what: UserMessage, hint: UserMessage) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("json.response_not_json_when", ["host": host, "action": what]), hint: hint)
    }
}

extension EngineEnvironment {
    /// Creates the adapters of all kinds.
    package static let allKinds: AdapterFactory = { $0.kind.definition.makeAdapter(for: $0, environment: $1) }
}
