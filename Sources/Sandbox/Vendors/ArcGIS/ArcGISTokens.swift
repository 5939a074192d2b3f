import AuthModel

/// The issued tokens of the portal and its servers.
struct ArcGISTokens {
    struct Refresh {
        var clientID: String
        var username: String
        var endsAt: Timestamp
        /// Stays the same when the token is exchanged.
        var lifetime: Duration
    }

    struct Access {
        var username: String
        var endsAt: Timestamp
        /// The refresh token that it was issued with; it is revoked together with that token.
        var refreshToken: String?
        var clientID: String?
        /// The server that the token is for; `nil` for the portal.
        var server: String?
        /// The page that the token was requested for with `client=referer`.
        var referer: String?
    }

    private(set) var refresh: [String: Refresh] = [:]
    private(set) var access: [String: Access] = [:]

    mutating func issue(_ grant: Access) -> String {
        let token = OpenIDProvider.makeName()
        access[token] = grant
        return token
    }

    mutating func issue(_ grant: Refresh) -> String {
        let token = OpenIDProvider.makeName()
        refresh[token] = grant
        return token
    }

    /// Revokes a refresh token with all access tokens that came from it, or only an access token.
    mutating func end(_ token: String) {
        refresh[token] = nil
        access = access.filter { $0.key != token && $0.value.refreshToken != token }
    }

    /// Returns the client of a token; `nil` for an unknown token.
    func client(of token: String) -> String? { refresh[token]?.clientID ?? access[token]?.clientID }
}
