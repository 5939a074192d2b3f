public import AuthModel

/// Reads responses of the token endpoint (RFC 6749 sections 5.1 and 5.2).
public enum TokenResponse {
    /// Returns the tokens of a response.
    ///
    /// - `token_type` must be the requested type, in any case (RFC 6749 section 7.1): Bearer, or DPoP if a proof was sent
    ///   (`requiresProof`), because the token would otherwise not be bound (RFC 9449 section 5). A service's own word counts only if the
    ///   dialect says what its tokens are.
    /// - `expires_in` may be absent: another name of it counts then, such as `expires_at` or `expires`, with a date, seconds since 1970 or a number
    ///   of seconds, else the lifetime of the dialect, and else the end that an access token names which is a JWT, as those of Salesforce
    ///   for MCP. Without these the lifetime is unknown. A number in a string is accepted, and
    ///   a moment in `expires_in`. A negative value means that the token has already expired. Values are limited to a century.
    /// - A missing or empty `scope` means the requested scopes (RFC 6749 section 5.1). An array, also of numbers, and scopes separated by
    ///   commas, or as in requests, are accepted. More than 16 kB are refused. A scope under its long name is the requested one (``ScopeNames``).
    /// - Names in camelCase, such as `accessToken`, are accepted if there is no `access_token`, and so is a text in `token`.
    /// - Other tokens in the response, such as those for other resource servers, are ignored.
    /// - Where the dialect has a grant for renewals with the access token, that token is the refresh token, too.
    /// - An error in a 200 response is an error. One without an access token is an error too, with the reason that it names.
    /// - Status 201 counts as success.
    ///
    /// - Parameters:
    ///   - operation: the operation, which decides what an error means.
    ///   - requested: the requested scopes, or those of the session.
    ///   - former: the type of the token that this one replaces. Some services name it only at the sign-in.
    ///   - dialect: how the service differs from the standards.
    ///   - now: when the response arrived.
    public static func tokens(
        _ response: WebResponse, _ operation: OAuthError.Operation, host: String?, requested: ScopeSet, requiresProof: Bool = false,
        former: String? = nil, dialect: ProviderDialect = ProviderDialect(), now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try response.requireSuccess(operation, host: host, now: now, success: [200, 201])
        let reader = try holder(of: try ResponseReader(response, operation, host: host), operation, status: response.status, dialect)
        guard let access = try token(reader, "access_token") else { throw reader.missingToken(status: response.status) }
        let isSame = former?.asciiLowercased() == "bearer" && reader.object["token_type"] == nil
        let type = isSame ? "Bearer" : try tokenType(reader, dialect)
        guard type.asciiLowercased() == (requiresProof ? "dpop" : "bearer") else {
            throw OAuthError(operation, .tokenTypeNotUnderstood, host: host)
        }
        // Without refresh tokens, an access token that renews itself is the grant, too, and ends as both.
        let renewsItself = dialect.renewalGrant != nil
        let refresh = try renewsItself ? access : token(reader, "refresh_token")
        let idToken = try token(reader, "id_token")
        let named = try lifetime(reader, now: now)
        let isUnlimited = named == .zero && dialect.zeroLifetime == .unlimited
        let lifetime = isUnlimited ? nil : named ?? dialect.accessLifetime.map { .seconds($0) } ?? Self.lifetime(of: access, now: now)
        let end = lifetime.map { now + max($0, .zero) }
        let refreshEnd = renewsItself ? end : refreshLifetime(reader, now: now).map { now + $0 }
        let scope = dialect.scopesInResponse == .ignored ? nil : try scopes(reader, requested: requested, dialect)
        return TokenSet(
            accessToken: access, tokenType: type, accessExpiresAt: end, refreshToken: refresh,
            refreshExpiresAt: refresh == nil ? nil : refreshEnd, idToken: idToken,
            scopes: scope.flatMap { $0.isEmpty ? nil : $0 } ?? requested, receivedAt: now)
    }

    /// Returns the object with the tokens. Some services have them at the place of the dialect or in the response itself, such as after a
    /// renewal; what Slack has there for a bot is not the user's.
    private static func holder(
        of reader: ResponseReader, _ operation: OAuthError.Operation, status: Int, _ dialect: ProviderDialect
    ) throws(OAuthError) -> ResponseReader {
        try reader.requireNoError(status: status)
        func reading(_ object: JSONValue) -> ResponseReader {
            var inner = ResponseReader(withStandardNames(object), operation, host: reader.host)
            inner.redactor = reader.redactor
            return inner
        }
        guard let path = dialect.tokensPath else { return reading(reader.object) }
        let nested = path.value(in: reader.object).map(withStandardNames)
        if nested?["access_token"]?.string == nil {
            let whole = withStandardNames(reader.object)
            let hasOwn = whole["access_token"]?.string != nil && whole["token_type"]?.string != "bot"
            if hasOwn || operation == .renewal { return reading(reader.object) }
        }
        // TikTok for Business has an empty object there in an error.
        guard let nested, nested.members?.isEmpty == false else { throw reader.missingToken(path.text, status: status) }
        return reading(nested)
    }

