internal import AuthEngine
internal import AuthModel
internal import UserConfiguration

/// The definition of `kind = "oidc"`. Only the issuer is needed; its metadata has everything else.
struct OpenIDKind: KindDefinition {
    var keys: [KindKey] { Self.dialectKeys }

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        var reading = KindReading(address: .issuer, scopes: ["openid"], openIDHint: UserMessage("hint.add_or_use_oauth2"))
        reading.dialect = try DialectReader(table: table).read()
        return reading
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        OpenIDAdapter(configuration: configuration, environment: environment)
    }
}

/// The definition of `kind = "oauth2"`, with or without metadata.
struct OAuthKind: KindDefinition {
    var keys: [KindKey] { OpenIDKind.dialectKeys }

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        var reading = KindReading(address: .endpoints(["authorization_endpoint", "token_endpoint"]))
        reading.dialect = try DialectReader(table: table).read()
        return reading
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        OpenIDAdapter(configuration: configuration, environment: environment)
    }
}
