/// `kind = "openweb"`: the conversations of one site, and the publisher who vouches for its users.
public struct OpenWebConfiguration: Equatable, Sendable {
    /// `gateway_url`.
    public var gateway: WebURL
    /// `spot_id`: the site.
    public var spotID: String
    /// How users are vouched for.
    public var voucher: Voucher
    /// `login_prompt`: whether guests are shown that they can sign in.
    public var promptsGuests: Bool
    /// `login_prompt_text`.
    public var promptText: String
    /// `renew_timeout`: how long a silent renewal may take; then there is a guest.
    public var renewalTimeout: Duration

    /// Who says who somebody is.
    public enum Voucher: Equatable, Sendable {
        /// The publisher's backend turns OpenWeb's code A into a code B, for whoever is signed in there.
        case codes(Publisher, backend: WebURL)
        /// A JWT of the publisher's identity provider; where OpenWeb wants codes after all, the backend.
        case jwt(SecretOrigin, Publisher?, backend: WebURL?)
        /// A token of an identity provider that OpenWeb knows by name.
        case provider(String, SecretOrigin)
    }

    /// How somebody is signed in at the publisher.
    public enum Publisher: Equatable, Sendable {
        /// `publisher`: with a session of another provider.
        case session(SessionName)
        /// `publisher_login_url`: with user name and password, posted there as JSON; the answer's `token` goes to the backend in
        /// `codeb_header`.
        case form(WebURL, header: String)
    }

    /// Where a JWT or a token comes from; it is never kept.
    public enum SecretOrigin: Equatable, Sendable {
        /// `jwt_command`: a command, as an argument vector.
        case command([String])
        /// The person is asked.
        case person
    }

    public init(
        gateway: WebURL, spotID: String, voucher: Voucher, promptsGuests: Bool = false, promptText: String = standardPromptText,
        renewalTimeout: Duration = .seconds(30)
    ) {
        self.gateway = gateway
        self.spotID = spotID
        self.voucher = voucher
        self.promptsGuests = promptsGuests
        self.promptText = promptText
        self.renewalTimeout = renewalTimeout
    }

    /// What OpenWeb's own client says to guests.
    public static let standardPromptText = "Authorize to participate"
    /// OpenWeb's own gateway.
    public static let standardGateway = "https://mobile-gw.spot.im"
    /// The identity providers that OpenWeb knows.
    public static let knownProviders = ["janrain", "gigya", "piano", "auth0", "foxid", "hearst"]
}
