import AuthModel

/// A device that waits for a person (RFC 8628): `pending → approved → redeemed`, or `pending → denied`.
struct DeviceCode: Equatable, Sendable {
    /// What the person said.
    enum Decision: Equatable, Sendable {
        case pending
        case approved(Grants.Authorization)
        case denied
    }

    let clientID: String
    let scopes: ScopeSet
    let resources: [String]
    let authenticationClass: AuthenticationClass?
    /// As it is shown, such as `WDJB-MJHT`.
    let userCode: String
    let expiresAt: Timestamp
    /// How long the client has to wait between two polls; grows with every `slow_down`.
    var interval: Duration
    var lastPoll: Timestamp?
    var decision = Decision.pending
    var isRedeemed = false

    /// RFC 8628 section 6.1: consonants alone, so that no word comes of them.
    static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// A user code as it is compared: without case, and without what is no letter of the alphabet.
    static func canonical(_ code: String) -> String { String(code.uppercased().filter(alphabet.contains)) }
}

extension Grants {
    /// Begins a device authorization (RFC 8628 section 3.2), and forgets those that ended long ago.
    ///
    /// - Returns: The device code.
    mutating func issueDeviceCode(_ device: DeviceCode, now: Timestamp) -> String {
        deviceCodes = deviceCodes.filter { now - $0.value.expiresAt < .seconds(3600) }
        let code = makeName()
        deviceCodes[code] = device
        return code
    }

    /// The device that shows this user code and still waits for a person.
    func waitingDevice(userCode: String, now: Timestamp) -> (code: String, device: DeviceCode)? {
        let wanted = DeviceCode.canonical(userCode)
        return deviceCodes.first {
            DeviceCode.canonical($0.value.userCode) == wanted && $0.value.decision == .pending && now < $0.value.expiresAt
        }.map { (code: $0.key, device: $0.value) }
    }

    /// Takes note of what the person said.
    mutating func decide(deviceCode code: String, _ decision: DeviceCode.Decision) { deviceCodes[code]?.decision = decision }

    /// Counts a poll; returns when the tokens may be given (RFC 8628 section 3.5).
    mutating func poll(deviceCode code: String, clientID: String, now: Timestamp) throws(OAuthError) {
        guard let device = deviceCodes[code], device.clientID == clientID, !device.isRedeemed else {
            throw OAuthError("invalid_grant", "the device code is not known")
        }
        let isEarly = device.lastPoll.map { now - $0 < device.interval } ?? false
        deviceCodes[code]?.lastPoll = now
        guard now < device.expiresAt else { throw OAuthError("expired_token", "the device code has expired") }
        guard !isEarly else { throw slowDown(deviceCode: code) }
        switch device.decision {
        case .pending: throw OAuthError("authorization_pending", "nobody has said anything yet")
        case .denied: throw OAuthError("access_denied", "the person said no")
        case .approved: break
        }
    }

    /// Five seconds more between this and all later polls.
    mutating func slowDown(deviceCode code: String) -> OAuthError {
        deviceCodes[code]?.interval += .seconds(5)
        return OAuthError("slow_down", "please ask less often")
    }

    /// Gives the tokens for a device that was approved; the code is good once.
    mutating func redeem(deviceCode code: String, terms: Terms, now: Timestamp) throws(OAuthError) -> Issued {
        guard case .approved(let authorization) = deviceCodes[code]?.decision else {
            throw OAuthError("authorization_pending", "nobody has said anything yet")
        }
        let issued = try begin(authorization, terms: terms, now: now)
        deviceCodes[code]?.isRedeemed = true
        return issued
    }
}
