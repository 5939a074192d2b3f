public import AuthModel

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
    /// An issuer, or the address of a protected resource. With a preset, the user's own address, if the preset needs one.
    public var address: String
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

/// The provider's metadata and the planned configuration. The user confirms exactly this.
public struct ProviderOffer: Equatable, Sendable {
    /// An endpoint of the provider, with its host.
    public struct Endpoint: Equatable, Sendable {
        /// The purpose of an endpoint.
        public enum Purpose: Equatable, Sendable, CaseIterable {
            /// The authorization endpoint.
            case signIn
            /// The token endpoint.
            case tokens
            /// The client registration endpoint.
            case registration
        }

        /// The purpose of the endpoint.
        public var purpose: Purpose
        /// The host name in ASCII, so that look-alike characters are visible.
        public var host: String

        /// Creates an endpoint.
        public init(_ purpose: Purpose, host: String) {
            self.purpose = purpose
            self.host = host
        }
    }

    /// The user's input that led to the offer.
    public var wish: ProviderDraft
    /// The provider's name in the configuration.
    public var name: ProviderName
    /// The kind of provider.
    public var kind: ProviderKind
    /// The issuer; nil for a provider without metadata.
    public var issuer: String?
    /// The endpoints to contact.
    public var endpoints: [Endpoint]
    /// The redirect URIs that must be registered at the provider.
    public var redirects: [String]
    /// The scopes to request.
    public var scopes: [String]
    /// The provider's capabilities, a few words each.
    public var abilities: [UserMessage]
    /// Hints for the user, one line each.
    public var hints: [UserMessage]
    /// The protected resource that the tokens are for.
    public var resource: String?

    /// Creates an offer.
    public init(
        wish: ProviderDraft, name: ProviderName, kind: ProviderKind, issuer: String?, endpoints: [Endpoint], redirects: [String],
        scopes: [String], abilities: [UserMessage] = [], hints: [UserMessage] = [], resource: String? = nil
    ) {
        self.wish = wish
        self.name = name
        self.kind = kind
        self.issuer = issuer
        self.endpoints = endpoints
        self.redirects = redirects
        self.scopes = scopes
        self.abilities = abilities
        self.hints = hints
        self.resource = resource
    }
}

/// The result of looking up a provider.
public enum ProviderFinding: Equatable, Sendable {
    /// The provider can be added as described.
    case offer(ProviderOffer)
    /// The address is a protected resource that accepts tokens of these authorization servers. The user must choose which one to trust.
    case servers(of: String, [String])
}

/// A provider preset for the form.
public struct ProviderPresetChoice: Equatable, Sendable {
    /// The address that a preset needs from the user.
    public enum Address: Equatable, Sendable {
        /// The preset needs no address.
        case known
        /// The user's own address: what it is, an example, and the default if it may be omitted.
        case own(what: UserMessage, example: String, usual: String? = nil)
    }

    /// The preset's name.
    public var name: String
    /// The address that the preset needs.
    public var address: Address
    /// Whether the provider names the client at each sign-in.
    public var choosesClient: Bool

    /// Creates a preset choice.
    public init(name: String, address: Address, choosesClient: Bool = false) {
        self.name = name
        self.address = address
        self.choosesClient = choosesClient
    }
}

/// The functions for adding providers, passed in by the composition root: this module accesses no network and no file.
public struct ProviderOnboarding: Sendable {
    /// The available presets.
    public var presets: [ProviderPresetChoice]
    /// Reads the provider's metadata. Writes nothing.
    public var find: @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding
    /// Registers the client if requested, and writes the provider to the configuration. Throws `.security` if the provider's metadata
    /// differs from what the user confirmed.
    public var add: @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName
    /// Registers a provider's client again after the server has forgotten it, and writes it to the configuration; false for a manually
    /// registered client, which stays unchanged.
    public var renewClient: @Sendable (ProviderName) async throws(AuthFailure) -> Bool

    /// Creates the functions; by default no client can be registered again.
    public init(
        presets: [ProviderPresetChoice], find: @escaping @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding,
        add: @escaping @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName,
        renewClient: @escaping @Sendable (ProviderName) async throws(AuthFailure) -> Bool = { _ throws(AuthFailure) in false }
    ) {
        self.presets = presets
        self.find = find
        self.add = add
        self.renewClient = renewClient
    }
}
