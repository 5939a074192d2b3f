import AuthModel

/// The form handlers of the pages: sign in, choose an account, consent, sign up.
extension OpenIDProvider {
    func signIn(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        guard let username = request.field("username"), let user = user(username.trimmingWhitespace),
            request.field("password") == user.password
        else {
            return signInPage(id, hint: request.field("username"), problem: "The user name or password is wrong.")
        }
        enter(id, interaction, as: user.username)
        return continuePage(id)
    }

    func chooseAccount(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        let username = request.field("username") ?? ""
        if browsers[interaction.browserSession]?.signedIn(username: username) != nil {
            interactions[id]?.chosen = username
            return continuePage(id)
        }
        return signInPage(id, hint: nil)
    }

    func consent(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.field("interaction"), let interaction = interaction(id, of: request) else { return expiredPage }
        let authorization = interaction.request
        let remembered: (String) -> ScopeSet? = { _ in nil }
        let browser = browsers[interaction.browserSession] ?? BrowserSession()
        guard case .consent(let username) = interaction.nextStep(browser: browser, remembered: remembered, now: now) else {
            return continuePage(id)
        }
        guard request.field("decision") == "allow" else {
            interactions[id] = nil
            return refuse(authorization, ErrorReply("access_denied", "the user denied the request"))
        }
        let ticked = Set(request.form.filter { $0.name == "scope" }.map(\.value))
        // openid identifies the user, so it cannot be deselected if it was requested.
        let granted = ScopeSet(authorization.scopes.values.filter { $0 == "openid" || ticked.contains($0) })
        interactions[id]?.consented = granted
        consents[Consent(username: username, clientID: authorization.clientID)] = granted
        return continuePage(id)
    }

    /// Creates an account, during a sign-in (`prompt=create`) or on its own.
    func signUp(_ request: SandboxRequest) -> SandboxResponse {
        guard request.method == "POST" else {
            let id = request.parameter("interaction").flatMap { self.interaction($0, of: request) == nil ? nil : $0 }
            return signUpPage(id)
        }
        let id = request.field("interaction").flatMap { $0.isEmpty ? nil : $0 }
        let interaction = id.flatMap { self.interaction($0, of: request) }
        if id != nil, interaction == nil { return expiredPage }
        let entry = SignUpEntry(form: request.form)
        if let problem = entry.problem ?? (user(entry.username) == nil ? nil : "This user name is taken.") {
            return signUpPage(id, entry: entry, problem: problem)
        }
        users.append(
            SandboxUser(username: entry.username, password: entry.password, name: entry.name, email: entry.email))
        if let id, let interaction {
            enter(id, interaction, as: entry.username)
            return continuePage(id)
        }
        return messagePage(
            "Welcome, \(entry.name)", "Your sandbox account is ready. Go back to the terminal and sign in with it.", status: 201)
    }

    private func enter(_ id: String, _ interaction: Interaction, as username: String) {
        browsers[interaction.browserSession]?.signIn(username, now: now)
        interactions[id]?.signedInUsername = username
    }
}

/// The input of the sign-up page.
struct SignUpEntry: Equatable, Sendable {
    var username = ""
    var name = ""
    var email = ""
    var password = ""

    init() {}

    init(form: [(name: String, value: String)]) {
        func field(_ name: String) -> String { (SandboxRequest.single(name, in: form) ?? "").trimmingWhitespace }
        username = field("username")
        name = field("name")
        email = field("email")
        password = SandboxRequest.single("password", in: form) ?? ""
    }

    /// The reason why the input is invalid; `nil` if it is valid.
    var problem: String? {
        if !(1...64).contains(username.utf8.count) || !username.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return "A user name has 1 to 64 letters, digits or signs, without spaces."
        }
        if name.isEmpty || name.utf8.count > 256 { return "Enter a name." }
        if !email.contains("@") || email.utf8.count > 256 { return "Enter an email address." }
        if password.isEmpty || password.utf8.count > 256 { return "Enter a password." }
        return nil
    }
}

extension String {
    /// The text without spaces at its ends.
    var trimmingWhitespace: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Device authorization (RFC 8628): the endpoint for devices, and the page where the user approves a device.
extension OpenIDProvider {
    func deviceAuthorization(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.device.isOffered else { return .notFound }
        return answering(.device) {
            // Fault point: the response of the device authorization endpoint.
            let faults = faultSet.consumeFaults(DeviceFault.self, where: { !$0.affectsPolling }, as: Fault.device)
            if faults.contains(.refused) { return .error(ErrorReply("unauthorized_client", "not for this client")) }
            do throws(ErrorReply) {
                return .json(faults.reduce(try deviceAuthorizationDocument(request)) { $1.apply($0, elsewhere: elsewhere) })
            } catch {
                return .error(error)
            }
        }
    }

