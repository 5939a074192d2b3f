public import AuthModel

/// The placeholders in the values of additional parameters at userinfo: `{access_token}`, and `{token.PATH}` for a member of the token response,
/// such as the ID of the user, that some services want repeated. `{client_id}` is replaced when the configuration is read.
public enum UserInfoPlaceholder {
    /// Stands for the access token, for a service that reads no header.
    public static let accessToken = "{access_token}"

    /// Returns the place in the token response that a text stands for; `nil` for any other text.
    public static func path(in text: String) -> MemberPath? {
        guard text.hasPrefix("{token."), text.hasSuffix("}") else { return nil }
        return MemberPath(String(text.dropFirst("{token.".count).dropLast()))
    }

    /// Returns the text, or what it stands for; `nil` if that is missing.
    static func filled(_ text: String, token: String?, answer: JSONValue?) -> String? {
        if text == accessToken { return token }
        guard let path = path(in: text) else { return text }
        return answer.flatMap { path.string(in: $0) }
    }
}

/// The UserInfo endpoint (OpenID Connect Core section 5.3).
public enum UserInfo {
    /// Builds the request with the access token in the header, never in the body, and in the URL only for a service whose dialect says so
    /// (section 5.3.1, RFC 6750 section 2).
    ///
    /// - Parameters:
    ///   - secret: the client's secret, for the header fields that have it.
    ///   - answer: the token response, for the parameters that repeat a member of it.
    ///   - dialect: how the service differs from the standards: a POST with a JSON body, another scheme, or parameters in the query.
    public static func request(
        _ tokens: TokenSet, at metadata: ProviderMetadata, secret: Secret? = nil, answer: JSONValue? = nil,
        dialect: ProviderDialect = ProviderDialect()
    ) throws(OAuthError) -> WebRequest {
        guard var url = metadata.userInfoEndpoint else {
            throw OAuthError(.userInfo, .noEndpoint(UserMessage("phrase.userinfo_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        let isBound = tokens.tokenType.asciiLowercased() == "dpop"
        let token = tokens.accessToken.reveal()
        var fields = [(name: "Authorization", value: "\(isBound ? "DPoP" : dialect.userInfoScheme) \(token)")]
        if !isBound, let own = dialect.tokenHeader { fields = [(own, token)] }
        let parameters = dialect.userInfoParameters.sorted { $0.key < $1.key }.compactMap { name, text in
            UserInfoPlaceholder.filled(text, token: isBound ? nil : token, answer: answer).map { (name, $0) }
        }
        if !isBound, dialect.userInfoParameters.values.contains(UserInfoPlaceholder.accessToken) { fields = [] }
        url = url.appending(query: parameters) ?? url
        // Some services want the version of the API in this field.
        if !dialect.userInfoHeaders.keys.contains(where: { $0.asciiLowercased() == "accept" }) {
            fields.append(("Accept", "application/json"))
        }
        fields += SecretPlaceholder.filled(dialect.userInfoHeaders, with: secret)
        guard let body = dialect.userInfoBody else { return WebRequest(method: .get, url: url, headers: fields) }
        return WebRequest(
            method: .post, url: url, headers: fields + [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    /// Returns the claims of a JSON response. Aggregated and distributed claims of other issuers stay unprocessed: they are neither merged
    /// nor fetched.
    ///
    /// - Parameters:
    ///   - subject: the expected `sub` (section 5.3.2); `nil` if no user has been identified before, as in plain OAuth 2. `sub` is then
    ///     required only with `requiresSubject`.
    ///   - requiresSubject: whether a response without `sub` is refused. A given `subject` always requires it.
    ///   - dialect: how the service differs from the standards. If it names the place of the subject, the subject must be there.
    public static func claims(
        _ response: WebResponse, subject: String?, requiresSubject: Bool = true, dialect: ProviderDialect = ProviderDialect(),
        host: String?, now: Timestamp
    ) throws(OAuthError) -> JSONValue {
        try response.requireSuccess(.userInfo, host: host, now: now, success: [200, 201])
        var response = response
        // The API of a service of plain OAuth 2 may have the user as the only element of an array.
        if !requiresSubject, let elements = response.document?.array, elements.count == 1 {
            response.body = Array(elements[0].text.utf8)
        }
        let reader = try ResponseReader(response, .userInfo, host: host)
        try reader.requireNoError(status: response.status)
        if let path = dialect.identity.subject {
            guard let found = path.string(in: reader.object) else { throw reader.missing(path.text) }
            if let subject, !found.hasSameBytes(as: subject) { throw OAuthError(.userInfo, .token(.wrongSubject), host: host) }
            if reader.object["sub"] == nil { return reader.object }
        }
        try check(reader.object, subject: subject, requiresSubject: requiresSubject, host: host)
        return reader.object
    }

    /// Returns whether the response is a signed JWT (section 5.3.4), for
    /// ``signedClaims(_:subject:validator:announcedAlgorithms:keys:host:now:)``.
    public static func isSigned(_ response: WebResponse) -> Bool {
        let type = response.header("Content-Type")?.split(separator: ";").first?.trimmingWhitespace().asciiLowercased()
        return response.status == 200 && type == "application/jwt"
    }

    /// Returns the claims of a signed response. The signature must verify with the issuer's keys. `iss`, `aud` and `exp`, if present, must
    /// be valid for this issuer, client and time, and `sub` must be `subject`.
    ///
    /// - Parameters:
    ///   - validator: the validator of the ID token, which provides issuer, client and algorithms.
    ///   - announcedAlgorithms: the algorithms that the provider announces for UserInfo; `nil` to use those of the validator.
    public static func signedClaims(
        _ response: WebResponse, subject: String, validator: IDTokenValidator, announcedAlgorithms: [String]?, keys: KeySet, host: String?,
        now: Timestamp
    ) throws(OAuthError) -> JSONValue {
        try response.requireSuccess(.userInfo, host: host, now: now)
        let claims: JSONValue
        do throws(TokenError) {
            let text = String(validating: response.body, as: UTF8.self) ?? ""
            let jws = try JSONWebSignature(compact: text.trimmingWhitespace())
            if let type = jws.type, !["jwt", "application/jwt", "userinfo+jwt"].contains(type.asciiLowercased()) { throw .wrongTokenType }
            let allowed = announcedAlgorithms.map { SignatureAlgorithm.accepted(from: $0) } ?? validator.algorithms
            claims = try jws.verified(with: keys, allowed: allowed).claims
            let reader = ClaimReader(claims)
            if let issuer = try reader.text("iss") {
                let tenant = validator.issuerRule.pattern == nil ? nil : try reader.text(IssuerPattern.claim)
                guard validator.issuerRule.admits(token: issuer, tenant: tenant) else { throw .wrongIssuer }
            }
            let audience = claims["aud"] == nil ? nil : try reader.audience()
            if let audience, !audience.contains(where: { $0.hasSameBytes(as: validator.clientID) }) { throw .wrongAudience }
            if let end = try reader.time("exp"), now >= end + IDTokenValidator.clockTolerance { throw .expired }
        } catch {
            throw OAuthError(.userInfo, .token(error), host: host)
        }
        try check(claims, subject: subject, requiresSubject: true, host: host)
        return claims
    }

    private static func check(_ claims: JSONValue, subject: String?, requiresSubject: Bool, host: String?) throws(OAuthError) {
        let found: String?
        do throws(TokenError) {
            if claims["sub"] == nil {
                if subject != nil || requiresSubject { throw .missingClaim("sub") }
                return
            }
            // Some services have a number, here only or for plain OAuth 2. Compared by its digits, it identifies the user as well.
            let number = claims["sub"]?.integer.map { String($0) }
            let isKnown = subject == nil ? !requiresSubject : number == subject
            found = if let number, isKnown { number } else { try ClaimReader(claims).subject() }
        } catch {
            throw OAuthError(.userInfo, .token(error), host: host)
        }
        if let subject, found?.hasSameBytes(as: subject) != true {
            throw OAuthError(.userInfo, .token(.wrongSubject), host: host)
        }
    }
}
