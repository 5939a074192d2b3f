internal import AuthEngine
internal import AuthModel
internal import UserConfiguration

/// The definition of `kind = "exchange"`.
struct ExchangeKind: KindDefinition {
    let keys = [
        KindKey("from", "The provider or session whose token to exchange."),
        KindKey("grant", "\"token-exchange\" (RFC 8693) or \"jwt-bearer\" (RFC 7523). Default: \"token-exchange\"."),
        KindKey("subject_token", "Which token of that session to send: \"access_token\" or \"id_token\". Default: \"access_token\"."),
        KindKey("audience", "The audience of the new token, as the provider names it: one or a list."),
    ]

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        KindReading(address: .endpoints(["token_endpoint"]))
    }

    func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange? {
        guard let from = try table.session("from") else {
            throw table.missing("from", hint: "hint.exchange_add_from")
        }
        let presented: TokenRequest.Wanted
        switch try table.text("subject_token") {
        case nil, "access_token": presented = .access
        case "id_token": presented = .id
        case let other?: throw table.unknownWord("subject_token", other, known: ["access_token", "id_token"])
        }
        return ProviderConfiguration.Exchange(
            from: from, grant: try table.word("grant", as: ProviderConfiguration.Exchange.Grant.self) ?? .tokenExchange,
            presented: presented, audiences: try table.textOrTexts("audience") ?? [])
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        ExchangeAdapter(configuration: configuration, environment: environment)
    }
}
