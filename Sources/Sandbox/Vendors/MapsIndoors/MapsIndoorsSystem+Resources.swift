import AuthModel

/// The resources, and revocation, introspection and sign-out.
extension MapsIndoorsSystem {
    /// The data that the sign-in protects.
    func data(_ request: SandboxRequest) -> SandboxResponse {
        guard settings.isAuthRequired else { return .json(["venues": ["Yett House"]]) }
        return withToken(request) { token in
            guard token.grant.clientID != settings.bookingClient else { return Self.refusal("insufficient_scope", status: 403) }
            return .json(["venues": ["Yett House"], "sub": .string(token.grant.user.subject)])
        }
    }

    /// The Booking service: accepts the tokens of its own tenant, never those that MapsIndoors issued for the data.
    func booking(_ request: SandboxRequest) -> SandboxResponse {
        withToken(request) { token in
            guard token.grant.clientID == settings.bookingClient else { return Self.refusal("invalid_token", status: 401) }
            return .json(["bookings": .array([]), "tenant": request.header("X-Tenant-Id").map(JSONValue.string) ?? .null])
        }
    }

    func userInfo(_ request: SandboxRequest) -> SandboxResponse {
        withToken(request) { token in
            guard token.grant.scopes.contains("openid") else { return Self.refusal("insufficient_scope", status: 403) }
            return .json(.object([.init("sub", .string(token.grant.user.subject))] + Self.claims(of: token.grant)))
        }
    }

    private func withToken(_ request: SandboxRequest, _ body: (IssuedToken) -> SandboxResponse) -> SandboxResponse {
        let field = request.header("Authorization") ?? ""
        guard field.lowercased().hasPrefix("bearer "), let token = accessTokens[String(field.dropFirst(7))], now < token.endsAt else {
            return field.isEmpty
                ? .text("unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Bearer")])
                : Self.refusal("invalid_token", status: 401)
        }
        return body(token)
    }

    private static func refusal(_ code: String, status: Int) -> SandboxResponse {
        .text("unauthorized\n", status: status, headers: [("WWW-Authenticate", "Bearer error=\"\(code)\"")])
    }

    /// RFC 7009; an unknown token counts as revoked.
    func revoke(_ request: SandboxRequest) -> SandboxResponse {
        guard let client = request.field("client_id"), let token = request.field("token") else {
            return .json(["error": "invalid_request"], status: 400)
        }
        if accessTokens[token]?.grant.clientID == client { accessTokens[token] = nil }
        if refreshTokens[token]?.grant.clientID == client { refreshTokens[token] = nil }
        return SandboxResponse(status: 200)
    }

    /// RFC 7662; for API resources, which the sandbox does not authenticate.
    func introspect(_ request: SandboxRequest) -> SandboxResponse {
        guard let token = request.field("token"), let known = accessTokens[token], now < known.endsAt else {
            return .json(["active": false])
        }
        return .json([
            "active": true, "sub": .string(known.grant.user.subject), "client_id": .string(known.grant.clientID),
            "exp": .number(known.endsAt.seconds),
        ])
    }

    /// Redirects the browser if the address is registered and the ID token hint is from here; otherwise shows a page
    /// (`EndSessionRequestValidator`). Revokes no token.
    func endSession(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
        if let hint = value("id_token_hint"), idTokens.contains(hint), let target = value("post_logout_redirect_uri"),
            serverState.common.accepts(redirect: target, among: settings.postLogoutRedirects)
        {
            let joint = target.contains("?") ? "&" : "?"
            return .redirect(to: value("state").map { target + joint + FormEncoding.encode([("state", $0)]) } ?? target)
        }
        return Page.answer(title: "Signed out", "<p>You are signed out of MapsIndoors.</p>")
    }
}
