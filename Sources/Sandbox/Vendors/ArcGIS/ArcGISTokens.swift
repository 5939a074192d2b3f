import AuthModel

/// What the portal and its servers gave out, and what is still good.
struct ArcGISTokens {
    struct Refresh {
        var clientID: String
        var username: String
        var endsAt: Timestamp
        /// Kept when it is exchanged.
        var lifetime: Duration
    }

    struct Access {
        var username: String
        var endsAt: Timestamp
        /// What it was issued with; it dies with it.
        var refreshToken: String?
        var clientID: String?
        /// The server that it is for; `nil` for the portal.
        var server: String?
        /// The page it was asked for, where it was asked with `client=referer`.
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

    /// Ends a refresh token and every access token that came of it, or an access token alone.
    mutating func end(_ token: String) {
        refresh[token] = nil
        access = access.filter { $0.key != token && $0.value.refreshToken != token }
    }

    /// Whose client a token is, where it is one.
    func client(of token: String) -> String? { refresh[token]?.clientID ?? access[token]?.clientID }
}
