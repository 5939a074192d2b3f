/// Provider-specific sign-in details that standard metadata does not contain.
public struct ProviderDetails: Equatable, Sendable {
    /// A client that can be used for signing in.
    public struct Client: Equatable, Sendable {
        /// The client identifier.
        public var id: String
        /// The names of the identity providers of the client, preferred ones first.
        public var identityProviders: [String]

        /// Creates a client.
        public init(id: String, identityProviders: [String]) {
            self.id = id
            self.identityProviders = identityProviders
        }
    }

    /// Whether the provider requires a sign-in.
    public var isSignInRequired: Bool
    /// The issuer, if there is one.
    public var issuer: Issuer?
    /// The scopes to request at sign-in.
    public var scopes: ScopeSet
    /// The clients to choose from.
    public var clients: [Client]

    /// Creates provider details.
    public init(isSignInRequired: Bool, issuer: Issuer?, scopes: ScopeSet, clients: [Client]) {
        self.isSignInRequired = isSignInRequired
        self.issuer = issuer
        self.scopes = scopes
        self.clients = clients
    }
}
