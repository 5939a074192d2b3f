public import AuthModel

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
            if granted.values.contains(where: { isSame(scope, $0) }) { return false }
            if hasRefreshToken, ["offline_access", "offline.access", "offline"].contains(scope) { return false }
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

    private static func isLong(_ uri: String, of name: String) -> Bool {
        guard !name.contains("/"), uri.contains("://"), let slash = uri.lastIndex(of: "/") else { return false }
        let last = uri[uri.index(after: slash)...]
        return last.hasSameBytes(as: name) || ["email", "profile"].contains(name) && last.hasSameBytes(as: "userinfo.\(name)")
    }
}
