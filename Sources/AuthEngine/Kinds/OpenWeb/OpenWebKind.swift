internal import AuthModel

/// The definition of `kind = "openweb"`.
struct OpenWebKind: KindDefinition {
    let keys = [
        KindKey("gateway_url", "The gateway; OpenWeb's own where it is left out."),
        KindKey("spot_id", "The site whose conversations these are."),
        KindKey("mode", "\"codes\", the usual one; \"jwt\": a JWT signs in; \"provider\": the token of an identity provider does."),
        KindKey("publisher", "A provider whose session shows the publisher who you are; or publisher_login_url."),
        KindKey("publisher_login_url", "Where the publisher takes user name and password, as JSON, and answers with a token."),
        KindKey("codeb_url", "The publisher's backend, which turns a code A into a code B."),
        KindKey("codeb_header", "The field that brings the publisher's token to codeb_url. Usually access-token-network."),
        KindKey("jwt_command", "A command whose first line is the JWT or the token; without one you are asked."),
        KindKey("provider", "For mode provider: janrain, gigya, piano, auth0, foxid or hearst."),
        KindKey("login_prompt", "Whether guests are shown that they can sign in. Usually false."),
        KindKey("login_prompt_text", "What they are shown. Usually \"Authorize to participate\"."),
        KindKey(
            "renew_timeout", "Seconds that a silent renewal may take in all before you are a guest; one answer, 15 at most. Usually 30."),
    ]

    let foreignSecrets = [
        "client_secret": "remove it: the backend holds the secret, and nobody else",
        "access_token": "OpenWeb's is the publisher's backend's alone; name that with codeb_url",
    ]

    var hasRedirect: Bool { false }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        guard let settings = configuration.own as? OpenWebConfiguration else {
            return OpenIDAdapter(configuration: configuration, environment: environment)
        }
        return OpenWebAdapter(configuration: configuration, settings: settings, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect {
        guard let settings = configuration.own as? OpenWebConfiguration else { return BearerDialect() }
        return OpenWebDialect(settings: settings)
    }

    func home(of configuration: ProviderConfiguration) -> WebURL? { (configuration.own as? OpenWebConfiguration)?.gateway }

    /// Whether a URL belongs to the gateway, for a session of that gateway and site.
    func isProviderURL(_ url: WebURL, of configuration: ProviderConfiguration, issuer: String?) -> Bool {
        guard let settings = configuration.own as? OpenWebConfiguration else { return false }
        return (issuer == nil || issuer == settings.place) && url.lies(in: settings.gateway)
    }

    // MARK: Reading

    private enum Mode: String, CaseIterable {
        case codes
        case jwt
        case provider
    }

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        try table.refuse(
            ["issuer", "client_id", "scopes", "client_secret_file", "client_secret_command", "client_auth", "redirect"],
            because: "OpenWeb knows nothing of it")
        let site = try table.requiredText("spot_id", hint: "add the spot_id of the site, such as sp_eCIlROSD")
        guard Self.isWord(site, also: UInt8(ascii: "_")) else {
            throw table.error("'\(site)' is no spot_id", at: "spot_id", hint: "it has letters, digits and underscores")
        }
        guard let gateway = (try table.url("gateway_url") ?? WebURL(OpenWebConfiguration.standardGateway))?.asBase else {
            throw table.error("'gateway_url' is refused", at: "gateway_url", hint: "it must be an https URL without query")
        }
        let settings = OpenWebConfiguration(
            gateway: gateway, spotID: site, voucher: try voucher(table), promptsGuests: try table.flag("login_prompt") ?? false,
            promptText: try table.text("login_prompt_text") ?? OpenWebConfiguration.standardPromptText,
            renewalTimeout: .seconds(try table.wholeNumber("renew_timeout", within: 1...600) ?? 30))
        return KindReading(settings: settings, client: .none)
    }

    private func voucher(_ table: any SettingsTable) throws(AuthFailure) -> OpenWebConfiguration.Voucher {
        let mode = try table.word("mode", as: Mode.self) ?? .codes
        let backend = try table.url("codeb_url")
        if mode == .codes { try table.refuse(["jwt_command", "provider"], because: "mode is \"codes\"") }
        if mode != .provider { try table.refuse(["provider"], because: "mode is not \"provider\"") }
        switch mode {
        case .codes:
            guard let backend else {
                throw table.missing(
                    "codeb_url", hint: "add the address of the publisher's backend that turns a code A into a code B")
            }
            guard let publisher = try publisher(table) else {
                throw table.missing(
                    "publisher",
                    hint: "add publisher = \"PROVIDER\" for a session there, or publisher_login_url for user name and password")
            }
            return .codes(publisher, backend: backend)
        case .jwt: return .jwt(try secretOrigin(table), try publisher(table), backend: backend)
        case .provider:
            let known = OpenWebConfiguration.knownProviders
            let name = try table.requiredText("provider", hint: "OpenWeb knows \(known.joined(separator: ", "))")
            guard known.contains(name) else { throw table.unknownWord("provider", name, known: known) }
            return .provider(name, try secretOrigin(table))
        }
    }

    private func publisher(_ table: any SettingsTable) throws(AuthFailure) -> OpenWebConfiguration.Publisher? {
        let form = try table.url("publisher_login_url")
        if form != nil, table.has("publisher") {
            throw table.error(
                "the publisher is named twice", at: "publisher_login_url", hint: "keep one of publisher and publisher_login_url")
        }
        if let name = try table.session("publisher") { return .session(name) }
        let header = try table.text("codeb_header") ?? "access-token-network"
        guard Self.isWord(header, also: UInt8(ascii: "-")) else {
            throw table.error("'\(header)' is no header field", at: "codeb_header", hint: "it has letters, digits and hyphens")
        }
        return form.map { .form($0, header: header) }
    }

    private func secretOrigin(_ table: any SettingsTable) throws(AuthFailure) -> OpenWebConfiguration.SecretOrigin {
        try table.command("jwt_command", example: "[\"make-jwt\", \"--site\", \"x\"]").map { .command($0) } ?? .person
    }

    /// Whether a text has only letters, digits, and one additional character.
    private static func isWord(_ text: String, also extra: UInt8) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: byte == extra
            }
        }
    }
}
