public import AuthModel

/// Builds requests to the token endpoint. ``TokenResponse`` validates the responses.
public enum TokenEndpoint {
    /// Builds the exchange of a code (RFC 6749 section 4.1.3) with its code verifier (RFC 7636 section 4.5) and the resources of its
    /// request (RFC 8707 section 2.2).
    public static func exchange(
        _ callback: ValidatedCallback, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let pending = callback.pending
        // A code must be sent only to the server that issued it (RFC 9700 section 4.4).
        guard metadata.issuer == pending.issuer, metadata.authorizationEndpoint == pending.authorizationEndpoint,
            client.id == pending.clientID
        else {
            throw OAuthError(.codeExchange, .mismatch(what: UserMessage("phrase.provider")), host: metadata.tokenEndpoint?.origin.authority)
        }
        let fields = [
            ("grant_type", "authorization_code"), (client.dialect.tokenCodeParameter.rawValue, callback.code.reveal()),
            (client.dialect.redirectParameter.rawValue, pending.redirectURI),
        ]
        let verifier = pending.usesPKCE ? [("code_verifier", pending.verifier.reveal())] : []
        let resources = pending.resources.map { ("resource", $0) }
        let state = JSONValue.Member(CallbackPlaceholder.state, .string(pending.state.reveal()))
        return client.tokenRequest(
            try url(metadata, .codeExchange), fields + verifier + resources, repeating: callback.members + [state])
    }

    /// Builds the exchange of the access token of a sign-in for one that is valid for longer, at a service that has no refresh tokens.
    public static func lengthen(
        _ accessToken: Secret, grant: String, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let url = if let own = client.dialect.longLivedEndpoint { own } else { try url(metadata, .codeExchange) }
        return client.accessTokenRequest(url, grant: grant, accessToken)
    }

    /// Builds a renewal with a refresh token (RFC 6749 section 6), or with the access token itself where the service has a grant for that.
    ///
    /// - Parameters:
    ///   - refreshToken: the refresh token, or the access token that stands in for it.
    ///   - scopes: the scopes of the new access token, if fewer than those of the grant; if empty, none are sent, and the token has all
    ///     scopes of the grant.
    ///   - resources: the resources of the new access token, if the session has any (RFC 8707 section 2.2).
    ///   - members: the parameters that were kept of the callback, for services that want some of them in each token request.
    public static func renew(
        _ refreshToken: Secret, scopes: ScopeSet = [], resources: [String] = [], repeating members: [JSONValue.Member] = [],
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let url = if let own = client.dialect.refreshEndpoint { own } else { try url(metadata, .renewal) }
        if let grant = client.dialect.renewalGrant {
            return client.accessTokenRequest(url, grant: grant, refreshToken, repeating: members)
        }
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        return client.tokenRequest(url, fields, repeating: members)
    }

    static func url(_ metadata: ProviderMetadata, _ operation: OAuthError.Operation) throws(OAuthError) -> WebURL {
        guard let url = metadata.tokenEndpoint else {
            throw OAuthError(operation, .noEndpoint(UserMessage("phrase.token_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return url
    }
}

/// The names of scopes that services use for one another: a short one in requests and a URI in responses, or the other way round.
public enum ScopeNames {
    /// Returns granted scopes under the names that were requested.
    static func requested(_ granted: [String], among requested: ScopeSet) -> ScopeSet {
        ScopeSet(
            granted.map { name in
                requested.contains(name) ? name : requested.values.first { isSame($0, name) } ?? name
            })
    }

    /// The requested scopes that were not granted.
    ///
    /// - Parameters:
    ///   - hasRefreshToken: whether a refresh token was issued, which a scope such as `offline_access` asks for.
    ///   - claims: the claims of the user. A scope of OpenID Connect Core section 5.4 whose claims came was granted.
    public static func missing(from granted: ScopeSet, requested: ScopeSet, hasRefreshToken: Bool, claims: [JSONValue]) -> [String] {
        requested.values.filter { scope in
            if granted.values.contains(where: { isSpelling(scope, of: $0) }) { return false }
            if hasRefreshToken, ["offline_access", "offline.access", "offline"].contains(scope) { return false }
            if granted.values.contains(where: { includes($0, scope) }) { return false }
            // It means all scopes that were granted before, and is never in a response.
            if scope.hasSuffix("/.default") { return false }
            return !(evidence[scope] ?? []).contains { name in claims.contains { $0[name] != nil } }
        }
    }

    /// The claims that show that a scope was granted.
    private static let evidence = [
        "openid": ["sub"], "email": ["email"], "address": ["address"], "phone": ["phone_number"],
        "profile": ["name", "preferred_username", "nickname", "given_name", "picture"],
    ]

    /// Whether two names are of the same scope: equal, or one is a URI whose last segment is the other.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.hasSameBytes(as: other) || isLong(one, of: other) || isLong(other, of: one)
    }

    /// Whether two names differ in case at most: Microsoft Entra answers with its own spelling.
    private static func isSpelling(_ one: String, of other: String) -> Bool { isSame(one.asciiLowercased(), other.asciiLowercased()) }

    /// Whether a granted scope includes another one, which the response then leaves out: `user` includes `user:email`, and `admin:org`
    /// includes `write:org`, which includes `read:org` (GitHub's "normalized scopes"). Shopify's `write_products` includes `read_products`.
    private static func includes(_ granted: String, _ scope: String) -> Bool {
        if scope.hasPrefix(granted + ":") || granted == "repo" && scope == "public_repo" { return true }
        if scope.hasPrefix("read_"), granted == "write_" + scope.dropFirst(5) { return true }
        let levels = ["read", "write", "admin"]
        func parts(_ name: String) -> (level: Int, rest: Substring)? {
            guard let colon = name.firstIndex(of: ":"), let level = levels.firstIndex(of: String(name[..<colon])) else { return nil }
            return (level, name[colon...])
        }
        guard let high = parts(granted), let low = parts(scope) else { return false }
        return high.rest == low.rest && high.level > low.level
    }

    private static func isLong(_ uri: String, of name: String) -> Bool {
        guard !name.contains("/"), uri.contains("://"), let slash = uri.lastIndex(of: "/") else { return false }
        let last = uri[uri.index(after: slash)...]
        return last.hasSameBytes(as: name) || ["email", "profile"].contains(name) && last.hasSameBytes(as: "userinfo.\(name)")
    }
}
