public import AuthModel

/// The functions for adding providers, passed in by the composition root: this module accesses no network and no file.
public struct ProviderOnboarding: Sendable {
    /// The available presets.
    public var presets: ServiceChoices
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
        presets: ServiceChoices, find: @escaping @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding,
        add: @escaping @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName,
        renewClient: @escaping @Sendable (ProviderName) async throws(AuthFailure) -> Bool = { _ throws(AuthFailure) in false }
    ) {
        self.presets = presets
        self.find = find
        self.add = add
        self.renewClient = renewClient
    }
}

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
    public var scopes: [String] = []
    /// The authorization server that the user chose, if a resource names several.
    public var authorizationServer: String?
}

/// The result of looking up a provider.
public enum ProviderFinding: Equatable, Sendable {
    /// The provider can be added as described.
    case offer(ProviderOffer)
    /// The address is a protected resource that accepts tokens of these authorization servers. The user must choose which one to trust.
    case servers(of: String, [String])
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
    public var draft: ProviderDraft
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
    /// Hints for the user, in English sentences.
    public var hints: [String]
    /// The protected resource that the tokens are for.
    public var resource: String?

    /// Creates an offer.
    public init(
        draft: ProviderDraft, name: ProviderName, kind: ProviderKind, issuer: String?, endpoints: [Endpoint], redirects: [String],
        scopes: [String], abilities: [UserMessage] = [], hints: [String] = [], resource: String? = nil
    ) {
        self.draft = draft
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

/// A well-known service, or one of the ways to use it, as the form offers it. Its texts are data in English.
public struct ProviderPresetChoice: Equatable, Sendable {
    /// Something that only the user knows.
    public struct Question: Equatable, Sendable {
        /// A noun phrase that completes "enter".
        public var what: String
        /// An example.
        public var example: String
        /// The default value; nil if an answer is required.
        public var fallback: String?
        /// The label in the form; nil for the user's place at the service.
        public var label: String?

        /// Creates a question.
        public init(what: String, example: String, fallback: String? = nil, label: String? = nil) {
            self.what = what
            self.example = example
            self.fallback = fallback
            self.label = label
        }
    }

    /// The origin of the client at the service.
    public enum Client: Equatable, Sendable {
        /// The user registers one.
        case given
        /// Yett registers one, unless the user has one.
        case registered
        /// The service names it at each sign-in.
        case namedByProvider
    }

    /// Whether the service has client secrets.
    public enum Secret: Equatable, Sendable {
        case none, optional, required
    }

    /// The preset's name.
    public var name: String
    /// The preset's mode; nil if it has only one.
    public var mode: String?
    /// The service's name, as the service writes it.
    public var title: String
    /// A description of the service, or of the mode.
    public var summary: String
    /// More words that find the choice.
    public var aliases: [String] = []
    /// The user's place at the service; nil if the service has one address for all users.
    public var place: Question?
    /// More settings that only the user knows.
    public var settings: [Question] = []
    /// Whether the service does not redirect to this machine, so that the user names a page of their own.
    public var needsPage = false
    /// The origin of the client.
    public var client = Client.given
    /// Whether the service has client secrets.
    public var secret = Secret.none
    /// The page where a user registers a client; may contain `{place}`.
    public var page: String?
    /// The steps to register a client, in sentences; may contain `{place}` and `{redirect}`.
    public var steps: [String] = []
    /// The redirect addresses to register.
    public var redirects: [String] = []

    /// Creates a choice.
    public init(name: String, title: String, summary: String) {
        self.name = name
        self.title = title
        self.summary = summary
    }

    /// Returns a text of the choice with the user's place and redirect address in it; an empty one is replaced by an example.
    package func filled(_ text: String, place: String, page: String) -> String {
        var place = place.isEmpty ? self.place?.fallback ?? self.place?.example ?? "" : place
        if let scheme = place.firstRange(of: "://") { place = String(place[scheme.upperBound...]) }
        let redirect = !needsPage ? redirects.joined(separator: ", ") : page.isEmpty ? "https://www.example.org/callback" : page
        return text.replacing("{place}", with: place).replacing("{redirect}", with: redirect)
    }
}

/// The well-known services that the form offers. They are read when the form opens, so that the app's start does not wait for them.
public final class ServiceChoices: Equatable, Sendable {
    private let read: @Sendable () -> [ProviderPresetChoice]

    /// Creates the list.
    public init(_ read: @escaping @Sendable () -> [ProviderPresetChoice]) { self.read = read }

    /// The services.
    public var all: [ProviderPresetChoice] { read() }

    /// Returns whether both are the same list.
    public static func == (left: ServiceChoices, right: ServiceChoices) -> Bool { left === right }
}
