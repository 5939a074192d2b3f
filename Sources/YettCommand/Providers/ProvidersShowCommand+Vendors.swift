internal import AuthModel

extension SecureAccessConfiguration {
    /// The settings under their names in the configuration.
    var shown: [(name: String, value: JSONValue)] {
        [
            ("mode", "secure-access"), ("invocation", .string(invocation.rawValue)), ("invoke_hosts", JSONValue(invokeHosts)),
            ("tokens_url", JSONValue(tokens?.text)),
        ]
    }
}

extension ArcGISConfiguration {
    /// The settings under their names in the configuration.
    var shown: [(name: String, value: JSONValue)] {
        [
            ("portal_url", .string(portal.text)), ("refresh_minutes", refreshMinutes.map { .number($0) } ?? .null),
            ("exchange_minutes", exchangeMinutes.map { .number($0) } ?? .null), ("locale", JSONValue(locale)),
            ("style", JSONValue(style?.rawValue)), ("social", JSONValue(socialProviders)),
            ("prompt_untrusted", .bool(asksAboutUntrusted)),
        ]
    }
}

extension OpenWebConfiguration {
    /// The settings under their names in the configuration.
    var shown: [(name: String, value: JSONValue)] {
        var settings: [(name: String, value: JSONValue)] = [
            ("gateway_url", .string(gateway.text)), ("spot_id", .string(spotID)), ("login_prompt", .bool(promptsGuests)),
            ("login_prompt_text", .string(promptText)), ("renew_timeout", .number(renewalTimeout.wholeSeconds)),
        ]
        switch voucher {
        case .codes(let publisher, let backend):
            settings += [("mode", "codes"), ("codeb_url", .string(backend.text))] + Self.shown(publisher)
        case .jwt(let origin, let publisher, let backend):
            settings += [("mode", "jwt"), ("jwt_command", Self.shown(origin)), ("codeb_url", JSONValue(backend?.text))]
            if let publisher { settings += Self.shown(publisher) }
        case .provider(let name, let origin):
            settings += [("mode", "provider"), ("provider", .string(name)), ("jwt_command", Self.shown(origin))]
        }
        return settings
    }

    private static func shown(_ publisher: Publisher) -> [(name: String, value: JSONValue)] {
        switch publisher {
        case .session(let name): [("publisher", .string(name.description))]
        case .form(let url, let header): [("publisher_login_url", .string(url.text)), ("codeb_header", .string(header))]
        }
    }

    private static func shown(_ origin: SecretOrigin) -> JSONValue {
        if case .command(let words) = origin { JSONValue(words) } else { .null }
    }
}