    private func deviceAuthorizationDocument(_ request: SandboxRequest) throws(ErrorReply) -> JSONValue {
        let client = try authenticatedClient(request)
        let wanted = ScopeSet(wire: request.field("scope") ?? "")
        let scopes = ScopeSet(wanted.values.filter(ReceivedAuthorization.knownScopes.contains))
        guard !scopes.isEmpty else { throw ErrorReply("invalid_scope", "none of these scopes is offered") }
        let resources = try request.resources()
        let userCode = Self.makeUserCode()
        let device = DeviceCode(
            clientID: client.id, scopes: scopes, resources: resources,
            authenticationClass: AuthenticationClass(preferredOf: request.field("acr_values")), userCode: userCode,
            expiresAt: now + configuration.device.codeLifetime, interval: configuration.device.interval)
        let code = grants.issueDeviceCode(device, now: now)
        if let username = autoApproves, user(username) != nil { _ = decide(userCode: userCode, as: username) }
        return [
            "device_code": .string(code), "user_code": .string(userCode), "verification_uri": .string(issuer + "/device"),
            "verification_uri_complete": .string(issuer + "/device?" + FormEncoding.encode([("user_code", userCode)])),
            "expires_in": .number(configuration.device.codeLifetime.wholeSeconds),
            "interval": .number(configuration.device.interval.wholeSeconds),
        ]
    }

    /// `/device`: asks for the code, then continues like any other sign-in.
    func devicePage(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.device.isOffered else { return .notFound }
        // Section 3.3.1: a code from the URL is shown, and the user must confirm it.
        guard request.method == "POST" else { return devicePage(code: request.parameter("user_code") ?? "") }
        let userCode = request.field("user_code") ?? ""
        guard let waiting = grants.waitingDevice(userCode: userCode, now: now) else {
            return devicePage(code: userCode, problem: "No device waits with this code.")
        }
        return begin(authorization(for: waiting.device, code: waiting.code), in: request)
    }

    func authorization(for device: DeviceCode, code: String) -> ReceivedAuthorization {
        // Section 5.4: every device needs new consent.
        ReceivedAuthorization(
            clientID: device.clientID, responseTarget: .device(code: code), scopes: device.scopes, prompts: [.consent],
            authenticationClass: device.authenticationClass, resources: device.resources)
    }

    /// Returns the response to a poll; `nil` if the tokens can be issued.
    func waiting(_ request: SandboxRequest, _ client: SandboxClient) throws(ErrorReply) -> SandboxResponse? {
        guard let code = request.field("device_code") else { throw ErrorReply("invalid_request", "device_code is missing") }
        let isFirst = grants.deviceCodes[code]?.lastPoll == nil
        // Fault point: the response to a poll.
        let faults = faultSet.consumeFaults(
            DeviceFault.self, where: { $0.affectsPolling && (isFirst || !$0.affectsFirstPoll) }, as: Fault.device)
        var refusal: ErrorReply?
        do throws(ErrorReply) {
            try grants.poll(deviceCode: code, clientID: client.id, now: now)
        } catch {
            refusal = error
        }
        if faults.contains(.slowDown) { return .error(grants.slowDown(deviceCode: code)) }
        if let answer = faults.lazy.compactMap(\.pollResponse).first { return answer }
        if let refusal { throw refusal }
        return nil
    }

    /// Returns two groups of four letters: 34 bits, which is enough for a code that lives for minutes (section 6.1).
    private static func makeUserCode() -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<8).map { _ in DeviceCode.alphabet.randomElement(using: &generator) ?? "B" }
        return String(letters.prefix(4)) + "-" + String(letters.suffix(4))
    }
}

extension SandboxRequest {
    /// Returns the resources that a form requests (RFC 8707 section 2).
    func resources() throws(ErrorReply) -> [String] {
        let resources = form.filter { $0.name == "resource" }.map(\.value)
        guard resources.allSatisfy(ReceivedAuthorization.isResource) else {
            throw ErrorReply("invalid_target", "resource is not an absolute URI")
        }
        return resources
    }
}
