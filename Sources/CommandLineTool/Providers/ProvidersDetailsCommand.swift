internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ProviderKinds
internal import TOML
internal import TerminalUI
internal import UserConfiguration

/// `yett providers details`: prints a provider's metadata and capabilities.
struct ProvidersDetailsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "details", abstract: "Fetch a provider's metadata, and show what it supports.")
    static let examples: KeyValuePairs = ["yett providers details work": "Shows what the provider supports."]

    @OptionGroup var arguments: ProviderArguments

    func run(in context: CommandContext) async throws {
        let provider = try context.configurationFile().read().named(arguments.name)
        var supportsSignUp = false
        if provider.kindSettings != nil {
            let service = try await context.service()
            if let details = try await service.details(of: provider.name) {
                return try context.answer(SignInDetails(provider: provider, details: details), asJSON: arguments.json)
            }
            supportsSignUp = try await service.providers().first { $0.name == provider.name }?.offersSignUp == true
        }
        let check = await ProviderCheck(provider, with: nil, in: context)
        let published = try check.result.get()?.metadata
        var metadata = published ?? ProviderMetadata()
        metadata.override(with: provider.endpoints)
        try context.answer(
            MetadataDetails(
                provider: provider, metadata: metadata, supportsSignUp: supportsSignUp,
                isComplete: provider.kindSettings == nil || published != nil),
            asJSON: arguments.json)
    }
}

/// The sign-in details of a provider that publishes them in its own format.
private struct SignInDetails: Answer {
    let provider: ProviderConfiguration
    let details: ProviderDetails

    private var pairs: [(String, String)] {
        var pairs = [("name", provider.name.text), ("kind", provider.kind.rawValue), ("policy", provider.policy.words)]
        pairs.append(("sign-in", details.isSignInRequired ? "required" : "not needed"))
        if let issuer = details.issuer { pairs.append(("issuer", issuer.text)) }
        pairs.append(("scopes", details.scopes.wire))
        for client in details.clients {
            pairs.append(("client", client.id))
            pairs.append(("identity providers", client.identityProviders.joined(separator: " ")))
        }
        return pairs
    }

    var lines: [String] { pairs.map { $0.0.padded(to: 20) + $0.1 } }

    func rows(on display: Display) -> [StyledText] { display.terms(pairs, isTrusted: false) }

    var json: JSONValue {
        let clients = details.clients.map { client in
            JSONValue.members(("client_id", .string(client.id)), ("idps", JSONValue(client.identityProviders)))
        }
        return .answer(
            (
                "details",
                .members(
                    ("provider", .string(provider.name.text)), ("kind", .string(provider.kind.rawValue)),
                    ("auth_required", .bool(details.isSignInRequired)), ("issuer", JSONValue(details.issuer?.text)),
                    ("scopes", JSONValue(details.scopes.values)), ("clients", .array(clients)))
            ))
    }
}

/// A provider's metadata; endpoints in the configuration replace the published ones.
private struct MetadataDetails: Answer {
    let provider: ProviderConfiguration
    let metadata: ProviderMetadata
    /// Whether the provider's kind has its own way to create accounts.
    let supportsSignUp: Bool
    /// Whether a capability that the metadata does not list is absent, rather than unknown.
    let isComplete: Bool

    private var endpoints: [(key: String, url: WebURL?)] {
        [
            ("authorization_endpoint", metadata.authorizationEndpoint), ("token_endpoint", metadata.tokenEndpoint),
            ("userinfo_endpoint", metadata.userInfoEndpoint), ("jwks_uri", metadata.keysEndpoint),
            ("revocation_endpoint", metadata.revocationEndpoint), ("introspection_endpoint", metadata.introspectionEndpoint),
            ("end_session_endpoint", metadata.endSessionEndpoint),
            ("device_authorization_endpoint", metadata.deviceAuthorizationEndpoint),
            ("pushed_authorization_request_endpoint", metadata.pushedAuthorizationEndpoint),
            ("registration_endpoint", metadata.registrationEndpoint),
        ]
    }

    /// The lists of the metadata; `nil` if the provider does not publish the list.
    private var lists: [(key: String, values: [String]?)] {
        [
            ("scopes_supported", metadata.scopes), ("grant_types_supported", metadata.grantTypes),
            ("token_endpoint_auth_methods_supported", metadata.tokenAuthenticationMethods),
            ("code_challenge_methods_supported", metadata.codeChallengeMethods),
            ("id_token_signing_alg_values_supported", metadata.idTokenAlgorithms),
            ("dpop_signing_alg_values_supported", metadata.proofAlgorithms), ("prompt_values_supported", metadata.promptValues),
            ("acr_values_supported", metadata.contextClasses),
        ]
    }

