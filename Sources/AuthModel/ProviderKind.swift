/// The provider kind: `kind` in the configuration.
public enum ProviderKind: String, Sendable, CaseIterable {
    /// OpenID Connect with discovery.
    case oidc
    /// OAuth 2 without ID tokens. The identity comes from UserInfo, if available.
    case oauth2
    /// A session derived from another session: token exchange (RFC 8693) or a JWT as an authorization grant (RFC 7523).
    case exchange
    /// MapsIndoors: a gateway says whether a solution requires a sign-in, and how.
    case mapsIndoors = "mapsindoors"
    /// Beyond Identity, for an app whose backend holds the client secret.
    case beyondIdentity = "beyond-identity"
    /// An ArcGIS portal and its federated servers.
    case arcGIS = "arcgis"
    /// The conversations of a site on OpenWeb, where the publisher identifies its users.
    case openWeb = "openweb"

    /// The name as the standard or vendor writes it.
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
