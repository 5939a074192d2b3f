internal import AuthEngine
internal import AuthModel

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

    /// The user's way of signing in at the publisher.
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
    var place: String { "\(gateway.text)/\(spotID)" }

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
    func isProviderURL(_ url: WebURL, issuer: String?) -> Bool { (issuer == nil || issuer == place) && url.lies(in: gateway) }

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