    private static let standardNames = [
        "accessToken": "access_token", "expireIn": "expires_in", "expiresAt": "expires_at", "expiresIn": "expires_in",
        "idToken": "id_token",
        "refreshToken": "refresh_token", "refreshTokenExpiresAt": "refresh_token_expires_at",
        "refreshTokenExpiresIn": "refresh_token_expires_in", "tokenType": "token_type",
    ]

    /// Returns an object with tokens under the standard's names. Qiita's and Yammer's access token has the name `token`.
    private static func withStandardNames(_ object: JSONValue) -> JSONValue {
        guard object["access_token"] == nil, let members = object.members else { return object }
        if object["accessToken"] != nil { return .object(members.map { .init(standardNames[$0.name] ?? $0.name, $0.value) }) }
        guard object["token"]?.string != nil else { return object }
        return .object(members.map { .init($0.name == "token" ? "access_token" : $0.name, $0.value) })
    }

    /// Reads the lifetime of the access token; negative if it has ended, because zero may mean that it never ends.
    private static func lifetime(_ reader: ResponseReader, now: Timestamp) throws(OAuthError) -> Duration? {
        // No lifetime is as long as the time since 1970, so such a number is the end itself, also of a token that has ended today.
        if let end = time(reader, "expires_in", now: now), end > .seconds(-86_400) { return end }
        if let lifetime = try reader.lifetime("expires_in") { return lifetime }
        for name in endNames {
            if let end = time(reader, name, now: now) { return end }
        }
        return lifetimeNames.lazy.compactMap { try? reader.lifetime($0) }.first
    }

    /// Other names of the access token's lifetime. A moment may have them too, as TikTok Shop's.
    private static let lifetimeNames = ["expires", "expire_in", "access_token_expires_in", "access_token_expire_in"]
    /// The names of its end. Squarespace's begins with that of the token.
    private static let endNames = ["expires_at", "expires_on", "expire_time", "access_token_expires_at"] + lifetimeNames

    /// Reads how long an access token is valid by its own claim `exp` (RFC 9068 section 2.2); `nil` if it has none, or has ended by this machine's
    /// clock. Only a time to renew follows from it, so no signature is needed.
    private static func lifetime(of token: Secret, now: Timestamp) -> Duration? {
        guard let jws = try? JSONWebSignature(compact: token.reveal()), let end = jws.unverifiedClaims["exp"]?.double, end > 0, end < 1e11
        else { return nil }
        let rest = Timestamp(seconds: end) - now
        return rest > .zero ? rest : nil
    }

    /// The types of the IANA registry of access token types, and others that a token must not be sent for as Bearer.
    private static let knownTypes: Set<String> = ["bearer", "dpop", "mac", "n_a", "pop"]

    private static func tokenType(_ reader: ResponseReader, _ dialect: ProviderDialect) throws(OAuthError) -> String {
        guard let standard = dialect.tokenType else { return try reader.requiredString("token_type") }
        guard let type = try reader.string("token_type"), knownTypes.contains(type.asciiLowercased()) else { return standard }
        return type
    }

    /// Returns the tokens after a renewal. Without a new refresh token, the old one remains valid (RFC 6749 section 6).
    ///
    /// - Parameter requested: the requested scopes; empty if none were requested.
    public static func renewed(
        _ response: WebResponse, host: String?, old: TokenSet, requested: ScopeSet = [], dialect: ProviderDialect = ProviderDialect(),
        now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        var new = try tokens(
            response, .renewal, host: host, requested: requested.isEmpty ? old.scopes : requested,
            requiresProof: old.tokenType.asciiLowercased() == "dpop", former: old.tokenType, dialect: dialect, now: now)
        if new.refreshToken == nil {
            new.refreshToken = old.refreshToken
            new.refreshExpiresAt = old.refreshExpiresAt
        }
        return new
    }

    /// Returns the refresh token of a successful response that is otherwise invalid; `nil` if there is none or the response is an error.
    /// The refresh token that was sent may be used up, so only this one can save the grant.
    public static func refreshTokenOnly(_ response: WebResponse, dialect: ProviderDialect = ProviderDialect()) -> Secret? {
        guard (200..<300).contains(response.status), let outer = try? ResponseReader(response, .renewal, host: nil),
            let reader = try? holder(of: outer, .renewal, status: response.status, dialect)
        else { return nil }
        return try? token(reader, "refresh_token")
    }

