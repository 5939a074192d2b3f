import AuthModel

/// Clients that describe themselves: by registration (RFC 7591), or by a document at their identifier.
extension SandboxClient {
    /// Validates a client's metadata (RFC 7591 section 2).
    ///
    /// - Throws: `invalid_redirect_uri` or `invalid_client_metadata` (section 3.2.2).
    init(id: String, metadata: JSONValue, secret: Secret) throws(OAuthError) {
        func refuse(_ text: String) -> OAuthError { OAuthError("invalid_client_metadata", text) }
        guard metadata.members != nil else { throw refuse("the metadata is not an object") }
        guard let redirects = metadata["redirect_uris"]?.strings, !redirects.isEmpty, redirects.allSatisfy(Self.isRedirect) else {
            throw OAuthError("invalid_redirect_uri", "redirect_uris must contain https URLs, loopback URLs or private-use schemes")
        }
        let method = metadata["token_endpoint_auth_method"] ?? .string(Authentication.clientSecretBasic.rawValue)
        guard let authentication = method.string.flatMap({ Authentication(rawValue: $0) }) else {
            throw refuse("token_endpoint_auth_method is not offered")
        }
        let grants = metadata["grant_types"] ?? .array([.string(GrantType.authorizationCode.rawValue)])
        guard let types = grants.strings, types.allSatisfy({ GrantType(rawValue: $0) != nil }) else {
            throw refuse("grant_types contains one that is not offered")
        }
        guard (metadata["response_types"] ?? ["code"]).strings == ["code"] else { throw refuse("only response type code is offered") }
        guard ["native", "web"].contains(metadata["application_type"] ?? "web") else { throw refuse("application_type is unknown") }
        let keys = metadata["jwks"]?["keys"]?.array ?? []
        guard keys.allSatisfy({ VerifyingKey(jwk: $0) != nil }) else { throw refuse("jwks contains an entry that is not a public key") }
        guard authentication != .privateKeyJWT || !keys.isEmpty else { throw refuse("private_key_jwt requires a key in jwks") }
        let usesSecret = authentication == .clientSecretBasic || authentication == .clientSecretPost
        self.init(
            id: id, name: metadata["client_name"]?.string ?? id, secret: usesSecret ? secret : nil, authentication: authentication,
            redirects: redirects.flatMap { [$0, Self.withoutLoopbackPort($0)] }, keys: keys,
            postLogoutRedirects: metadata["post_logout_redirect_uris"]?.strings?.flatMap { [$0, Self.withoutLoopbackPort($0)] } ?? [])
    }

    /// Accepts https, http on loopback, or a private-use scheme with a dot (RFC 8252 section 7); never a fragment.
    private static func isRedirect(_ text: String) -> Bool {
        guard !text.contains("#") else { return false }
        if let url = WebURL(text) { return url.origin.scheme == .https || url.origin.isLoopback || url.origin.host == "localhost" }
        let scheme = text.prefix { $0 != ":" }
        return scheme.contains(".") && scheme.utf8.count < text.utf8.count
            && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    /// Removes the port of a loopback literal, which a client chooses anew each time (RFC 8252 section 7.3).
    private static func withoutLoopbackPort(_ text: String) -> String {
        guard let url = WebURL(text), url.origin.scheme == .http, url.origin.isLoopback else { return text }
        let host = url.origin.host.contains(":") ? "[\(url.origin.host)]" : url.origin.host
        return "http://\(host)\(url.path)" + (url.query.map { "?" + $0 } ?? "")
    }
}
