import AuthEngine
import AuthModel
import OAuth
import UserConfiguration

/// The definition of `kind = "openweb"`.
struct OpenWebKind: KindDefinition {
    let keys = [
        KindKey("gateway_url", "The gateway. Default: OpenWeb's own."),
        KindKey("spot_id", "The site with the conversations."),
        KindKey(
            "mode", "\"codes\"; \"jwt\": sign in with a JWT; \"provider\": sign in with an identity provider's token. Default: \"codes\"."),
        KindKey("publisher", "A provider whose session identifies you to the publisher; or use publisher_login_url."),
        KindKey("publisher_login_url", "The publisher's URL for user name and password, sent as JSON; it returns a token."),
        KindKey("codeb_url", "The publisher's backend that turns a code A into a code B."),
        KindKey("codeb_header", "The header field for the publisher's token at codeb_url. Default: access-token-network."),
        KindKey("jwt_command", "A command that prints the JWT or the token on its first line. Default: asks you."),
        KindKey("provider", "For mode provider: janrain, gigya, piano, auth0, foxid or hearst."),
        KindKey("login_prompt", "Whether to show guests that they can sign in. Default: false."),
        KindKey("login_prompt_text", "The text for guests. Default: \"Authorize to participate\"."),
        KindKey(
            "renew_timeout",
            "Time limit in seconds for a silent renewal, after which you are a guest; at most 15 per response. Default: 30."),
    ]

    let foreignSecrets = [
        "client_secret": UserMessage("hint.remove_secret"),
        "access_token": UserMessage("hint.openweb_backend_has_access_token"),
    ]

    var hasRedirect: Bool { false }

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        guard let settings = configuration.kindSettings as? OpenWebConfiguration else {
            return OpenIDAdapter(configuration: configuration, environment: environment)
        }
        return OpenWebAdapter(configuration: configuration, settings: settings, environment: environment)
    }

    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect {
        guard let settings = configuration.kindSettings as? OpenWebConfiguration else { return BearerDialect() }
        return OpenWebDialect(settings: settings)
    }

    // MARK: Reading

    private enum Mode: String, CaseIterable {
        case codes
        case jwt
        case provider
    }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        try table.refuse(
            ["issuer", "client_id", "scopes", "client_secret_file", "client_secret_command", "client_auth", "redirect"],
            because: "phrase.openweb_does_not_use_it")
        let site = try table.requiredText("spot_id", hint: "hint.openweb_add_spot_id")
        guard Self.isWord(site, also: UInt8(ascii: "_")) else {
            throw table.error(
                UserMessage("openweb.not_a_spot_id", ["value": site]), at: "spot_id", hint: "hint.use_letters_digits_underscores")
        }
        guard let gateway = (try table.url("gateway_url") ?? WebURL(OpenWebConfiguration.standardGateway))?.asBase else {
            throw table.error("openweb.gateway_url_refused", at: "gateway_url", hint: "hint.use_https_url_without_query")
        }
        let settings = OpenWebConfiguration(
            gateway: gateway, spotID: site, voucher: try voucher(table), promptsGuests: try table.flag("login_prompt") ?? false,
            promptText: try table.text("login_prompt_text") ?? OpenWebConfiguration.standardPromptText,
            renewalTimeout: .seconds(try table.wholeNumber("renew_timeout", within: 1...600) ?? 30))
        return KindReading(settings: settings, client: .none)
    }

    private func voucher(_ table: ConfigurationSection) throws(AuthFailure) -> OpenWebConfiguration.Voucher {
        let mode = try table.word("mode", as: Mode.self) ?? .codes
        let backend = try table.url("codeb_url")
        if mode == .codes { try table.refuse(["jwt_command", "provider"], because: "phrase.openweb_mode_is_codes") }
        if mode != .provider { try table.refuse(["provider"], because: "phrase.openweb_mode_is_not_provider") }
        switch mode {
        case .codes:
            guard let backend else {
                throw table.missing(
                    "codeb_url", hint: "hint.openweb_add_codeb_url")
            }
            guard let publisher = try publisher(table) else {
                throw table.missing(
                    "publisher",
                    hint: "hint.openweb_add_publisher")
            }
            return .codes(publisher, backend: backend)
        case .jwt: return .jwt(try secretOrigin(table), try publisher(table), backend: backend)
        case .provider:
            let known = OpenWebConfiguration.knownProviders
            let name = try table.requiredText(
                "provider", hint: UserMessage("hint.openweb_supported_providers", ["providers": known.joined(separator: ", ")]))
            guard known.contains(name) else { throw table.unknownWord("provider", name, known: known) }
            return .provider(name, try secretOrigin(table))
        }
    }

    private func publisher(_ table: ConfigurationSection) throws(AuthFailure) -> OpenWebConfiguration.Publisher? {
        let form = try table.url("publisher_login_url")
        if form != nil, table.has("publisher") {
            throw table.error(
                UserMessage("openweb.publisher_set_twice"), at: "publisher_login_url", hint: "hint.openweb_keep_one_publisher_key")
        }
        if let name = try table.session("publisher") { return .session(name) }
        let header = try table.text("codeb_header") ?? "access-token-network"
        guard Self.isWord(header, also: UInt8(ascii: "-")) else {
            throw table.error(
                UserMessage("openweb.not_a_header_field", ["value": header]), at: "codeb_header", hint: "hint.use_letters_digits_hyphens")
        }
        return form.map { .form($0, header: header) }
    }

    private func secretOrigin(_ table: ConfigurationSection) throws(AuthFailure) -> OpenWebConfiguration.SecretOrigin {
        try table.command("jwt_command", example: "[\"make-jwt\", \"--site\", \"x\"]").map { .command($0) } ?? .user
    }

    /// Whether a text has only letters, digits, and one additional character.
    private static func isWord(_ text: String, also extra: UInt8) -> Bool {
        text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == extra }
    }
}