    /// Reads the granted scopes; returns `nil` if there are none. The size is limited because they are stored and shown with the session.
    private static func scopes(
        _ reader: ResponseReader, requested: ScopeSet, _ dialect: ProviderDialect
    ) throws(OAuthError) -> ScopeSet? {
        let list = reader.object["scope"]?.array?.map { $0.string ?? $0.integer.map { String($0) } }
        let texts =
            if let list, !list.contains(nil) { list.compactMap(\.self) } else { [try reader.string("scope")].compactMap(\.self) }
        guard !texts.isEmpty else { return nil }
        guard texts.reduce(0, { $0 + $1.utf8.count + 1 }) <= (1 << 14) + 1 else {
            throw reader.wrong("scope", UserMessage("phrase.list_of_scopes"))
        }
        // A comma may be part of a scope. Only a service whose scopes have none separates them by commas.
        let splitsAtCommas = !requested.values.contains { $0.contains(",") }
        let separator = dialect.scopeSeparator.first
        let names = texts.flatMap { $0.split { $0 == " " || $0 == separator || (splitsAtCommas && $0 == ",") } }.map(String.init)
            .filter(ScopeSet.isScope)
        return ScopeNames.requested(names, among: requested)
    }

    /// Reads a token of visible ASCII characters (RFC 6749 appendix A.12), so that it is safe in a header and on a line.
    private static func token(_ reader: ResponseReader, _ name: String) throws(OAuthError) -> Secret? {
        guard let text = try reader.string(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            // Some servers write an empty string for a missing token.
            if text.isEmpty, name != "access_token" { return nil }
            throw reader.wrong(name, UserMessage("phrase.a_token"))
        }
        return Secret(text)
    }

    /// Reads the lifetime of the refresh token. There is no standard member; these names are in use, and 0 means that it does not expire.
    /// Other values are ignored.
    private static func refreshLifetime(_ reader: ResponseReader, now: Timestamp) -> Duration? {
        // SAP Concur has the moment in a member that is a lifetime elsewhere.
        let ends = refreshEndNames.lazy.compactMap { time(reader, $0, now: now) }
        if let end = ends.first(where: { $0 > .zero }) { return end }
        return refreshLifetimeNames.lazy.compactMap { try? reader.lifetime($0) }.first { $0 > .zero }
    }

    private static let refreshLifetimeNames = [
        "refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in", "refresh_token_expire_in",
    ]
    private static let refreshEndNames = ["refresh_token_expires_at", "refresh_expires_at"] + refreshLifetimeNames

    /// Reads how long it is until a moment, which is a date of RFC 3339 or a number of seconds or milliseconds since 1970, also in digits;
    /// negative if the moment is past, and `nil` if the member is none.
    private static func time(_ reader: ResponseReader, _ name: String, now: Timestamp) -> Duration? {
        let value = reader.object[name]
        if let date = value?.string.flatMap(Timestamp.init) { return date - now }
        guard let number = value?.double ?? value?.string.flatMap(Double.init), number > 1e8, number < 1e14 else { return nil }
        // No token lives until the year 5138, so a larger number is of milliseconds.
        return Timestamp(seconds: number < 1e11 ? number : number / 1000) - now
    }

    /// Returns the members of a successful response that may be stored with the user's data: all but tokens, codes, keys and secrets, at any
    /// depth.
    public static func userData(_ response: WebResponse) -> JSONValue {
        guard let document = response.document, document.members != nil else { return .object([]) }
        return withoutSecrets(document)
    }

    /// Parts of the names of members with secrets.
    private static let secretWords = ["token", "secret", "password", "code", "key", "assertion", "signature"]

    private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.compactMap { member in
                    let name = member.name.asciiLowercased()
                    guard !secretWords.contains(where: { name.contains($0) }) else { return nil }
                    return .init(member.name, withoutSecrets(member.value))
                })
        case .array(let elements): .array(elements.map(withoutSecrets))
        default: value
        }
    }

    /// Returns the session's own API host: the origin that the response names at the place of the dialect, as a URL or as a host. `nil` if the
    /// dialect has no such place or the response names none.
    ///
    /// - Parameter endpoint: the token endpoint. Only one on this machine may name a host of this machine.
    /// - Throws: ``OAuthError`` for a host that no token may be sent to.
    public static func apiHost(
        _ response: WebResponse, dialect: ProviderDialect, endpoint: WebURL?
    ) throws(OAuthError) -> WebURL? {
        guard let document = response.document else { return nil }
        return try apiHost(in: document, dialect: dialect, endpoint: endpoint)
    }

    /// Returns the session's own API host in a document, which may also be userinfo's; `nil` if it names none.
    public static func apiHost(
        in document: JSONValue, dialect: ProviderDialect, endpoint: WebURL?
    ) throws(OAuthError) -> WebURL? {
        guard let path = dialect.apiHostPath, let text = path.string(in: document) else { return nil }
        let isHere = endpoint?.origin.isThisMachine == true
        guard let url = WebURL(text.contains("://") ? text : "https://\(text)"), url.isRequestable, isHere || !url.origin.isThisMachine,
            let origin = WebURL(url.origin.description)
        else { throw OAuthError(.codeExchange, .unsafeEndpoint(member: path.text), host: endpoint?.origin.authority) }
        return origin
    }
}
