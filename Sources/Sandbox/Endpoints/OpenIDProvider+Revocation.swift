import AuthModel

/// Revocation (RFC 7009) and introspection (RFC 7662).
extension OpenIDProvider {
    func revoke(_ request: SandboxRequest) -> SandboxResponse {
        answering(.revocation) {
            // Fault point: the response in place of a revocation.
            let faults = faultSet.consumeFaults(LogoutFault.self, where: { $0.affectsRevocation }, as: Fault.logout)
            if let refusal = faults.lazy.compactMap(\.revocationResponse).first { return refusal }
            do throws(ErrorReply) {
                let client = try authenticatedClient(request)
                guard let token = request.field("token") else { throw ErrorReply("invalid_request", "token is missing") }
                try grants.revoke(token: token, clientID: client.id)
                return faults.contains(.revocationHTML)
                    ? TransportFault.html.apply(SandboxResponse(status: 200), elsewhere: elsewhere) : SandboxResponse(status: 200)
            } catch {
                return .error(error)
            }
        }
    }

    func introspect(_ request: SandboxRequest) -> SandboxResponse {
        do throws(ErrorReply) {
            let client = try authenticatedClient(request)
            // RFC 7662 section 2.1: without authentication, anyone could test tokens here.
            guard client.authentication != .none else {
                throw ErrorReply("invalid_client", "public clients may not introspect tokens", status: 401)
            }
            guard let token = request.field("token") else { throw ErrorReply("invalid_request", "token is missing") }
            guard let good = grants.inspect(accessToken: token, now: now) ?? grants.inspect(refreshToken: token, now: now),
                let subject = subject(of: good.authorization)
            else { return .json(["active": false]) }
            var document: JSONValue = [
                "active": true, "scope": .string(good.scopes.wire), "client_id": .string(good.authorization.clientID),
                "username": .string(good.authorization.username), "sub": .string(subject), "iss": .string(issuer),
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

/// Introspection of tokens at another authorization server (RFC 7662), as a resource server.
extension OpenIDProvider {
    /// Returns the properties of a token of another sandbox; `nil` if it is invalid there, or that sandbox does not respond.
    func introspect(_ token: String, at server: String) async -> PresentedToken? {
        // Every sandbox has the same resource server as a client.
        guard let me = SandboxClient.standard.first(where: { $0.redirects.isEmpty }), let secret = me.secret else { return nil }
        let credentials = SandboxBase64.standard(Array("\(me.id):\(secret.reveal())".utf8))
        let answer = await LoopbackClient.ask(
            "POST", server + "/introspect",
            headers: ["Content-Type: application/x-www-form-urlencoded", "Authorization: Basic \(credentials)"],
            body: FormEncoding.encode([("token", token), ("token_type_hint", "access_token")]))
        guard let answer, answer.status == 200, let document = try? JSONValue(strict: answer.text), document["active"] == true,
            document["iss"]?.string == server, let subject = document["sub"]?.string,
            let clientID = document["client_id"]?.string, let expiry = document["exp"]?.integer, now.seconds < expiry
        else { return nil }
        return PresentedToken(
            subject: subject, username: document["username"]?.string ?? subject, clientID: clientID,
            scopes: ScopeSet(wire: document["scope"]?.string ?? ""),
            resources: document["aud"]?.strings ?? document["aud"]?.string.map { [$0] } ?? [], key: document["cnf"]?["jkt"]?.string,
            authenticationClass: document["acr"]?.string ?? "",
            authenticatedAt: Timestamp(seconds: document["auth_time"]?.double ?? 0))
    }
}

/// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0).
extension OpenIDProvider {
    func endSession(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
        let hint = value("id_token_hint")
        // A hint is accepted even if its token has expired (section 2).
        let known = hint.flatMap { idTokens[$0] }
        if hint != nil, known == nil {
            return messagePage("You are still signed in", "id_token_hint was not issued by this provider.", status: 400)
        }
        if let known, let claimed = value("client_id"), claimed != known.clientID {
            return messagePage("You are still signed in", "client_id does not match id_token_hint.", status: 400)
        }
        let target = value("post_logout_redirect_uri")
        let client = (known?.clientID ?? value("client_id")).flatMap { self.client($0) }
        if let target, client?.accepts(postLogoutRedirect: target) != true {
            return messagePage("You are still signed in", "This post_logout_redirect_uri is not registered.", status: 400)
        }
        let (browser, cookie) = browserSession(of: request)
        // Without a hint, any page could sign a user out, so ask the user.
        if known == nil, !(request.method == "POST" && value("decision") == "sign-out") {
            var answer = signOutPage(parameters.filter { $0.name != "decision" })
            if let cookie { answer.headers.append(cookie) }
            return answer
        }
        for account in browsers[browser]?.accounts ?? [] where known == nil || known?.username == account.username {
            browsers[browser]?.signOut(account.username)
            grants.end(browserSession: browser, username: account.username)
        }
        return signedOut(target: target, state: value("state"))
    }

    private func signedOut(target: String?, state: String?) -> SandboxResponse {
        // Fault point: the redirect after signing out.
        let faults = faultSet.consumeFaults(LogoutFault.self, where: { !$0.affectsRevocation }, as: Fault.logout)
        guard let target, !faults.contains(.never) else {
            return messagePage("You are signed out", "You can close this page.", status: 200)
        }
        let state = faults.reduce(state) { $1.apply(state: $0) }
        let joint = target.contains("?") ? "&" : "?"
        return .redirect(to: state.map { target + joint + FormEncoding.encode([("state", $0)]) } ?? target)
    }
}

/// Grants for other authorization servers (draft-ietf-oauth-identity-assertion-authz-grant), and those of other identity providers.
extension OpenIDProvider {
    private static let grantType = "oauth-id-jag+jwt"

    /// Issues a grant for the user of an ID token.
    func identityGrant(_ request: SandboxRequest, _ tokenRequest: TokenRequest) throws(ErrorReply) -> JSONValue {
        guard request.field("subject_token_type") == TokenType.identity.rawValue else {
            throw ErrorReply("invalid_request", "subject_token_type must be id_token")
        }
        guard let audience = request.field("audience"), WebURL(audience) != nil, audience != issuer,
            let resource = tokenRequest.terms.resources.first
        else { throw ErrorReply("invalid_request", "audience and resource are required") }
        let authorization = try subject(of: request, tokenRequest)
        guard let user = user(authorization.username) else { throw ErrorReply("invalid_grant", "the user no longer exists") }
        let lifetime = Duration.seconds(300)
        let scope = request.field("scope") ?? ""
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(user.subject), "aud": .string(audience), "client_id": .string(tokenRequest.client.id),
            "jti": .string(Self.makeName()), "iat": .number(now.seconds), "exp": .number((now + lifetime).seconds),
            "resource": .string(resource), "scope": .string(scope),
        ]
        return .object([
            .init("access_token", .string(try sign(draft(claims, type: Self.grantType)))),
            .init("issued_token_type", .string(TokenType.identityGrant.rawValue)), .init("token_type", "N_A"),
            .init("expires_in", .number(lifetime.wholeSeconds)), .init("scope", .string(scope)),
        ])
    }

    /// Fetches the keys of the identity provider whose assertion a request presents, if it is accepted.
    func readKeys(for request: SandboxRequest) async {
        guard let assertion = request.field("assertion").flatMap({ SignedToken($0) }), let name = assertion.claims["iss"]?.string,
            configuration.identityProviders.contains(name), trustedKeys[name] == nil,
            let answer = await LoopbackClient.ask("GET", name + "/jwks"), answer.status == 200,
            let list = (try? JSONValue(strict: answer.text))?["keys"]?.array
        else { return }
        trustedKeys[name] = list.compactMap { VerifyingKey(jwk: $0) }
    }

    /// Returns an assertion that an accepted identity provider has signed for this provider; `nil` if it is none, or has expired.
    func trustedAssertion(_ text: String) -> SignedToken? {
        guard let assertion = SignedToken(text), let name = assertion.claims["iss"]?.string, let keys = trustedKeys[name],
            keys.contains(where: assertion.isSigned(by:)), let expiry = assertion.claims["exp"]?.double, now < Timestamp(seconds: expiry),
            assertion.claims["aud"]?.string == issuer
        else { return nil }
        return assertion
    }

    /// Issues a token for a grant of an accepted identity provider.
    func redeem(
        _ assertion: SignedToken, scopes: ScopeSet, _ tokenRequest: TokenRequest, _ failure: ErrorReply
    ) throws(ErrorReply) -> SandboxResponse {
        guard assertion.header["typ"]?.string == Self.grantType, let identifier = assertion.claims["jti"]?.string,
            assertion.claims["client_id"]?.string == tokenRequest.client.id,
            let user = users.first(where: { $0.subject == assertion.claims["sub"]?.string }),
            assertions.updateValue(now + .seconds(300), forKey: "grant " + identifier) == nil
        else { throw failure }
        let granted = ScopeSet(wire: assertion.claims["scope"]?.string ?? "")
        let authorization = Grants.Authorization(
            clientID: tokenRequest.client.id, scopes: ScopeSet(scopes.values.filter(granted.contains)), username: user.username,
            authenticatedAt: now, resources: assertion.claims["resource"]?.string.map { [$0] } ?? [])
        let issued = try finished(grants.begin(authorization, terms: tokenRequest.terms, withRefresh: false, now: now))
        return .json(.object(members(of: issued)), headers: [("Pragma", "no-cache")])
    }

    /// Issues a token for the client itself (RFC 6749 section 4.4), which must authenticate.
    func clientToken(_ request: SandboxRequest, _ tokenRequest: TokenRequest) throws(ErrorReply) -> SandboxResponse {
        guard tokenRequest.client.authentication != .none else { throw ErrorReply("unauthorized_client", "the client must authenticate") }
        let wanted = ScopeSet(wire: request.field("scope") ?? "")
        guard wanted.values.allSatisfy({ ReceivedAuthorization.knownScopes.contains($0) && $0 != "openid" }) else {
            throw ErrorReply("invalid_scope", "none of these scopes is offered")
        }
        let authorization = Grants.Authorization(
            clientID: tokenRequest.client.id, scopes: wanted, username: tokenRequest.client.id, isMachine: true, authenticatedAt: now,
            resources: tokenRequest.terms.resources)
        let issued = try finished(grants.begin(authorization, terms: tokenRequest.terms, withRefresh: false, now: now))
        return .json(.object(members(of: issued)), headers: [("Pragma", "no-cache")])
    }

    /// Returns the identifier of the user or the machine of a token; `nil` for a user who no longer exists.
    func subject(of authorization: Grants.Authorization) -> String? {
        authorization.isMachine ? authorization.username : user(authorization.username)?.subject
    }
}
