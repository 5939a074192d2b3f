import AuthModel

/// Revocation (RFC 7009) and introspection (RFC 7662).
extension OpenIDProvider {
    func revoke(_ request: SandboxRequest) -> SandboxResponse {
        answering(.revocation) {
            // Fault point: the response in place of a revocation.
            let faults = faultSet.consumeFaults(LogoutFault.self, where: { $0.affectsRevocation }, as: Fault.logout)
            if let refusal = faults.lazy.compactMap(\.revocationResponse).first { return refusal }
            do throws(OAuthError) {
                let client = try authenticatedClient(request)
                guard let token = request.field("token") else { throw OAuthError("invalid_request", "token is missing") }
                try grants.revoke(token: token, clientID: client.id)
                return faults.contains(.revocationHTML)
                    ? TransportFault.html.apply(SandboxResponse(status: 200), elsewhere: elsewhere) : SandboxResponse(status: 200)
            } catch {
                return .error(error)
            }
        }
    }

    func introspect(_ request: SandboxRequest) -> SandboxResponse {
        do throws(OAuthError) {
            let client = try authenticatedClient(request)
            // RFC 7662 section 2.1: without authentication, anyone could test tokens here.
            guard client.authentication != .none else {
                throw OAuthError("invalid_client", "public clients may not introspect tokens", status: 401)
            }
            guard let token = request.field("token") else { throw OAuthError("invalid_request", "token is missing") }
            guard let good = grants.inspect(accessToken: token, now: now) ?? grants.inspect(refreshToken: token, now: now),
                let user = user(good.authorization.username)
            else { return .json(["active": false]) }
            var document: JSONValue = [
                "active": true, "scope": .string(good.scopes.wire), "client_id": .string(good.authorization.clientID),
                "username": .string(user.username), "sub": .string(user.subject), "iss": .string(issuer),
                "aud": audience(of: good.resources), "token_type": .string(good.key == nil ? "Bearer" : "DPoP"),
                "exp": .number(good.expiresAt.seconds), "iat": .number(good.issuedAt.seconds),
                // RFC 9470 section 6.2.
                "acr": .string(good.authorization.authenticationClass.rawValue),
                "auth_time": .number(good.authorization.authenticatedAt.seconds),
            ]
            // RFC 9449 section 6.2.
            if let key = good.key { document = document.setting("cnf", ["jkt": .string(key)]) }
            return .json(document)
        } catch {
            return .error(error)
        }
    }
}
