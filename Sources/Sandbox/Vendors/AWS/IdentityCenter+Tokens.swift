import AuthModel

/// CreateToken, and the devices that wait for their user.
extension IdentityCenter {
    func startDevice(_ request: SandboxRequest) -> SandboxResponse {
        let body = body(of: request)
        do throws(IdentityCenterError) {
            let (id, client) = try client(in: body)
            guard client.grantTypes.isEmpty || client.grantTypes.contains(Self.deviceGrant) else {
                throw .unauthorizedClient("the client has no device code")
            }
            guard body["startUrl"]?.string == origin + "/start" else { throw .invalidRequest("startUrl is not of this instance") }
            let code = OpenIDProvider.makeName()
            let name = OpenIDProvider.makeName().uppercased().filter { $0.isLetter }
            let userCode = String(name.prefix(4)) + "-" + String(name.dropFirst(4).prefix(4))
            devices[code] = Device(userCode: userCode, clientID: id, endsAt: now + .seconds(600))
            return .json([
                "deviceCode": .string(code), "userCode": .string(userCode), "verificationUri": .string(origin + "/device"),
                "verificationUriComplete": .string(origin + "/device?user_code=" + userCode), "expiresIn": 600,
                "interval": .number(settings.pollInterval.components.seconds),
            ])
        } catch {
            return error.answer
        }
    }

    func devicePage(_ request: SandboxRequest) -> SandboxResponse {
        if let code = request.parameter("user_code"), settings.deniesSignIn || serverState.autoApproved != nil {
            return decide(code, as: settings.deniesSignIn ? nil : serverState.autoApproved)
        }
        return AccountChooserPage.answer(
            title: "Authorize this device", action: "/device", parameters: request.query.filter { $0.name == "user_code" }, returnsTo: nil)
    }

    func decided(_ request: SandboxRequest) -> SandboxResponse {
        decide(
            request.field("user_code") ?? "",
            as: request.field(AccountChooserPage.username).flatMap(VendorServerState<IdentityCenterSettings>.user))
    }

    private func decide(_ userCode: String, as user: SandboxUser?) -> SandboxResponse {
        guard let code = devices.first(where: { $0.value.userCode == userCode && $0.value.endsAt > now })?.key else {
            return Page.answer(title: "This code is unknown", "<p>Check the code on your device.</p>", status: 400)
        }
        devices[code]?.decision = user.map { .approved(username: $0.username) } ?? .denied
        return Page.answer(title: user == nil ? "Request denied" : "Request approved", "<p>You can close this window.</p>")
    }

    func token(_ request: SandboxRequest) -> SandboxResponse {
        let body = body(of: request)
        do throws(IdentityCenterError) {
            let (id, client) = try client(in: body)
            let grant = body["grantType"]?.string ?? ""
            guard client.grantTypes.isEmpty || client.grantTypes.contains(grant) else {
                throw .unauthorizedClient("the client does not use this grant type")
            }
            switch grant {
            case "authorization_code": return issue(as: try redeem(body, by: id), to: id, client)
            case Self.deviceGrant: return issue(as: try polled(body, by: id), to: id, client)
            case "refresh_token": return try renewed(body, by: id)
            default: throw .init("UnsupportedGrantTypeException", "unsupported_grant_type", "unknown grant type")
            }
        } catch {
            return error.answer
        }
    }

    private func redeem(_ body: JSONValue, by client: String) throws(IdentityCenterError) -> String {
        do throws(ErrorReply) {
            return try codes.redeem(
                body["code"]?.string ?? "", clientID: client, redirectURI: body["redirectUri"]?.string,
                verifier: body["codeVerifier"]?.string, now: now)
        } catch {
            throw .invalidGrant(error.text)
        }
    }

    private func polled(_ body: JSONValue, by client: String) throws(IdentityCenterError) -> String {
        guard let code = body["deviceCode"]?.string, let device = devices[code], device.clientID == client else {
            throw .invalidGrant("the device code is unknown")
        }
        guard device.endsAt > now else { throw .init("ExpiredTokenException", "expired_token", "the device code has expired") }
        if settings.slowDowns > 0 {
            serverState.change { $0.slowDowns -= 1 }
            throw .init("SlowDownException", "slow_down", "polls are too frequent")
        }
        switch device.decision {
        case .pending: throw .init("AuthorizationPendingException", "authorization_pending", "the user has not decided yet")
        case .denied: throw .init("AccessDeniedException", "access_denied", "the user has denied the request")
        case .approved(let username):
            devices[code] = nil
            return username
        }
    }

    private func issue(as username: String, to clientID: String, _ client: Client) -> SandboxResponse {
        let session = OpenIDProvider.makeName()
        sessions[session] = Session(username: username, endsAt: now + settings.sessionLifetime)
        let refresh = settings.issuesRefreshTokens && client.renews ? OpenIDProvider.makeName() : nil
        if let refresh { refreshTokens[refresh] = (session, clientID) }
        return answer(session, refresh: refresh)
    }

    private func renewed(_ body: JSONValue, by client: String) throws(IdentityCenterError) -> SandboxResponse {
        guard let token = body["refreshToken"]?.string, let held = refreshTokens[token], held.clientID == client else {
            throw .invalidGrant("the refresh token is unknown")
        }
        guard isAlive(held.session) else { throw .invalidGrant("the session has ended") }
        if let fault = IdentityCenterError.renewalFault(settings.renewalFault) { throw fault }
        guard settings.rotatesRefreshTokens else { return answer(held.session, refresh: token) }
        refreshTokens[token] = nil
        let next = OpenIDProvider.makeName()
        refreshTokens[next] = held
        return answer(held.session, refresh: next)
    }

    private func answer(_ session: String, refresh: String?) -> SandboxResponse {
        let token = OpenIDProvider.makeName()
        let end = min(now + settings.accessLifetime, sessions[session]?.endsAt ?? now)
        accessTokens[token] = (session, end)
        var members: [JSONValue.Member] = [
            .init("accessToken", .string(token)), .init("tokenType", "Bearer"),
            .init("expiresIn", .number((end - now).components.seconds)),
        ]
        if let refresh { members.append(.init("refreshToken", .string(refresh))) }
        return .json(.object(members))
    }

    /// Whether a session has neither expired nor been revoked.
    func isAlive(_ session: String) -> Bool {
        !settings.revokesSessions && sessions[session].map { $0.endsAt > now } == true
    }
}
