import AuthModel

/// An authorization request that is passing through the pages, with the user's input so far.
struct Interaction: Equatable, Sendable {
    let request: ReceivedAuthorization
    /// The browser session that started it; no other may continue it.
    let browserSession: String
    /// The user who entered a password or created an account during the interaction.
    var signedInUsername: String?
    /// The user chosen among the accounts that are already signed in.
    var chosen: String?
    /// The scopes selected on the consent page.
    var consented: ScopeSet?

    /// The next step of an interaction.
    enum Step: Equatable, Sendable {
        case signIn(hint: String?)
        case signUp
        case chooseAccount
        case consent(username: String)
        case finish(username: String, scopes: ScopeSet)
        case refuse(ErrorReply)
    }

    /// Returns the next step (OpenID Connect Core section 3.1.2.3, and prompt=create).
    ///
    /// - Parameters:
    ///   - browser: the accounts that are signed in in this browser.
    ///   - remembered: returns the scopes that a user has consented to before.
    func nextStep(browser: BrowserSession, remembered: (String) -> ScopeSet?, now: Timestamp) -> Step {
        let prompts = request.prompts
        let candidate = signedInUsername ?? chosen ?? browser.signedIn(hint: request.loginHint)?.username
        let isFresh: Bool = {
            // Only a new sign-in reaches the higher class.
            guard signedInUsername != nil || request.authenticationClass != .again else { return false }
            guard signedInUsername == nil, let limit = request.maximumAge, let candidate else { return true }
            guard let since = browser.signedIn(username: candidate)?.since else { return false }
            return now - since <= limit
        }()
        let isConsented = candidate.flatMap(remembered).map { known in request.scopes.values.allSatisfy(known.contains) } ?? false

        if prompts.contains(.none) {
            guard let candidate, isFresh else { return .refuse(ErrorReply("login_required", "no user is signed in")) }
            guard isConsented else { return .refuse(ErrorReply("consent_required", "the user has not consented")) }
            return .finish(username: candidate, scopes: request.scopes)
        }
        if signedInUsername == nil {
            if prompts.contains(.create) { return .signUp }
            if prompts.contains(.login) { return .signIn(hint: request.loginHint) }
            if prompts.contains(.selectAccount), chosen == nil {
                return browser.accounts.isEmpty ? .signIn(hint: request.loginHint) : .chooseAccount
            }
        }
        guard let candidate, isFresh else { return .signIn(hint: request.loginHint ?? candidate) }
        if let consented { return .finish(username: candidate, scopes: consented) }
        return isConsented && !prompts.contains(.consent)
            ? .finish(username: candidate, scopes: request.scopes) : .consent(username: candidate)
    }
}

/// The accounts that are signed in in one browser.
struct BrowserSession: Equatable, Sendable {
    struct Account: Equatable, Sendable {
        var username: String
        /// The time when the password was entered.
        var since: Timestamp
    }

    /// The accounts; the most recent one is last.
    private(set) var accounts: [Account] = []

    func signedIn(username: String) -> Account? { accounts.first { $0.username == username } }

    /// Returns the account that `hint` names, or the most recent one without a hint.
    func signedIn(hint: String?) -> Account? {
        guard let hint else { return accounts.last }
        return accounts.first { $0.username == hint || hint.hasPrefix($0.username + "@") }
    }

    mutating func signIn(_ username: String, now: Timestamp) {
        accounts.removeAll { $0.username == username }
        accounts.append(Account(username: username, since: now))
    }

    mutating func signOut(_ username: String) { accounts.removeAll { $0.username == username } }

    /// Removes the accounts that have been signed in for longer than `lifetime`.
    mutating func expire(lifetime: Duration, now: Timestamp) {
        accounts.removeAll { now - $0.since > lifetime }
    }
}

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
    mutating func poll(deviceCode code: String, clientID: String, now: Timestamp) throws(ErrorReply) {
        guard let device = deviceCodes[code], device.clientID == clientID, !device.isRedeemed else {
            throw ErrorReply("invalid_grant", "the device code is unknown")
        }
        let isEarly = device.lastPoll.map { now - $0 < device.interval } ?? false
        deviceCodes[code]?.lastPoll = now
        guard now < device.expiresAt else { throw ErrorReply("expired_token", "the device code has expired") }
        guard !isEarly else { throw slowDown(deviceCode: code) }
        switch device.decision {
        case .pending: throw ErrorReply("authorization_pending", "the user has not answered yet")
        case .denied: throw ErrorReply("access_denied", "the user denied the request")
        case .approved: break
        }
    }

    /// Adds five seconds to the interval for the next and all later polls.
    mutating func slowDown(deviceCode code: String) -> ErrorReply {
        deviceCodes[code]?.interval += .seconds(5)
        return ErrorReply("slow_down", "poll less often")
    }

    /// Issues the tokens for an approved device; the code is valid only once.
    mutating func redeem(deviceCode code: String, terms: Terms, now: Timestamp) throws(ErrorReply) -> Issued {
        guard case .approved(let authorization) = deviceCodes[code]?.decision else {
            throw ErrorReply("authorization_pending", "the user has not answered yet")
        }
        let issued = try begin(authorization, terms: terms, now: now)
        deviceCodes[code]?.isRedeemed = true
        return issued
    }
}
