/// A provider as the home screen and the picker show it.
public struct ProviderSummary: Equatable, Sendable {
    /// The name of the provider.
    public var name: ProviderName
    /// The provider kind.
    public var kind: ProviderKind
    /// The address where the user signs in: the issuer, or the origin of the authorization endpoint. International names are in Punycode.
    public var address: String
    /// The scopes to request.
    public var scopes: ScopeSet
    /// Whether users can create accounts there; `nil` if this is unknown until discovery.
    public var offersSignUp: Bool?
    /// The labels of the accounts with a session, in the order of their names, in which a user looks for one among many.
    public var accounts: [String]
    /// The default account among ``accounts`` that the user chose for the provider's name alone, if there are several accounts; `nil` if
    /// none was chosen or the store is locked.
    public var defaultAccount: String?
    /// The session of another provider from which the sessions here are derived. Its user identifies the user here.
    public var base: SessionName?
    /// The labels of the sign-in and sign-up actions.
    public var labels: ProviderLabels
    /// Whether guests see an invitation to sign in.
    public var promptsGuests: Bool
    /// Whether its sessions end with the app and the agent.
    public var endsWithProcess = false
    /// Whether a sign-out can revoke anything at the provider.
    public var revokes = true
    /// Whether the provider may have a logout page for the browser. This is certain only after discovery.
    public var hasBrowserSession = true
    /// Whether its sessions open roles in accounts.
    public var hasRoles = false

    package init(
        name: ProviderName, kind: ProviderKind, address: String, scopes: ScopeSet, offersSignUp: Bool?, accounts: [String],
        labels: ProviderLabels = ProviderLabels(), promptsGuests: Bool = true
    ) {
        self.name = name
        self.kind = kind
        self.address = address
        self.scopes = scopes
        self.offersSignUp = offersSignUp
        self.accounts = accounts
        self.labels = labels
        self.promptsGuests = promptsGuests
    }
}

/// The configured labels of a provider's sign-in and sign-up actions; `nil` for the app's default text.
public struct ProviderLabels: Equatable, Sendable {
    /// `sign_in_label`.
    public var signIn: String?
    /// `sign_up_label`.
    public var signUp: String?
    /// The text shown to guests.
    public var guestPrompt: String?

    /// Creates labels. Default: the app's text.
    public init(signIn: String? = nil, signUp: String? = nil, guestPrompt: String? = nil) {
        self.signIn = signIn
        self.signUp = signUp
        self.guestPrompt = guestPrompt
    }
}

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