    /// The capabilities; `nil`: unknown.
    private var capabilities: [(key: String, title: String, isOffered: Bool?)] {
        ProviderCapabilities(metadata: metadata).all.map { capability in
            let isOffered = capability.isOffered || capability.key == "account_creation" && supportsSignUp
            return (capability.key, capability.title.english, isOffered ? true : isComplete ? false : nil)
        }
    }

    private var pairs: [(String, String)] {
        var pairs = [("name", provider.name.text), ("kind", provider.kind.rawValue), ("policy", provider.policy.words)]
        if let issuer = provider.issuer { pairs.append(("issuer", issuer.text)) }
        pairs += endpoints.compactMap { endpoint in endpoint.url.map { (endpoint.key, $0.text) } }
        pairs += lists.compactMap { list in list.values.map { (list.key, $0.joined(separator: " ")) } }
        return pairs
    }

    func rows(on display: Display) -> [StyledText] {
        display.terms(pairs, isTrusted: false) + [""]
            + capabilities.compactMap { capability in
                capability.isOffered.map { isOffered in
                    let mark = isOffered ? display.good : display.neutral
                    return mark + StyledText(" " + capability.title, isOffered ? .text : .muted)
                }
            }
    }

    var lines: [String] {
        let pairs = self.pairs
        let width = pairs.map(\.0.count).max() ?? 0
        return pairs.map { $0.0.padded(to: width + 2) + $0.1 } + [""]
            + capabilities.compactMap { capability in capability.isOffered.map { ($0 ? "yes  " : "no   ") + capability.title } }
    }

    var json: JSONValue {
        .answer(
            (
                "provider",
                .object(
                    [
                        .init("name", .string(provider.name.text)), .init("kind", .string(provider.kind.rawValue)),
                        .init("issuer", JSONValue(provider.issuer?.text)),
                    ] + endpoints.map { .init($0.key, JSONValue($0.url?.text)) }
                        + lists.map { .init($0.key, $0.values.map { JSONValue($0) } ?? .null) })
            ),
            ("capabilities", .object(capabilities.map { .init($0.key, $0.isOffered.map(JSONValue.bool) ?? .null) })))
    }
}

/// A `--set KEY=VALUE` option: a provider key, and its value in the type that the key needs.
enum SettingArgument {
    /// The keys with an option of their own.
    private static let options = [
        "client_id": "--client-id", "client_secret_file": "--client-secret-file", "scopes": "--scope", "redirect": "--redirect",
        "paste_redirect": "--paste-redirect", "post_logout_redirect": "--post-logout-redirect", "kind": "--kind",
    ]
    /// The keys that only the configuration file can have: they are no settings of the service.
    private static let others: Set = ["issuer", "hidden", "registered_scopes"]
    /// The keys whose value is a list; the elements are separated by commas.
    private static let lists: Set = ["api_hosts", "callback_members", "capture", "invoke_hosts", "sign_in_hosts", "trusted_audiences"]
    /// The keys whose value is a whole number.
    private static let numbers: Set = ["access_lifetime", "login_timeout", "refresh_minutes", "exchange_minutes", "renew_timeout"]

    /// The keys that can be set; a key of a table, such as `extra_params`, is followed by a dot and a name.
    static let known = Set(ProviderReader.keys + ProviderKind.allCases.flatMap(ConfigurationRules.standard.ownKeys))
        .subtracting(options.keys).subtracting(others)

    /// Parses the options. Throws `.usage`.
    static func members(_ texts: [String]) throws(AuthFailure) -> [TOMLValue.Member] {
        var members: [TOMLValue.Member] = []
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw AuthFailure(.usage, text: "'\(text)' is not a setting", hint: "write it as --set key=value")
            }
            let key = String(text[..<equals])
            try check(key)
            guard !members.contains(where: { $0.name == key }) else { throw AuthFailure(.usage, text: "'\(key)' is set twice") }
            members.append(.init(key, value(String(text[text.index(after: equals)...]), of: key)))
        }
        return members
    }

    private static func check(_ key: String) throws(AuthFailure) {
        let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard !known.contains(String(parts[0])) || parts.contains("") else { return }
        if let option = options[key] { throw AuthFailure(.usage, text: "'\(key)' has an option of its own", hint: "use \(option)") }
        let hint =
            key == "client_secret"
            ? "a secret belongs into a file: use --client-secret-file"
            : known.nearest(to: key).map { "did you mean \($0)?" } ?? "set it in the configuration file"
        throw AuthFailure(.usage, text: "'\(key)' cannot be set with --set", hint: hint)
    }

    private static func value(_ text: String, of key: String) -> TOMLValue {
        if lists.contains(key) {
            return .array(text.split(separator: ",").map { .string(String($0).trimmed.description) })
        }
        if numbers.contains(key), let number = Int64(text) { return .integer(number) }
        // No key has these words as a text, but a member of a table may, such as extra_params.include_granted_scopes.
        if text == "true" || text == "false", !key.contains(".") { return .boolean(text == "true") }
        return .string(text)
    }
}
