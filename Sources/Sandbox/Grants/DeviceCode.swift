import AuthModel

/// A device that waits for the user (RFC 8628): `pending → approved → redeemed`, or `pending → denied`.
struct DeviceCode: Equatable, Sendable {
    /// The user's decision.
    enum Decision: Equatable, Sendable {
        case pending
        case approved(Grants.Authorization)
        case denied
    }

    let clientID: String
    let scopes: ScopeSet
    let resources: [String]
    let authenticationClass: AuthenticationClass?
    /// The code as shown, such as `WDJB-MJHT`.
    let userCode: String
    let expiresAt: Timestamp
    /// The minimum time between two polls; grows with every `slow_down`.
    var interval: Duration
    var lastPoll: Timestamp?
    var decision = Decision.pending
    var isRedeemed = false

    /// RFC 8628 section 6.1: consonants only, so that no words appear.
    static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// Returns a user code in its form for comparison: in upper case, with only letters of the alphabet.
    static func canonical(_ code: String) -> String { String(code.uppercased().filter(alphabet.contains)) }
}

extension Grants {
    /// Starts a device authorization (RFC 8628 section 3.2), and deletes those that ended long ago.
    ///
    /// - Returns: The device code.
    mutating func issueDeviceCode(_ device: DeviceCode, now: Timestamp) -> String {
        deviceCodes = deviceCodes.filter { now - $0.value.expiresAt < .seconds(3600) }
        let code = makeName()
        deviceCodes[code] = device
        return code
    }

    /// Returns the device with this user code, if it still waits for the user.
    func waitingDevice(userCode: String, now: Timestamp) -> (code: String, device: DeviceCode)? {
        let wanted = DeviceCode.canonical(userCode)
        return deviceCodes.first {
            DeviceCode.canonical($0.value.userCode) == wanted && $0.value.decision == .pending && now < $0.value.expiresAt
        }.map { (code: $0.key, device: $0.value) }
    }

    /// Records the user's decision.
    mutating func decide(deviceCode code: String, _ decision: DeviceCode.Decision) { deviceCodes[code]?.decision = decision }

    /// Records a poll; throws unless the tokens can be issued (RFC 8628 section 3.5).
    mutating func poll(deviceCode code: String, clientID: String, now: Timestamp) throws(OAuthError) {
        guard let device = deviceCodes[code], device.clientID == clientID, !device.isRedeemed else {
            throw OAuthError("invalid_grant", "the device code is unknown")
        }
        let isEarly = device.lastPoll.map { now - $0 < device.interval } ?? false
        deviceCodes[code]?.lastPoll = now
        guard now < device.expiresAt else { throw OAuthError("expired_token", "the device code has expired") }
        guard !isEarly else { throw slowDown(deviceCode: code) }
        switch device.decision {
        case .pending: throw OAuthError("authorization_pending", "the user has not answered yet")
        case .denied: throw OAuthError("access_denied", "the user denied the request")
        case .approved: break
        }
    }

    /// Adds five seconds to the interval for the next and all later polls.
    mutating func slowDown(deviceCode code: String) -> OAuthError {
        deviceCodes[code]?.interval += .seconds(5)
        return OAuthError("slow_down", "poll less often")
    }

    /// Issues the tokens for an approved device; the code is valid only once.
    mutating func redeem(deviceCode code: String, terms: Terms, now: Timestamp) throws(OAuthError) -> Issued {
        guard case .approved(let authorization) = deviceCodes[code]?.decision else {
            throw OAuthError("authorization_pending", "the user has not answered yet")
        }
        let issued = try begin(authorization, terms: terms, now: now)
        deviceCodes[code]?.isRedeemed = true
        return issued
    }
}
