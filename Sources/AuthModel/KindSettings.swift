/// What one kind of provider alone needs to know; `nil` in ``ProviderConfiguration/own`` for kinds that need nothing of their own.
///
/// ``ProviderConfiguration/Exchange`` is older, and has its own place.
public enum KindSettings: Equatable, Sendable {
    case mapsIndoors(MapsIndoorsConfiguration)
    case beyondIdentity(BeyondIdentityConfiguration)
    case secureAccess(SecureAccessConfiguration)
    case arcGIS(ArcGISConfiguration)
    case openWeb(OpenWebConfiguration)
}

/// `kind = "mapsindoors"`.
public enum MapsIndoorsConfiguration: Equatable, Sendable {
    /// A solution: how it is signed in to, the gateway tells.
    public struct Solution: Equatable, Sendable {
        /// The gateway: the solution's key is appended as a path segment.
        public var gateway: WebURL
        /// `api_key`. It names the solution; its data may be open to whoever has it.
        public var apiKey: String
        /// `idp`: the identity provider to sign in with; `nil`: the person is asked where there are several.
        public var identityProvider: String?
        /// `extra_scopes`: asked beside those of the details.
        public var extraScopes: ScopeSet

        public init(gateway: WebURL, apiKey: String, identityProvider: String? = nil, extraScopes: ScopeSet = []) {
            self.gateway = gateway
            self.apiKey = apiKey
            self.identityProvider = identityProvider
            self.extraScopes = extraScopes
        }
    }

    case solution(Solution)
    /// The Booking service, which takes tokens of the tenant's own issuer. `tenantID` goes along with every request.
    case booking(tenantID: String?)
}

extension ProviderConfiguration {
    public var mapsIndoors: MapsIndoorsConfiguration? { if case .mapsIndoors(let settings) = own { settings } else { nil } }

    public var arcGIS: ArcGISConfiguration? { if case .arcGIS(let settings) = own { settings } else { nil } }

    public var openWeb: OpenWebConfiguration? { if case .openWeb(let settings) = own { settings } else { nil } }

    /// Whether its sessions are what a backend gave, of which nothing is known but what came along, and not tokens.
    public var hasOpaqueSessions: Bool { if case .beyondIdentity = own { true } else { false } }
}
