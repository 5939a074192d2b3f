/// The user's input for adding a provider.
public struct ProviderDraft: Equatable, Sendable {
    /// The OAuth client to use at the provider.
    public enum Client: Equatable, Sendable {
        /// A client that was registered manually.
        case identifier(String)
        /// A new client, registered now (RFC 7591).
        case register
        /// The client that the provider names at each sign-in.
        case namedByProvider
    }

    /// The name of a preset; nil for a provider given by its address.
    public var preset: String?
    /// The preset's mode; nil if it has only one.
    public var mode: String?
    /// An issuer, or the address of a protected resource. With a preset, the user's place, if the preset needs one.
    public var address: String
    /// The answers to the preset's other questions, in order.
    public var settings: [String] = []
    /// The page that the user pastes from, if the provider does not redirect to this machine.
    public var page: String?
    /// The provider's name in the configuration; nil derives it from the host.
    public var name: String?
    /// The OAuth client to use.
    public var client: Client
    /// The path of a file with the client secret, if the provider needs one.
    public var secretFile: String?
    /// The scopes to request. Default (empty): the provider's default scopes.
    public var scopes: [String]
    /// The authorization server that the user chose, if a resource names several.
    public var authorizationServer: String?

    /// Creates a draft.
    public init(
        preset: String? = nil, address: String, name: String? = nil, client: Client, secretFile: String? = nil, scopes: [String] = [],
        authorizationServer: String? = nil
    ) {
        self.preset = preset
        self.address = address
        self.name = name
        self.client = client
        self.secretFile = secretFile
        self.scopes = scopes
        self.authorizationServer = authorizationServer
    }
}
