import AuthModel

/// Device authorization (RFC 8628): the endpoint for devices, and the page where the user approves a device.
extension OpenIDProvider {
    func deviceAuthorization(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.device.isOffered else { return .notFound }
        return answering(.device) {
            // Fault point: the response of the device authorization endpoint.
            let faults = faultSet.consumeFaults(DeviceFault.self, where: { !$0.affectsPolling }, as: Fault.device)
            if faults.contains(.refused) { return .error(OAuthError("unauthorized_client", "not for this client")) }
            do throws(OAuthError) {
                return .json(faults.reduce(try deviceAuthorizationDocument(request)) { $1.apply($0, elsewhere: elsewhere) })
            } catch {
                return .error(error)
            }
        }
    }

    private func deviceAuthorizationDocument(_ request: SandboxRequest) throws(OAuthError) -> JSONValue {
        let client = try authenticatedClient(request)
        let wanted = ScopeSet(wire: request.field("scope") ?? "")
        let scopes = ScopeSet(wanted.values.filter(AuthorizationRequest.knownScopes.contains))
        guard !scopes.isEmpty else { throw OAuthError("invalid_scope", "none of these scopes is offered") }
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

    /// Returns a device's request as an authorization request.
    func authorization(for device: DeviceCode, code: String) -> AuthorizationRequest {
        // Section 5.4: every device needs new consent.
        AuthorizationRequest(
            clientID: device.clientID, responseTarget: .device(code: code), scopes: device.scopes, prompts: [.consent],
            authenticationClass: device.authenticationClass, resources: device.resources)
    }

    /// Returns the response to a poll; `nil` if the tokens can be issued.
    func waiting(_ request: SandboxRequest, _ client: SandboxClient) throws(OAuthError) -> SandboxResponse? {
        guard let code = request.field("device_code") else { throw OAuthError("invalid_request", "device_code is missing") }
        let isFirst = grants.deviceCodes[code]?.lastPoll == nil
        // Fault point: the response to a poll.
        let faults = faultSet.consumeFaults(
            DeviceFault.self, where: { $0.affectsPolling && (isFirst || !$0.affectsFirstPoll) }, as: Fault.device)
        var refusal: OAuthError?
        do throws(OAuthError) {
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
    func resources() throws(OAuthError) -> [String] {
        let resources = form.filter { $0.name == "resource" }.map(\.value)
        guard resources.allSatisfy(AuthorizationRequest.isResource) else {
            throw OAuthError("invalid_target", "resource is not an absolute URI")
        }
        return resources
    }
}
