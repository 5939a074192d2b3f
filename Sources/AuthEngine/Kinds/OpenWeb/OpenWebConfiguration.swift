internal import AuthModel

/// `kind = "openweb"`: the conversations of one site, and the publisher who vouches for its users.
struct OpenWebConfiguration: KindSettings {
    /// `gateway_url`.
    var gateway: WebURL
    /// `spot_id`: the site.
    var spotID: String
    /// How users are vouched for.
    var voucher: Voucher
    /// `login_prompt`: whether guests are shown that they can sign in.
    var promptsGuests = false
    /// `login_prompt_text`.
    var promptText = OpenWebConfiguration.standardPromptText
    /// `renew_timeout`: how long a silent renewal may take, all its requests and commands together; then there is a guest. A single request
    /// ends by its own deadline, if that is sooner.
    var renewalTimeout = Duration.seconds(30)

    /// Who says who somebody is.
    enum Voucher: Equatable {
        /// The publisher's backend turns OpenWeb's code A into a code B, for whoever is signed in there.
        case codes(Publisher, backend: WebURL)
        /// A JWT of the publisher's identity provider; where OpenWeb wants codes after all, the backend.
        case jwt(SecretOrigin, Publisher?, backend: WebURL?)
        /// A token of an identity provider that OpenWeb knows by name.
        case provider(String, SecretOrigin)
    }

    /// How somebody is signed in at the publisher.
    enum Publisher: Equatable {
        /// `publisher`: with a session of another provider.
        case session(SessionName)
        /// `publisher_login_url`: with user name and password, posted there as JSON; the answer's `token` goes to the backend in
        /// `codeb_header`.
        case form(WebURL, header: String)
    }

    /// Where a JWT or a token comes from; it is never kept.
    enum SecretOrigin: Equatable {
        /// `jwt_command`: a command, as an argument vector.
        case command([String])
        /// The person is asked.
        case person
    }

    /// What OpenWeb's own client says to guests.
    static let standardPromptText = "Authorize to participate"
    /// What stands for the issuer of its sessions: the gateway, and the site there.
    var place: String { "\(gateway.text)/\(spotID)" }

    /// The same site's settings at the gateway and for the site that a session was made with, as it says by its issuer and client; `nil`
    /// where that is no gateway.
    func at(issuer: String, site: String) -> OpenWebConfiguration? {
        guard issuer.hasSuffix("/" + site), let gateway = WebURL(String(issuer.dropLast(site.count + 1))) else { return nil }
        var settings = self
        settings.gateway = gateway
        settings.spotID = site
        return settings
    }

    /// OpenWeb's own gateway.
    static let standardGateway = "https://mobile-gw.spot.im"
    /// The identity providers that OpenWeb knows.
    static let knownProviders = ["janrain", "gigya", "piano", "auth0", "foxid", "hearst"]

    var guestPrompt: String? { promptText }

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
