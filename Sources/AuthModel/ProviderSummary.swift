/// What the front door and the picker show of a provider.
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

    public init(name: ProviderName, kind: ProviderKind, address: String, scopes: ScopeSet, offersSignUp: Bool?, accounts: [String]) {
        self.name = name
        self.kind = kind
        self.address = address
        self.scopes = scopes
        self.offersSignUp = offersSignUp
        self.accounts = accounts
    }
}
