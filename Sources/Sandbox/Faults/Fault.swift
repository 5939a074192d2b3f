/// One thing that a provider can do wrong, or do in an allowed way that clients forget.
///
/// Each has a stable ``name``, so that a command line and a table of tests can list them all.
public enum Fault: Hashable, Sendable {
    /// Something is wrong with an answer as a whole.
    case transport(Endpoint, TransportFault)
    case discovery(DiscoveryFault)
    case callback(CallbackFault)
    /// In the answer that exchanges a code, or whatever else stands for a person.
    case token(TokenFault)
    /// In the answer to a refresh.
    case refresh(TokenFault)
    /// In the ID token that comes for a code or to a device.
    case idToken(IDTokenFault)
    /// In the ID token that comes with a refresh.
    case refreshedIDToken(IDTokenFault)
    case keys(KeySetFault)
    case userInfo(UserInfoFault)
    case logout(LogoutFault)
    case device(DeviceFault)
    case pushed(PushedRequestFault)
    case proof(ProofFault)
    case registration(RegistrationFault)
    case resource(ResourceFault)
    case exchange(ExchangeFault)

    /// Where a ``TransportFault`` strikes.
    public enum Endpoint: String, Sendable, CaseIterable {
        case discovery
        case keys
        /// The token endpoint, asked with anything but a refresh token.
        case token
        /// The token endpoint, asked with a refresh token.
        case refresh
        case userInfo = "userinfo"
        case revocation
        /// The protected resources: `/api/hello`, `/api/vault` and `/mcp`.
        case resource
        /// What they say about themselves (RFC 9728).
        case resourceMetadata = "resource-metadata"
        /// The endpoint for dynamic client registration.
        case registration
        /// The device authorization endpoint.
        case device
        /// The endpoint for pushed authorization requests.
        case pushed = "par"
    }

    /// What it is called, such as `id-token-aud-wrong`; unique and stable.
    public var name: String {
        switch self {
        case .transport(let endpoint, let fault): "\(endpoint.rawValue)-\(fault.rawValue)"
        case .discovery(let fault): "discovery-\(fault.rawValue)"
        case .callback(let fault): "callback-\(fault.rawValue)"
        case .token(let fault): "token-\(fault.rawValue)"
        case .refresh(let fault): "refresh-\(fault.rawValue)"
        case .idToken(let fault): "id-token-\(fault.rawValue)"
        case .refreshedIDToken(let fault): "refreshed-id-token-\(fault.rawValue)"
        case .keys(let fault): "keys-\(fault.rawValue)"
        case .userInfo(let fault): "userinfo-\(fault.rawValue)"
        case .logout(let fault): "logout-\(fault.rawValue)"
        case .device(let fault): "device-\(fault.rawValue)"
        case .pushed(let fault): "par-\(fault.rawValue)"
        case .proof(let fault): "dpop-\(fault.rawValue)"
        case .registration(let fault): "registration-\(fault.rawValue)"
        case .resource(let fault): "resource-\(fault.rawValue)"
        case .exchange(let fault): "exchange-\(fault.rawValue)"
        }
    }

    /// What it does, in a few words.
    public var summary: String {
        switch self {
        case .transport(_, let fault): fault.summary
        case .discovery(let fault): fault.summary
        case .callback(let fault): fault.summary
        case .token(let fault), .refresh(let fault): fault.summary
        case .idToken(let fault), .refreshedIDToken(let fault): fault.summary
        case .keys(let fault): fault.summary
        case .userInfo(let fault): fault.summary
        case .logout(let fault): fault.summary
        case .device(let fault): fault.summary
        case .pushed(let fault): fault.summary
        case .proof(let fault): fault.summary
        case .registration(let fault): fault.summary
        case .resource(let fault): fault.summary
        case .exchange(let fault): fault.summary
        }
    }

    /// The fault of that name; `nil` where there is none.
    public init?(name: String) {
        guard let fault = Self.byName[name] else { return nil }
        self = fault
    }

    private static let byName = Dictionary(allCases.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

extension Fault: CaseIterable {
    /// Every fault there is, in the order in which they strike.
    public static let allCases: [Fault] = {
        let transport = Endpoint.allCases.flatMap { endpoint in TransportFault.allCases.map { Fault.transport(endpoint, $0) } }
        let documents = DiscoveryFault.allCases.map(Fault.discovery) + KeySetFault.allCases.map(Fault.keys)
        let answers =
            CallbackFault.allCases.map(Fault.callback) + TokenFault.allCases.map(Fault.token) + TokenFault.allCases.map(Fault.refresh)
        let identity =
            IDTokenFault.allCases.map(Fault.idToken) + IDTokenFault.allCases.map(Fault.refreshedIDToken)
            + UserInfoFault.allCases.map(Fault.userInfo)
        let beside =
            LogoutFault.allCases.map(Fault.logout) + DeviceFault.allCases.map(Fault.device)
            + PushedRequestFault.allCases.map(Fault.pushed) + ProofFault.allCases.map(Fault.proof)
            + RegistrationFault.allCases.map(Fault.registration) + ResourceFault.allCases.map(Fault.resource)
            + ExchangeFault.allCases.map(Fault.exchange)
        return documents + answers + identity + beside + transport
    }()
}

extension Fault: CustomStringConvertible {
    public var description: String { name }
}
