import AuthModel

/// Introspection of tokens at another authorization server (RFC 7662), as a resource server.
extension OpenIDProvider {
    /// Returns the properties of a token of another sandbox; `nil` if it is invalid there, or that sandbox does not respond.
    func introspect(_ token: String, at server: String) async -> ResourceToken? {
        // Every sandbox has the same resource server as a client.
        guard let me = SandboxClient.standard.first(where: { $0.redirects.isEmpty }), let secret = me.secret else { return nil }
        let credentials = Base64.standard(Array("\(me.id):\(secret.reveal())".utf8))
        let answer = await LoopbackClient.ask(
            "POST", server + "/introspect",
            headers: ["Content-Type: application/x-www-form-urlencoded", "Authorization: Basic \(credentials)"],
            body: FormEncoding.encode([("token", token), ("token_type_hint", "access_token")]))
        guard let answer, answer.status == 200, let document = try? JSONValue(strict: answer.text), document["active"] == true,
            document["iss"]?.string == server, let subject = document["sub"]?.string,
            let clientID = document["client_id"]?.string, let expiry = document["exp"]?.integer, now.seconds < expiry
        else { return nil }
        return ResourceToken(
            subject: subject, username: document["username"]?.string ?? subject, clientID: clientID,
            scopes: ScopeSet(wire: document["scope"]?.string ?? ""),
            resources: document["aud"]?.strings ?? document["aud"]?.string.map { [$0] } ?? [], key: document["cnf"]?["jkt"]?.string,
            authenticationClass: document["acr"]?.string ?? "",
            authenticatedAt: Timestamp(seconds: document["auth_time"]?.double ?? 0))
    }
}
