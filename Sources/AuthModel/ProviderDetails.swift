/// What a provider says of signing in there, beyond metadata that every provider has.
public struct ProviderDetails: Equatable, Sendable {
    /// A client that may be signed in with.
    public struct Client: Equatable, Sendable {
        public var id: String
        /// Names of identity providers behind it, preferred ones first.
        public var identityProviders: [String]

        public init(id: String, identityProviders: [String]) {
            self.id = id
            self.identityProviders = identityProviders
        }
    }

    /// Whether there is anything to sign in for.
    public var isSignInRequired: Bool
    public var issuer: Issuer?
    /// The scopes of a sign-in there.
    public var scopes: ScopeSet
    public var clients: [Client]

    public init(isSignInRequired: Bool, issuer: Issuer?, scopes: ScopeSet, clients: [Client]) {
        self.isSignInRequired = isSignInRequired
        self.issuer = issuer
        self.scopes = scopes
        self.clients = clients
    }
}
