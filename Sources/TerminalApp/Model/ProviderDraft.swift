public import AuthModel

/// What a person fills in to add a provider.
public struct ProviderDraft: Equatable, Sendable {
    /// Which client we are to be there.
    public enum Client: Equatable, Sendable {
        /// The one that is registered there by hand.
        case identifier(String)
        /// One of our own, which is registered now (RFC 7591).
        case register
        /// Whichever the provider names at each sign-in.
        case namedByTheProvider
    }

    /// A well-known provider by its name; `nil` for one that is given by its address.
    public var preset: String?
    /// An issuer or the address of a protected resource; with a preset, where that is for the person.
    public var address: String
    /// The name it is to have here; `nil` for one made from its host.
    public var name: String?
    public var client: Client
    /// A file with the client's secret, where the provider wants one.
    public var secretFile: String?
    /// Empty for the usual ones.
    public var scopes: [String]
    /// The one that the person chose of the authorization servers which a resource names.
    public var authorizationServer: String?

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

/// What the provider said, and what would be written: the person confirms this, and nothing else is added.
public struct ProviderOffer: Equatable, Sendable {
    /// An endpoint that will be spoken to, and where it is.
    public struct Endpoint: Equatable, Sendable {
        public enum Purpose: Equatable, Sendable, CaseIterable {
            case signIn
            case tokens
            case registration
        }

        public var purpose: Purpose
        /// In ASCII, so that a look-alike is found out.
        public var host: String

        public init(_ purpose: Purpose, host: String) {
            self.purpose = purpose
            self.host = host
        }
    }

    public var wish: ProviderDraft
    public var name: ProviderName
    public var kind: ProviderKind
    /// `nil` at a provider that publishes no metadata.
    public var issuer: String?
    public var endpoints: [Endpoint]
    /// The redirect addresses that the provider has to know.
    public var redirects: [String]
    public var scopes: [String]
    /// What it can do, a few words each.
    public var abilities: [String]
    /// What to know, one line each.
    public var hints: [String]
    /// The protected resource that the tokens are for.
    public var resource: String?

    public init(
        wish: ProviderDraft, name: ProviderName, kind: ProviderKind, issuer: String?, endpoints: [Endpoint], redirects: [String],
        scopes: [String], abilities: [String] = [], hints: [String] = [], resource: String? = nil
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

/// What a wish led to.
public enum ProviderFinding: Equatable, Sendable {
    case offer(ProviderOffer)
    /// The address is a protected resource's, which takes tokens of these authorization servers. The person has to say which is trusted.
    case servers(of: String, [String])
}

/// A well-known provider, for the form.
public struct ProviderPresetChoice: Equatable, Sendable {
    public enum Address: Equatable, Sendable {
        /// Nothing has to be given.
        case known
        /// The person's own: what it is, how it looks, and most people's, where it may be left out.
        case own(what: String, example: String, usual: String? = nil)
    }

    public var name: String
    public var address: Address
    /// Whether the provider itself says at each sign-in which client we are.
    public var namesTheClient: Bool

    public init(name: String, address: Address, namesTheClient: Bool = false) {
        self.name = name
        self.address = address
        self.namesTheClient = namesTheClient
    }
}

/// What adds providers, given by the composition root: this module knows no network and no file.
public struct ProviderOnboarding: Sendable {
    public var presets: [ProviderPresetChoice]
    /// Asks the provider who it is. Writes nothing.
    public var find: @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding
    /// Registers the client where that was wished for, and writes the provider into the configuration. Throws `.security` where the
    /// provider says something else now than what was confirmed.
    public var add: @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName
    /// Registers the client of a provider again, which the server does not know any more, and writes it into the configuration; `false` for
    /// a client that was registered by hand, which stays as it is.
    public var renewClient: @Sendable (ProviderName) async throws(AuthFailure) -> Bool

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
