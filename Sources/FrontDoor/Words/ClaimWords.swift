import AuthModel

/// What claims mean, and how their values read (OIDC Core sections 2 and 5.1, RFC 7519, RFC 9068, the IANA registry of JWT claims).
enum ClaimWords {
    /// A claim's name in words; `nil` for one that is not registered.
    static func name(_ claim: String) -> String? { names[claim] }

    /// Whether a claim's value is a moment, in seconds since 1970.
    static func isMoment(_ claim: String) -> Bool { moments.contains(claim) }

    /// A claim's value as people read it.
    ///
    /// Everything that is not plain text is written as JSON, whose strings escape whatever is not printable ASCII.
    static func value(_ value: JSONValue, of claim: String, now: Timestamp) -> String {
        if isMoment(claim), let seconds = value.double, seconds >= 0 {
            return Words.momentInWords(Timestamp(seconds: seconds), now: now)
        }
        switch value {
        case .string(let text): return text
        case .bool(let flag): return flag ? "yes" : "no"
        case .number(let text): return text
        case .null: return "nothing"
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count && !texts.isEmpty ? texts.joined(separator: ", ") : value.text
        case .object: return value.text
        }
    }

    private static let moments: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    private static let names: [String: String] = [
        "iss": "issuer",
        "sub": "subject",
        "aud": "meant for",
        "azp": "authorised party",
        "exp": "ends",
        "nbf": "begins",
        "iat": "issued",
        "jti": "token number",
        "auth_time": "you proved who you are",
        "nonce": "bound to this sign-in",
        "acr": "assurance level",
        "amr": "proved by",
        "at_hash": "bound to the access token",
        "c_hash": "bound to the code",
        "s_hash": "bound to the state",
        "sid": "browser session",
        "client_id": "client",
        "scope": "scopes",
        "cnf": "bound to a key",
        "name": "name",
        "given_name": "given name",
        "family_name": "family name",
        "middle_name": "middle name",
        "nickname": "nickname",
        "preferred_username": "user name",
        "profile": "profile page",
        "picture": "picture",
        "website": "web site",
        "email": "e-mail",
        "email_verified": "e-mail checked",
        "gender": "gender",
        "birthdate": "date of birth",
        "zoneinfo": "time zone",
        "locale": "language",
        "phone_number": "telephone",
        "phone_number_verified": "telephone checked",
        "address": "address",
        "updated_at": "profile changed",
        "groups": "groups",
        "roles": "roles",
        "entitlements": "entitlements",
        "tid": "tenant",
        "oid": "object number",
        "hd": "organisation",
    ]
}
