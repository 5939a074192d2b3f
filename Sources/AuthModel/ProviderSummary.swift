/// What the home screen and the picker show of a provider.
public struct ProviderSummary: Equatable, Sendable {
    public var name: ProviderName
    public var kind: ProviderKind
    /// Where the person will be sent to: the issuer, or the authorization endpoint's origin. ASCII; international names in punycode.
    public var address: String
    public var scopes: ScopeSet
    /// Whether an account can be made there: known for sure only after discovery, so a `nil` means "ask and see".
    public var offersSignUp: Bool?
    /// Labels of the accounts that have a session, the last used first.
    public var accounts: [String]
    /// The one of ``accounts`` that the provider's name alone stands for, where there are several and the person chose one; `nil` also
    /// while the store is locked.
    public var activeAccount: String?
    /// The session of another provider that the sessions here are made from: who is signed in there vouches for who is signed in here.
    public var base: SessionName?
    /// What the ways in are called there.
    public var labels: ProviderLabels
    /// Whether guests are shown that they can sign in.
    public var promptsGuests: Bool
    /// Whether its sessions end with the app and the agent.
    public var endsWithProcess = false
    /// Whether a sign-out can tell it to end anything.
    public var revokes = true
    /// Whether it may have a page where a browser's session ends: known for sure only after discovery.
    public var hasBrowserSession = true

    public init(
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

/// What a provider's configuration calls the ways in; `nil`: in the app's own words.
public struct ProviderLabels: Equatable, Sendable {
    /// `sign_in_label`.
    public var signIn: String?
    /// `sign_up_label`.
    public var signUp: String?
    /// What guests are shown.
    public var guestPrompt: String?

    public init(signIn: String? = nil, signUp: String? = nil, guestPrompt: String? = nil) {
        self.signIn = signIn
        self.signUp = signUp
        self.guestPrompt = guestPrompt
    }
}
