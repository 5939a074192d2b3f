internal import ArgumentParser
internal import AuthModel
internal import TerminalUI
internal import UserConfiguration

/// `yett providers show`: prints a provider's settings, including defaults. Does not use the network.
struct ProvidersShowCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a provider's configuration.")
    static let examples: KeyValuePairs = ["yett providers show work": "Shows the configuration of one provider."]

    @OptionGroup var arguments: ProviderArguments

    func run(in context: CommandContext) async throws {
        let provider = try context.configurationFile().read().named(arguments.name)
        try context.answer(ProviderSettings(provider: provider), asJSON: arguments.json)
    }
}

/// The settings of one provider, by their keys in the configuration.
struct ProviderSettings: Answer {
    let provider: ProviderConfiguration

    private var settings: [(name: String, value: JSONValue)] {
        let endpoints = provider.endpoints
        return [
            ("name", .string(provider.name.text)),
            ("kind", .string(provider.kind.rawValue)),
            ("issuer", JSONValue(provider.issuer?.text)),
            ("client_id", .string(provider.clientID)),
            ("client_secret_file", JSONValue(provider.clientSecret?.file)),
            ("client_secret_command", provider.clientSecret?.command.map { JSONValue($0) } ?? .null),
            ("client_auth", .string(provider.clientAuthentication.rawValue)),
            ("client_key_file", JSONValue(provider.clientKeyFile)),
            ("client_key_id", JSONValue(provider.clientKeyID)),
            ("client_certificate_file", JSONValue(provider.clientCertificateFile)),
            ("par", .string(provider.pushedRequests.rawValue)),
            ("dpop", .string(provider.proofs.rawValue)),
            ("scopes", JSONValue(provider.scopes.values)),
            ("resource", JSONValue(provider.resources)),
            ("from", JSONValue(provider.exchange?.from?.description)),
            ("grant", JSONValue(provider.exchange?.grantName)),
            ("audience", JSONValue(provider.exchange?.audiences ?? [])),
            ("assertion_file", JSONValue(provider.exchange?.assertion?.file)),
            ("assertion_command", provider.exchange?.assertion?.command.map { JSONValue($0) } ?? .null),
            ("redirect", JSONValue(provider.redirects.filter { !$0.isExternalPage }.map(\.description))),
            ("paste_redirect", JSONValue(provider.redirects.first(where: \.isExternalPage)?.description)),
            ("post_logout_redirect", JSONValue(provider.postLogoutRedirects.map(\.description))),
            ("registered_scopes", provider.registeredScopes.map { JSONValue($0.values) } ?? .null),
            ("sign_in_hosts", JSONValue(provider.signInHosts)),
            ("ca_file", JSONValue(provider.caFile)),
            ("api_hosts", JSONValue(provider.apiHosts)),
            ("browser", JSONValue(provider.browser)),
            ("private", .bool(provider.isPrivate)),
            ("sign_in", .string(provider.signInMode.rawValue)),
            ("policy", .string(provider.policy.rawValue)),
            ("login_timeout", .number(provider.loginTimeout.wholeSeconds)),
            (
                "extra_params",
                .object(provider.extraParameters.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) })
            ),
            ("sign_up_url", JSONValue(provider.signUpURL?.text)),
            ("session_lifetime", .string(provider.sessionLifetime.rawValue)),
            ("sign_in_label", JSONValue(provider.labels.signIn)),
            ("sign_up_label", JSONValue(provider.labels.signUp)),
            ("authorization_endpoint", JSONValue(endpoints.authorization?.text)),
            ("token_endpoint", JSONValue(endpoints.token?.text)),
            ("userinfo_endpoint", JSONValue(endpoints.userInfo?.text)),
            ("revocation_endpoint", JSONValue(endpoints.revocation?.text)),
            ("end_session_endpoint", JSONValue(endpoints.endSession?.text)),
            ("device_authorization_endpoint", JSONValue(endpoints.deviceAuthorization?.text)),
        ] + provider.dialect.shown + (provider.kindSettings?.shown ?? [])
    }

    var json: JSONValue {
        .answer(("provider", .object(settings.map { JSONValue.Member($0.name, $0.value) })))
    }

    /// The settings that have a value, one per line.
    var lines: [String] {
        let width = shown.map(\.0.count).max() ?? 0
        return shown.map { $0.padded(to: width + 2) + $1 }
    }

    func rows(on display: Display) -> [StyledText] { display.terms(shown, isTrusted: true) }

    private var shown: [(String, String)] {
        settings.filter { $0.value != .null && $0.value != .array([]) && $0.value != .object([]) }.map { name, value in
            (name, name == "policy" ? provider.policy.words : Self.words(value))
        }
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let elements): elements.map(words).joined(separator: " ")
        case .object(let members): members.map { "\($0.name)=\(words($0.value))" }.joined(separator: " ")
        default: value.text
        }
    }
}

extension TokenPolicy {
    /// The word of the configuration, and what it means.
    var words: String {
        switch self {
        case .allow: "allow: your programs get tokens without a question"
        case .ask: "ask: you are asked before a program gets a token"
        case .deny: "deny: no program gets a token"
        }
    }
}

extension ProviderConfiguration.SecretSource {
    fileprivate var file: String? { if case .file(let path) = self { path } else { nil } }
    fileprivate var command: [String]? { if case .command(let words) = self { words } else { nil } }
}