/// The settings of `kind = "openweb"`: the conversations of one site, and the publisher that confirms its users.
struct OpenWebConfiguration: KindSettings {
    /// `gateway_url`: the gateway.
    var gateway: WebURL
    /// `spot_id`: the site.
    var spotID: String
    /// `mode`: how the identity of a user is confirmed.
    var voucher: Voucher
    /// `login_prompt`: whether guests are told that they can sign in.
    var promptsGuests = false
    /// `login_prompt_text`: what guests are told.
    var promptText = OpenWebConfiguration.standardPromptText
    /// `renew_timeout`: the time limit of a silent renewal, for all its requests and commands together. After it, a guest session follows.
    /// A single request may have an earlier deadline of its own.
    var renewalTimeout = Duration.seconds(30)

    /// The party that confirms who the user is.
    enum Voucher: Equatable {
        /// The publisher's backend exchanges OpenWeb's code A for a code B, for the user who is signed in there.
        case codes(Publisher, backend: WebURL)
        /// A JWT of the publisher's identity provider; and the backend, if OpenWeb requires codes nevertheless.
        case jwt(SecretOrigin, Publisher?, backend: WebURL?)
        /// A token of an identity provider that OpenWeb knows by name.
        case provider(String, SecretOrigin)
    }

    /// The way that the user signs in at the publisher.
    enum Publisher: Equatable {
        /// `publisher`: with a session of another provider.
        case session(SessionName)
        /// `publisher_login_url`: with user name and password, posted there as JSON. The `token` of the answer is sent to the backend in
        /// `codeb_header`.
        case form(WebURL, header: String)
    }

    /// The source of a JWT or a token, which is never stored.
    enum SecretOrigin: Equatable {
        /// `jwt_command`: a command, as an argument vector.
        case command([String])
        /// The user is asked.
        case user
    }

    /// The text that OpenWeb's own client shows to guests.
    static let standardPromptText = "Authorize to participate"
    /// The substitute for the issuer of its sessions: the gateway's URL and the site.
    var ownIssuer: String { "\(gateway.text)/\(spotID)" }

    /// Returns these settings with the gateway and the site of a session, according to its issuer and client; `nil` if the issuer has no
    /// gateway.
    func at(issuer: String, site: String) -> OpenWebConfiguration? {
        guard issuer.hasSuffix("/" + site), let gateway = WebURL(String(issuer.dropLast(site.count + 1))) else { return nil }
        var settings = self
        settings.gateway = gateway
        settings.spotID = site
        return settings
    }

    /// OpenWeb's own gateway.
    static let standardGateway = "https://mobile-gw.spot.im"
    /// The identity providers that OpenWeb supports.
    static let knownProviders = ["janrain", "gigya", "piano", "auth0", "foxid", "hearst"]

    var guestPrompt: String? { promptText }

    var home: WebURL? { gateway }

    /// Whether a URL belongs to the gateway, for a session of that gateway and site.
    func isProviderURL(_ url: WebURL, issuer: String?) -> Bool { (issuer == nil || issuer == ownIssuer) && url.lies(in: gateway) }

    var shown: [(name: String, value: JSONValue)] {
        [
            ("gateway_url", .string(gateway.text)), ("spot_id", .string(spotID)), ("login_prompt", .bool(promptsGuests)),
            ("login_prompt_text", .string(promptText)), ("renew_timeout", .number(renewalTimeout.wholeSeconds)),
        ] + voucher.shown
    }
}

extension OpenWebConfiguration.Voucher {
    fileprivate var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .codes(let publisher, let backend): [("mode", "codes"), ("codeb_url", .string(backend.text))] + publisher.shown
        case .jwt(let origin, let publisher, let backend):
            [("mode", "jwt"), ("jwt_command", origin.shown), ("codeb_url", JSONValue(backend?.text))] + (publisher?.shown ?? [])
        case .provider(let name, let origin): [("mode", "provider"), ("provider", .string(name)), ("jwt_command", origin.shown)]
        }
    }
}

extension OpenWebConfiguration.Publisher {
    fileprivate var shown: [(name: String, value: JSONValue)] {
        switch self {
        case .session(let name): [("publisher", .string(name.description))]
        case .form(let url, let header): [("publisher_login_url", .string(url.text)), ("codeb_header", .string(header))]
        }
    }
}

extension OpenWebConfiguration.SecretOrigin {
    fileprivate var shown: JSONValue { if case .command(let words) = self { JSONValue(words) } else { .null } }
}
