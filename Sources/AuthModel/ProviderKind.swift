/// How a provider is spoken to: `kind` in the configuration.
public enum ProviderKind: String, Sendable, CaseIterable {
    /// OpenID Connect, found by discovery.
    case oidc
    /// Plain OAuth 2: no ID token; identity from userinfo where there is one.
    case oauth2
}
