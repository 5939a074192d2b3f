public import AuthModel

/// Token revocation (RFC 7009), also in the forms that some services have instead.
public enum Revocation {
    /// The type of the token (section 2.1).
    public enum TokenKind: String, Sendable {
        case refresh = "refresh_token"
        case access = "access_token"
    }

    /// Builds the revocation request. Revoke the refresh token first, then the access token.
    public static func request(
        _ token: Secret, _ kind: TokenKind, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        guard let url = metadata.revocationEndpoint else {
            throw OAuthError(
                .revocation, .noEndpoint(UserMessage("phrase.revocation_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        switch client.dialect.revocation {
        case .standard, .deleteForm, .none:
            var request = client.form(url, [(client.dialect.revocationParameter, token.reveal()), ("token_type_hint", kind.rawValue)])
            if client.dialect.revocation == .deleteForm { request.method = .delete }
            return request
        case .bearer, .delete:
            return WebRequest(
                method: client.dialect.revocation == .delete ? .delete : .post, url: url,
                headers: [("Authorization", "Bearer \(token.reveal())"), ("Accept", "application/json")])
        case .json, .jsonPost, .deleteJSON:
            var fields = [(client.dialect.revocationParameter, token.reveal())]
            var client = client
            switch (client.dialect.revocation, client.credential) {
            case (.jsonPost, .basic(let secret, _)): client.credential = .post(secret)
            case (.jsonPost, _): break
            // The credential is in the header, whichever way the token endpoint gets it.
            case (_, .post(let secret)): client.credential = .basic(secret)
            default: break
            }
            fields += client.authentication.fields
            var request = WebRequest.json(url, fields, headers: client.authentication.headers)
            if client.dialect.revocation == .deleteJSON { request.method = .delete }
            return request
        }
    }

    /// The errors that mean that there is nothing left to revoke: the token is no longer valid (some servers report it, although section
    /// 2.2 says that they do not), or the server revokes no tokens of this type (section 2.2.1).
    private static let doneErrors: Set<String> = [
        "expired_token", "invalid_grant", "invalid_token", "token_expired", "token_revoked", "unsupported_token_type",
    ]

    /// Errors that say the same where the token itself authenticates the request.
    private static let doneErrorsOfBearer: Set<String> = doneErrors.union(["account_inactive", "invalid_auth"])

    /// Whether a reason without an OAuth code says that the token is no longer valid.
    private static func saysInvalid(_ reason: String) -> Bool {
        // A refusal of `token_type_hint` says nothing of the token, which stays valid.
        let text = reason.asciiLowercased().replacing("token_type", with: "type").replacing("token type", with: "type")
        return invalidTexts.contains { text.contains($0) }
    }

    /// X says that the value was invalid, and Facebook why the token is not valid.
    private static let invalidTexts = [
        "already revoked", "error validating access token", "expired token", "invalid token", "token expired", "token has expired",
        "token is invalid", "token was invalid",
    ]

    /// Validates the response. Success has any body, and includes tokens that the server does not know (section 2.2), and errors that mean
    /// that there is nothing left to revoke.
    ///
    /// - Parameter form: the form of the request. If the token itself authenticated it, a 401 means that the token is no longer valid; so
    ///   does a 404 to a DELETE that names it, if the answer is an object of the API and not a page of another server.
    /// - Throws: ``OAuthError``. After a transient one the token may still be valid; retry the revocation (section 2.2.1).
    public static func validate(
        _ response: WebResponse, host: String?, form: ProviderDialect.RevocationForm = .standard, now: Timestamp
    ) throws(OAuthError) {
        let doneErrors = form.isAuthenticatedByToken ? doneErrorsOfBearer : doneErrors
        if [400, 401].contains(response.status), let code = ServerError(response)?.code, doneErrors.contains(code) { return }
        if form.isAuthenticatedByToken, response.status == 401 { return }
        if form == .deleteJSON, response.status == 404, response.document?.members != nil { return }
        let error = ServerError(response)
        if [400, 401].contains(response.status), error?.isAboutClient != true,
            let reason = error?.description ?? response.refusalReason, saysInvalid(reason)
        {
            return
        }
        try response.requireSuccess(.revocation, host: host, now: now, success: [200, 201, 202, 204])
        // An error in a successful response is an error, but most successful responses have no document.
        guard [200, 201].contains(response.status), let reader = try? ResponseReader(response, .revocation, host: host) else { return }
        if let code = ServerError(reader)?.code, doneErrors.contains(code) { return }
        try reader.requireNoError(status: response.status)
    }
}

/// Token introspection (RFC 7662).
public enum Introspection {
    /// The response of the provider.
    public struct Answer: Equatable, Sendable {
        /// Whether the token is active, as far as this client may know.
        public let isActive: Bool
        /// The complete response, as an object.
        public let claims: JSONValue
    }

    /// Builds the introspection request.
    ///
    /// - Parameter kind: the type of the token, if known.
    public static func request(
        _ token: Secret, _ kind: Revocation.TokenKind?, at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        guard let url = metadata.introspectionEndpoint else {
            throw OAuthError(
                .introspection, .noEndpoint(UserMessage("phrase.introspection_endpoint")), host: metadata.issuer?.url.origin.authority)
        }
        return client.form(url, [("token", token.reveal())] + (kind.map { [("token_type_hint", $0.rawValue)] } ?? []))
    }

    /// Reads the response.
    public static func answer(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) -> Answer {
        try response.requireSuccess(.introspection, host: host, now: now, success: [200, 201])
        let reader = try ResponseReader(response, .introspection, host: host)
        guard let isActive = try reader.bool("active") else { throw reader.missing("active") }
        return Answer(isActive: isActive, claims: reader.object)
    }
}
