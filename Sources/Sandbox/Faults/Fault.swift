/// Incorrect behaviour of a provider, or allowed behaviour that clients often do not handle.
///
/// Each fault has a stable ``name``, so that a command line and a table of tests can list them all.
public enum Fault: Hashable, Sendable {
    /// A fault of a whole response.
    case transport(Endpoint, TransportFault)
    /// A fault in a metadata document.
    case discovery(DiscoveryFault)
    /// A fault in an authorization response.
    case callback(CallbackFault)
    /// A fault in the response to a code or any other grant except a refresh token.
    case token(TokenFault)
    /// A fault in the response to a refresh.
    case refresh(TokenFault)
    /// A fault in the ID token that is issued for a code or to a device.
    case idToken(IDTokenFault)
    /// A fault in the ID token that is issued with a refresh.
    case refreshedIDToken(IDTokenFault)
    /// A fault in the key set.
    case keys(KeySetFault)
    /// A fault in a userinfo response.
    case userInfo(UserInfoFault)
    /// A fault while signing out.
    case logout(LogoutFault)
    /// A fault in a device sign-in.
    case device(DeviceFault)
    /// A fault in the response to a pushed authorization request.
    case pushed(PushedRequestFault)
    /// A fault in DPoP.
    case proof(ProofFault)
    /// A fault in the response to a registration.
    case registration(RegistrationFault)
    /// A fault of a protected resource.
    case resource(ResourceFault)
    /// A fault in the response to a token exchange.
    case exchange(ExchangeFault)

    /// An endpoint that a ``TransportFault`` can affect.
    public enum Endpoint: String, Sendable, CaseIterable {
        /// The metadata documents.
        case discovery
        /// The key set.
        case keys
        /// The token endpoint, for all grants except a refresh token.
        case token
        /// The token endpoint, for a refresh token.
        case refresh
        /// The userinfo endpoint.
        case userInfo = "userinfo"
        /// The revocation endpoint.
        case revocation
        /// The protected resources: `/api/hello`, `/api/vault` and `/mcp`.
        case resource
        /// The metadata of the protected resources (RFC 9728).
        case resourceMetadata = "resource-metadata"
        /// The endpoint for dynamic client registration.
        case registration
        /// The device authorization endpoint.
        case device
        /// The endpoint for pushed authorization requests.
        case pushed = "par"
    }

    /// The name, such as `id-token-aud-wrong`; unique and stable.
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

    /// A description of the fault, in a few words.
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

    /// Returns the fault with this name; `nil` if there is none.
    public init?(name: String) {
        guard let fault = Self.byName[name] else { return nil }
        self = fault
    }

    private static let byName = Dictionary(allCases.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

extension Fault: CaseIterable {
    /// All faults, in the order in which they take effect.
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
    /// The name of the fault.
    public var description: String { name }
}

/// The active faults of a sandbox: each always, or for a limited number of responses.
///
/// ```swift
/// await sandbox.set([.idToken(.audienceWrong)])
/// await sandbox.set(Misbehaviour(.transport(.refresh, .unavailable), times: 2))
/// ```
public struct FaultSet: Equatable, Sendable {
    /// The number of times that each fault still takes effect; `nil` for no limit.
    private var remaining: [Fault: Int?] = [:]

    /// No faults: a correct provider.
    public static let none = FaultSet([])

    /// Creates a set of faults without a limit.
    public init(_ faults: some Sequence<Fault>) {
        for fault in faults { remaining[fault] = .some(nil) }
    }

    /// Creates a set of one fault that takes effect `times` times.
    public init(_ fault: Fault, times: Int) {
        if times > 0 { remaining[fault] = times }
    }

    /// Creates a set of faults from their names, for a command line.
    ///
    /// - Throws: ``UnknownFault`` for the first unknown name.
    public init(names: some Sequence<String>) throws(UnknownFault) {
        for name in names {
            guard let fault = Fault(name: name) else { throw UnknownFault(name: name) }
            remaining[fault] = .some(nil)
        }
    }

    /// The active faults, in the order of ``Fault/allCases``.
    public var faults: [Fault] { Fault.allCases.filter { remaining[$0] != nil } }

    /// Returns the faults of both; if both have a fault, the limit of `other` applies.
    public func and(_ other: FaultSet) -> FaultSet {
        var both = self
        both.remaining.merge(other.remaining) { $1 }
        return both
    }

    /// Returns whether a fault is active.
    public func contains(_ fault: Fault) -> Bool { remaining[fault] != nil }

    /// Returns the faults among `candidates` that take effect now, in order, and counts their limits down.
    mutating func consumeFaults<Kind: CaseIterable>(
        _ candidates: Kind.Type, where isIntended: (Kind) -> Bool = { _ in true }, as fault: (Kind) -> Fault
    ) -> [Kind] {
        Kind.allCases.filter { isIntended($0) && consume(fault($0)) }
    }

    /// Returns whether `fault` takes effect now, and counts its limit down.
    mutating func consume(_ fault: Fault) -> Bool {
        guard let times = remaining[fault] else { return false }
        if let times { remaining[fault] = times > 1 ? .some(times - 1) : nil }
        return true
    }
}

extension FaultSet: ExpressibleByArrayLiteral {
    /// Creates a set of faults without a limit.
    public init(arrayLiteral elements: Fault...) { self.init(elements) }
}

/// An unknown name of a fault.
public struct UnknownFault: Error, Equatable, Sendable {
    /// The unknown name.
    public var name: String
    /// Similar names of faults, for a hint.
    public var nearest: [String] {
        let words = Set(name.split(separator: "-"))
        let ranked = Fault.allCases.map { fault in (fault.name, words.intersection(fault.name.split(separator: "-")).count) }
        let best = ranked.map(\.1).max() ?? 0
        return best == 0 ? [] : Array(ranked.filter { $0.1 == best }.map(\.0).prefix(3))
    }
}
