/// The provider kind: `kind` in the configuration.
public enum ProviderKind: String, Sendable, CaseIterable {
    /// OpenID Connect with discovery.
    case oidc
    /// OAuth 2 without ID tokens. The identity comes from UserInfo, if available.
    case oauth2
    /// A session obtained without the user: derived from another session by token exchange (RFC 8693), a JWT (RFC 7523) or an identity
    /// assertion grant, or a machine's own.
    case exchange
    /// MapsIndoors: a gateway says whether a solution requires a sign-in, and how.
    case mapsIndoors = "mapsindoors"
    /// Beyond Identity, for an app whose backend holds the client secret.
    case beyondIdentity = "beyond-identity"
    /// An ArcGIS portal and its federated servers.
    case arcGIS = "arcgis"
    /// The conversations of a site on OpenWeb, where the publisher identifies its users.
    case openWeb = "openweb"
    /// AWS IAM Identity Center: one session for the roles of a user in all AWS accounts.
    case awsSSO = "aws-sso"

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
        case .awsSSO: "AWS IAM Identity Center"
        }
    }
}

/// The validated settings that only one provider kind uses. Each kind defines its own type; other modules use it only through this
/// protocol.
public protocol KindSettings: Equatable, Sendable {
    /// The settings by their configuration names, including defaults, in display order.
    var shown: [(name: String, value: JSONValue)] { get }

    /// Whether its sessions are opaque backend sessions instead of tokens. Only the data that came with such a session is known.
    var hasOpaqueSessions: Bool { get }

    /// Whether the user may accept a server certificate that no known authority signed. If false, such a certificate is refused.
    var confirmsUntrustedCertificates: Bool { get }

    /// The text shown to guests; `nil` for the app's default text.
    var guestPrompt: String? { get }

    /// Whether a normalized URL belongs to the provider itself. Tokens of the provider's sessions may be sent there, as to `api_hosts` and
    /// `resource`, and only an answer from there may replace a session's token.
    ///
    /// - Parameter issuer: the issuer of the session; `nil` for the provider as it is configured.
    func isProviderURL(_ url: WebURL, issuer: String?) -> Bool

    /// The provider's own URL; `nil` for a kind whose sessions are for resources of others.
    var home: WebURL? { get }

    /// Whether servers that the configuration does not name may belong to the provider. Each server is asked without a credential, and the
    /// provider issues a separate token for it.
    var discoversServers: Bool { get }

    /// The web console that credentials of a role sign a browser in to; `nil` for a kind without roles.
    var console: RoleConsole? { get }
}

/// A web console, and the service that signs a browser in to it with credentials of a role.
public struct RoleConsole: Equatable, Sendable {
    /// The service that issues the token for the browser, and that the browser opens with it.
    public var federation: WebURL
    /// The first page of the console.
    public var home: WebURL
    /// The page where the user signs in again when the console's session has ended.
    public var signIn: WebURL

    package init(federation: WebURL, home: WebURL, signIn: WebURL) {
        self.federation = federation
        self.home = home
        self.signIn = signIn
    }
}

extension KindSettings {
    /// Default: false.
    public var hasOpaqueSessions: Bool { false }
    /// Default: false.
    public var confirmsUntrustedCertificates: Bool { false }
    /// Default: `nil`.
    public var guestPrompt: String? { nil }
    /// Default: false.
    public func isProviderURL(_ url: WebURL, issuer: String?) -> Bool { false }
    /// Default: `nil`.
    public var home: WebURL? { nil }
    /// Default: false.
    public var discoversServers: Bool { false }
    /// Default: `nil`.
    public var console: RoleConsole? { nil }

    fileprivate func isSame(as other: any KindSettings) -> Bool { (other as? Self) == self }
}

/// Settings of any kind. Two values are equal if they have the same type and are equal as that type.
struct AnyKindSettings: Equatable, Sendable {
    let settings: any KindSettings

    static func == (one: AnyKindSettings, other: AnyKindSettings) -> Bool { one.settings.isSame(as: other.settings) }
}
