import AuthModel

/// A registration's management data. It is sent to the agent and never returned.
extension ClientManagement: WireValue {
    var wire: JSONValue {
        .members(
            ("issuer", .string(issuer.text)), ("client_id", .string(clientID)), ("url", JSONValue(url?.text)),
            ("token", JSONValue(token?.reveal())), ("secret", JSONValue(secret?.reveal())),
            ("secret_expires_at", JSONValue(secretExpiresAt)), ("auth_method", JSONValue(authenticationMethod)))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            issuer: try reader.issuer(), clientID: try reader.text("client_id"),
            url: try reader.optional("url") { $0.string.flatMap(WebURL.init(_:)) },
            token: try reader.optionalText("token").map { Secret($0) }, secret: try reader.optionalText("secret").map { Secret($0) },
            secretExpiresAt: try reader.optionalMoment("secret_expires_at"), authenticationMethod: try reader.optionalText("auth_method"))
    }
}

extension ProofRequest: WireValue {
    var wire: JSONValue {
        .members(
            ("session", .string(session.description)), ("token", .string(accessToken.reveal())), ("method", .string(method)),
            ("url", .string(url.text)), ("nonce", JSONValue(nonce)))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            session: try reader.session(), accessToken: Secret(try reader.text("token")), method: try reader.text("method"),
            url: try reader.required("url") { $0.string.flatMap(WebURL.init(_:)) }, nonce: try reader.optionalText("nonce"))
    }
}

extension WireReader {
    func issuer(_ name: String = "issuer") throws(WireError) -> Issuer { try required(name) { $0.string.flatMap(Issuer.init(_:)) } }
}
