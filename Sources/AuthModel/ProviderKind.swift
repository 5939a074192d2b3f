/// How a provider is spoken to: `kind` in the configuration.
public enum ProviderKind: String, Sendable, CaseIterable {
    /// OpenID Connect, found by discovery.
    case oidc
    /// Plain OAuth 2: no ID token; identity from userinfo where there is one.
    case oauth2
    /// A session made from another one: token exchange (RFC 8693) or a JWT as an authorization grant (RFC 7523).
    case exchange
    /// MapsIndoors: a gateway tells how a solution is signed in to, and whether at all.
    case mapsIndoors = "mapsindoors"
    /// Beyond Identity, at an app whose backend holds the secret.
    case beyondIdentity = "beyond-identity"
    /// An ArcGIS portal, and the servers that belong to it.
    case arcGIS = "arcgis"
    /// The conversations of a site on OpenWeb, where a publisher vouches for its users.
    case openWeb = "openweb"

    /// As its standard or its vendor writes it.
    public var title: String {
        switch self {
        case .oidc: "OpenID Connect"
        case .oauth2: "OAuth 2"
        case .exchange: "Token Exchange"
        case .mapsIndoors: "MapsIndoors"
        case .beyondIdentity: "Beyond Identity"
        case .arcGIS: "ArcGIS"
        case .openWeb: "OpenWeb"
        }
    }
}
