import AuthModel

/// `oauth2/token`, `oauth2/revokeToken` and `generateToken`.
extension ArcGISPortal {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        do throws(ArcGISError) {
            guard let client = value("client_id", in: request), settings.clientIDs.contains(client) else {
                throw .oauth("invalid_client_id", "Invalid client_id")
            }
            switch value("grant_type", in: request) {
            case "authorization_code": return .json(try redeem(request, client: client))
            case "refresh_token": return try renewed(request, client: client, exchanges: false)
            case "exchange_refresh_token": return try renewed(request, client: client, exchanges: true)
            default: throw .oauth("unsupported_grant_type", "Unsupported grant_type")
            }
        } catch {
            return error.answer
        }
    }

    private func redeem(_ request: SandboxRequest, client: String) throws(ArcGISError) -> JSONValue {
        guard let code = value("code", in: request) else { throw .oauth("invalid_request", "'code' must be specified.") }
        let content: CodeContent
        do throws(ErrorReply) {
            content = try codes.redeem(
                code, clientID: client, redirectURI: value("redirect_uri", in: request), verifier: value("code_verifier", in: request),
                now: now)
        } catch {
            throw .oauth("invalid_request", "Invalid authorization code", code: 498)
        }
        let refresh = ArcGISTokens.Refresh(
            clientID: client, username: content.username, endsAt: now + content.refreshLifetime, lifetime: content.refreshLifetime)
        return issue(settings.issuesRefreshTokens ? refresh : nil, username: content.username, client: client)
    }

    private func renewed(_ request: SandboxRequest, client: String, exchanges: Bool) throws(ArcGISError) -> SandboxResponse {
        switch settings.renewal {
        case .works: break
        case .expired: throw .oauth("invalid_request", "refresh_token expired", code: 498)
        case .invalidClient: throw .oauth("invalid_client_id", "Invalid client_id")
        case .failing: throw ArcGISError(code: 500, message: "Unable to perform this operation.")
        case .page: return Page.answer(title: "Sign in", "<p>ArcGIS is being maintained.</p>")
        }
        guard let token = value("refresh_token", in: request), let grant = tokens.refresh[token], grant.clientID == client else {
            throw .oauth("invalid_request", "Invalid refresh_token", code: 498)
        }
        guard grant.endsAt > now else { throw .oauth("invalid_request", "refresh_token expired", code: 498) }
        guard exchanges else {
            let access = tokens.issue(accessGrant(username: grant.username, refreshToken: token, client: client))
            return .json(document(access: access, username: grant.username, refresh: nil))
        }
        guard let redirect = value("redirect_uri", in: request),
            redirect == Self.outOfBand || serverState.common.accepts(redirect: redirect, of: client)
        else { throw .oauth("invalid_redirect_uri", "Invalid redirect_uri") }
        // The old refresh token is revoked with its access tokens; the new one has the same lifetime.
        tokens.end(token)
        var next = grant
        next.endsAt = now + grant.lifetime
        return .json(issue(next, username: grant.username, client: client))
    }

    private func issue(_ refresh: ArcGISTokens.Refresh?, username: String, client: String) -> JSONValue {
        let token = refresh.map { tokens.issue($0) }
        let access = tokens.issue(accessGrant(username: username, refreshToken: token, client: client))
        return document(access: access, username: username, refresh: token.flatMap { name in refresh.map { (name, $0) } })
    }

    private func accessGrant(username: String, refreshToken: String?, client: String) -> ArcGISTokens.Access {
        ArcGISTokens.Access(username: username, endsAt: now + settings.accessLifetime, refreshToken: refreshToken, clientID: client)
    }

    private func document(access: String, username: String, refresh: (token: String, grant: ArcGISTokens.Refresh)?) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("access_token", .string(access)), .init("expires_in", .number(settings.accessLifetime.components.seconds)),
            .init("username", .string(username)), .init("ssl", true),
        ]
        if let refresh {
            members += [
                .init("refresh_token", .string(refresh.token)),
                .init("refresh_token_expires_in", .number(refresh.grant.lifetime.components.seconds)),
            ]
        }
        return .object(members)
    }

    // MARK: Revocation

    /// Revokes a token; returns success for every token, valid or not, except another client's.
    func revoke(_ request: SandboxRequest) async -> SandboxResponse {
        await collectRevocations()
        switch settings.revocation {
        case .works: break
        case .refused: return .json(["success": false])
        case .failing: return .text("Service Unavailable\n", status: 500)
        }
        guard let token = value("auth_token", in: request) else {
            return ArcGISError.oauth("invalid_request", "'auth_token' must be specified.").answer
        }
        guard let client = value("client_id", in: request), settings.clientIDs.contains(client) else {
            return ArcGISError.oauth("invalid_client_id", "Invalid client_id").answer
        }
        if tokens.client(of: token).map({ $0 != client }) == true {
            return ArcGISError.oauth("invalid_client_id", "Invalid client_id").answer
        }
        tokens.end(token)
        return .json(["success": true])
    }

    /// Waits until there are as many revocation requests as the settings say.
    private func collectRevocations() async {
        guard pendingRevocations.count + 1 < settings.revocationBatchSize else {
            for waiting in pendingRevocations { waiting.resume() }
            pendingRevocations = []
            return
        }
        await withCheckedContinuation { pendingRevocations.append($0) }
    }

    // MARK: User name and password

    /// Issues a token for a user name and password; the portal also issues one for a server, for a token of the portal.
    ///
    /// - Parameter server: the server whose own token service is requested; `nil` for the portal's.
    func generateToken(_ request: SandboxRequest, server: String?) -> SandboxResponse {
        do throws(ArcGISError) {
            // A password must not be in a URL.
            guard request.method == "POST" else { throw ArcGISError(code: 405, message: "Method not supported.") }
            let minutes = value("expiration", in: request).flatMap { Int($0) }.map { min(max($0, 1), 21_600) } ?? 60
            let end = now + .seconds(minutes * 60)
            var grant: ArcGISTokens.Access
            if server == nil, let token = value("token", in: request) {
                guard let base = tokens.access[token], base.endsAt > now, base.server == nil else { throw .invalidToken }
                guard settings.federation == .here, value("serverUrl", in: request)?.hasPrefix(origin + Self.federatedServer) == true
                else { throw ArcGISError(code: 400, message: "Unable to generate token.", details: ["Invalid server URL"]) }
                grant = base
                grant.server = Self.federatedServer
                grant.endsAt = end
            } else {
                guard let username = value("username", in: request), let user = VendorServerState<ArcGISSettings>.user(username),
                    value("password", in: request) == user.password
                else { throw .wrongPassword }
                grant = ArcGISTokens.Access(username: username, endsAt: end, server: server)
                if value("client", in: request) == "referer" {
                    guard let referer = value("referer", in: request), !referer.isEmpty else {
                        throw ArcGISError(code: 400, message: "Unable to generate token.", details: ["'referer' must be specified."])
                    }
                    grant.referer = referer
                }
            }
            return .json(["token": .string(tokens.issue(grant)), "expires": .number(grant.endsAt.milliseconds), "ssl": true])
        } catch {
            return error.answer
        }
    }
}
