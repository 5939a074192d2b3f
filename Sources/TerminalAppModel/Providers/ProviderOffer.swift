public import AuthModel

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
