import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "exchange"`.
struct ExchangeKind: KindDefinition {
    typealias Exchange = ProviderConfiguration.Exchange

    var keys: [KindKey] { Self.allKeys }

    private static let allKeys = ownKeys + OpenIDKind.dialectKeys.filter { dialectKeys.contains($0.name) }

    /// The keys of a service's differences that concern requests for tokens, their answers, and the API.
    private static let dialectKeys: Set = [
        "access_lifetime", "api_errors", "api_headers", "api_host_from", "api_refused_status", "api_scheme", "client_assertion_algorithm",
        "client_assertion_audience", "client_assertion_issuer", "client_assertion_parameter", "client_id_parameter",
        "client_secret_parameter", "discovery", "resource_parameter", "revocation", "revocation_parameter", "revokes", "scope_parameter",
        "scope_separator", "scopes_in_response", "token_header", "token_headers", "token_params", "token_request", "token_type",
        "tokens_at", "zero_lifetime",
    ]

    private static let ownKeys = [
        KindKey("from", "The provider or session whose token to exchange. Not for a session of a machine."),
        KindKey(
            "grant",
            """
            What is exchanged for tokens. "token-exchange" (RFC 8693): a token of that session. "jwt-bearer" (RFC 7523): its JWT, or the \
            assertion of a workload. "id-jag": a grant that its provider issues for this one, which must be its company's identity provider \
            (Enterprise-managed authorization). "client_credentials": nothing but the client itself, which has a secret, a key or a \
            certificate; some services have a word of their own for it, such as "account_credentials" at Zoom. Default: "token-exchange".
            """),
        KindKey("subject_token", "Which token of that session to send: \"access_token\" or \"id_token\". Default: \"access_token\"."),
        KindKey("audience", "The audience of the new token, as the provider names it: one or a list."),
        KindKey(
            "assertion_file",
            """
            For "jwt-bearer" without from: a file with the JWT that this machine's platform issues to a workload, in its first line. For \
            "id-jag", where the user cannot sign in at from: a file with the user's ID token of that provider. Only you may be able to read \
            it. It is read for each request.
            """),
        KindKey("assertion_command", "A command that prints that JWT instead: an array of words, never a shell."),
    ]

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        var reading = KindReading(address: .endpoints(["token_endpoint"]))
        reading.dialect = try DialectReader(table: table).read()
        return reading
    }

    var hasRedirect: Bool { false }

    func base(_ table: ConfigurationSection) throws(AuthFailure) -> Exchange? {
        let (grant, ownGrantType) = try readGrant(table)
        let from = try table.session("from")
        let assertion = try assertion(table)
        let needed = Self.assertionKeys.first(where: table.has)
        switch grant {
        case .clientCredentials:
            try table.refuse(["from", "subject_token"] + Self.assertionKeys, because: "phrase.client_credentials_need_no_token")
            guard Self.clientKeys.contains(where: table.has) else {
                throw table.error("config.client_credentials_need_secret", at: "grant", hint: "hint.add_secret_or_key")
            }
        case .assertion where assertion != nil:
            try table.refuse(["from", "subject_token", "audience"], because: "phrase.assertion_is_the_grant")
        case .identityGrant:
            try table.refuse(["subject_token", "audience"], because: "phrase.identity_grant_sets_it")
            guard try table.issuer() != nil else { throw table.missing("issuer", hint: "hint.add_issuer") }
        case .tokenExchange, .assertion:
            if let needed { throw table.error("config.assertion_needs_jwt_bearer", at: needed, hint: "hint.set_grant_jwt_bearer") }
        }
        if from == nil, assertion == nil || grant == .identityGrant, grant != .clientCredentials {
            throw table.missing("from", hint: grant == .assertion ? "hint.exchange_add_from_or_assertion" : "hint.exchange_add_from")
        }
        return Exchange(
            from: from, grant: grant, ownGrantType: ownGrantType, presented: grant == .identityGrant ? .id : try presented(table),
            audiences: try table.textOrTexts("audience") ?? [], assertion: assertion)
    }

    /// Reads the grant: a known one, or a service's own word for the client's own tokens.
    private func readGrant(_ table: ConfigurationSection) throws(AuthFailure) -> (Exchange.Grant, ownGrantType: String?) {
        let key = "grant"
        guard let text = try table.text(key) else { return (.tokenExchange, nil) }
        if let grant = Exchange.Grant(rawValue: text) { return (grant, nil) }
        let known = Exchange.Grant.allCases.map(\.rawValue)
        let isWord = text.utf8.count <= 64 && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
        guard isWord, !Self.otherGrants.contains(text), known.nearest(to: text, within: 2) == nil else {
            throw table.unknownWord(key, text, known: known)
        }
        return (.clientCredentials, text)
    }

    /// The grants of standards that are no client's own.
    private static let otherGrants: Set = [
        "authorization_code", "ciba", "device_code", "implicit", "jwt", "password", "refresh_token", "saml2-bearer",
    ]

    private static let assertionKeys = ["assertion_file", "assertion_command"]
    private static let clientKeys = ["client_secret_file", "client_secret_command", "client_key_file", "client_certificate_file"]

    private func assertion(_ table: ConfigurationSection) throws(AuthFailure) -> ProviderConfiguration.SecretSource? {
        if let file = try table.text("assertion_file") { return .file(file) }
        return try table.command("assertion_command", example: "[\"cat\", \"/run/workload/token\"]").map { .command($0) }
    }

    private func presented(_ table: ConfigurationSection) throws(AuthFailure) -> TokenRequest.Wanted {
        switch try table.text("subject_token") {
        case nil, "access_token": return .access
        case "id_token": return .id
        case let other?: throw table.unknownWord("subject_token", other, known: ["access_token", "id_token"])
        }
    }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        ExchangeAdapter(configuration: configuration, environment: environment)
    }
}
