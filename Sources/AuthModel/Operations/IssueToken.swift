/// Issues a fresh token if the provider's ``TokenPolicy`` allows it. Renews first if that is necessary and permitted.
package struct IssueToken: SessionOperation {
    package typealias Reply = IssuedToken
    package static let route = OperationRoute("token", .post, "/v1/token", [.isRepeatable, .isFrequent, .isForwarded])

    package var request: TokenRequest

    package init(_ request: TokenRequest) { self.request = request }
    package init(wire: JSONValue) throws(WireError) { request = try TokenRequest(wire: wire) }
    package func wire(_ texts: MessageTexts) -> JSONValue { request.wire(texts) }
}

/// Creates the `DPoP` header value for one request to a resource. Throws `.configuration` if the session's tokens are not bound to a key.
package struct CreateProof: SessionOperation {
    package typealias Reply = String
    package static let route = OperationRoute("proof", .post, "/v1/proof", [.isRepeatable, .isFrequent, .isForwarded])

    package var request: ProofRequest

    package init(_ request: ProofRequest) { self.request = request }
    package init(wire: JSONValue) throws(WireError) { request = try ProofRequest(wire: wire) }
    package func wire(_ texts: MessageTexts) -> JSONValue { request.wire(texts) }

    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue { .members(("proof", .string(reply))) }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        try reply.text("proof")
    }
}

/// Renews the tokens of a session now, regardless of their age.
package struct RenewSession: SessionOperation {
    package typealias Reply = SessionSummary
    package static let route = OperationRoute("renew", .post, "/v1/renew", [.isRepeatable, .countsAsUse, .changesTokens])

    package var session: SessionName

    package init(_ session: SessionName) { self.session = session }
    package init(wire: JSONValue) throws(WireError) { session = try WireReader(wire).session() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("session", .string(session.description))) }
}

/// Replaces the token that was sent to a resource with the token that the resource returned. Does nothing if the session has a different
/// token by now.
///
/// Throws `.security` if the resource, the URL that returned the token, does not belong to the session.
package struct AdoptToken: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute(
        "adoption", .post, "/v1/token/adopt", [.isRepeatable, .countsAsUse, .changesTokens])

    package var token: Secret
    package var old: Secret
    package var session: SessionName
    package var resource: WebURL

    package init(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) {
        (self.token, self.old, self.session, self.resource) = (token, old, session, resource)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        token = try reader.secret("token")
        old = try reader.secret("in_place_of")
        session = try reader.session()
        resource = try reader.url("resource")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("session", .string(session.description)), ("token", .string(token.reveal())), ("in_place_of", .string(old.reveal())),
            ("resource", .string(resource.text)))
    }
}

/// Returns a kept credential; `nil` if there is none that is still usable. Its use is recorded like that of a token.
///
/// Derived credentials are those that other services issued for a session's token. They are sealed with the session, and removed with its
/// grant: at sign-out, at the next sign-in, and when the provider ends it. A provider whose ``TokenPolicy`` is not `allow` has none: each
/// use of its tokens is decided anew.
package struct ReadDerivedCredential: SessionOperation {
    package typealias Reply = DerivedCredential?
    package static let route = OperationRoute(
        "derivedCredential", .post, "/v1/derived-credential", [.isRepeatable, .countsAsUse])

    package var purpose: String
    /// The request for the token that a new credential would need.
    package var request: TokenRequest

    package init(_ purpose: String, _ request: TokenRequest) {
        self.purpose = purpose
        self.request = request
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        purpose = try reader.text("purpose")
        request = try reader.nested("request")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("purpose", .string(purpose)), ("request", request.wire(texts))) }

    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue {
        .members(("credential", reply?.wire(texts) ?? .null))
    }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        reply.value("credential") == nil ? nil : try reply.nested("credential", as: DerivedCredential.self)
    }
}

/// Keeps a credential of a session, in place of an older one for the same purpose.
package struct KeepDerivedCredential: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute(
        "derivedCredentialKeeping", .post, "/v1/derived-credential/keep", [.isRepeatable, .countsAsUse])

    package var credential: DerivedCredential
    package var session: SessionName

    package init(_ credential: DerivedCredential, of session: SessionName) {
        self.credential = credential
        self.session = session
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        session = try reader.session()
        credential = try reader.nested("credential")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("session", .string(session.description)), ("credential", credential.wire(texts)))
    }
}

extension DerivedCredential: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("purpose", .string(purpose)), ("secret", .string(secret.reveal())), ("usable_until", .string(usableUntil.description)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "credential")
        self.init(
            purpose: try reader.text("purpose"), secret: try reader.secret("secret"),
            usableUntil: try reader.required("usable_until") { $0.string.flatMap { Timestamp($0) } })
    }
}

extension SessionService {
    /// Issues a fresh token if the provider's ``TokenPolicy`` allows it.
    package func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken { try await perform(IssueToken(request)) }

    /// Creates the `DPoP` header value for one request to a resource.
    package func proof(_ request: ProofRequest) async throws(AuthFailure) -> String { try await perform(CreateProof(request)) }

    /// Renews the tokens of a session now, regardless of their age.
    package func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary { try await perform(RenewSession(name)) }

    /// Replaces the token that was sent to a resource with the token that the resource returned.
    package func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        try await perform(AdoptToken(token, inPlaceOf: old, in: session, from: resource))
    }

    /// Returns a kept credential; `nil` if there is none that is still usable.
    package func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        try await perform(ReadDerivedCredential(purpose, request))
    }

    /// Keeps a credential of a session, in place of an older one for the same purpose.
    package func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) {
        try await perform(KeepDerivedCredential(credential, of: session))
    }
}

/// A token request. The caller is not part of it, because the kernel reports it.
extension TokenRequest: WireValue {
    /// Maximum size of ``resource``, in bytes. Requests are kept in memory for a while.
    private static let resourceLimit = 8192

    package func wire(_ texts: MessageTexts) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("session", .string(session.description)), .init("kind", .string(wanted.rawValue)),
            .init("min_valid", minimumValidity.wire), .init("renew", .bool(mayRenew)),
            .init("scopes", JSONValue(restrictions.scopes.values)), .init("audience", JSONValue(restrictions.audience)),
            .init("ask", .string(asking.rawValue)), .init("consent", JSONValue(consent?.rawValue)),
        ]
        if let resource { members.append(.init("resource", .string(resource.text))) }
        if let destination { members.append(.init("destination", .string(destination))) }
        if let client { members.append(.init("client_process", .number(client))) }
        if let refused { members.append(.init("refused", .string(refused.reveal()))) }
        if repetitionMeansRefusal { members.append(.init("repetition_means_refusal", true)) }
        if let webServerLogin { members.append(.init("web_server_login", webServerLogin.wire(texts))) }
        return .object(members)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(session: try reader.session())
        if reader.value("kind") != nil { wanted = try reader.word("kind") }
        mayRenew = try reader.optional("renew", \.bool) ?? true
        minimumValidity =
            try reader.optional("min_valid") { value in Duration(wire: value).flatMap { $0 < .zero ? nil : $0 } }
            ?? (mayRenew ? minimumValidity : .zero)
        restrictions = try TokenRestrictions(reader)
        // A launcher of an earlier version has another word.
        asking =
            try reader.optional("ask") { $0.string.flatMap { Asking(rawValue: $0 == "nobody" ? Asking.noPrompt.rawValue : $0) } }
            ?? .service
        consent = try reader.optional("consent") { $0.string.flatMap(Consent.init(rawValue:)) }
        resource = try reader.optional("resource") { $0.string.flatMap { $0.utf8.count <= Self.resourceLimit ? WebURL($0) : nil } }
        destination = try reader.optionalText("destination").map { $0.prefix(bytes: Self.destinationLimit) }
        client = try reader.optional("client_process") { $0.integer.flatMap(Int32.init(exactly:)) }
        refused = try reader.optional("refused") { $0.string.map { Secret($0) } }
        repetitionMeansRefusal = try reader.optional("repetition_means_refusal", \.bool) ?? false
        if reader.value("web_server_login") != nil { webServerLogin = try reader.nested("web_server_login") }
    }
}

extension WebServerLogin: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("origin", .string(origin.description)), ("scheme", .string(scheme.rawValue)), ("username", .string(username)),
            ("password", .string(password.reveal())))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "web_server_login")
        self.init(
            origin: try reader.required("origin") { $0.string.flatMap(WebURL.init)?.origin }, scheme: try reader.word("scheme"),
            username: try reader.text("username"), password: Secret(try reader.text("password")))
    }
}

extension TokenRestrictions {
    /// Maximum size of all scopes, in bytes.
    static let scopeLimit = 8192
    /// Maximum size of an audience, in bytes.
    static let audienceLimit = 2048

    /// Reads the members `scopes` and `audience` of a request or a consent request.
    init(_ reader: WireReader) throws(WireError) {
        // Requests are kept in memory for a while, so their parts are bounded.
        let scopes = try reader.optional("scopes") { value in
            value.strings.flatMap { list in
                list.allSatisfy(ScopeSet.isScope) && list.reduce(0) { $0 + $1.utf8.count + 1 } <= Self.scopeLimit ? list : nil
            }
        }
        let audience = try reader.optional("audience") { $0.string.flatMap { $0.utf8.count <= Self.audienceLimit ? $0 : nil } }
        self.init(scopes: ScopeSet(scopes ?? []), audience: audience)
    }
}

/// An issued token: the only value of the protocol that contains a token.
extension IssuedToken: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        // The warning comes first, so that a reader of the plain form does not misread the object.
        let first: [JSONValue.Member] = warning?.members("warning", texts) ?? []
        let members: [JSONValue.Member] =
            JSONValue.members(
                ("token", .string(token.reveal())), ("token_type", .string(tokenType)), ("expires_at", JSONValue(expiresAt)),
                ("scopes", JSONValue(scopes.values)), ("session", .string(session.description)),
                ("fields", .array(fields.map { .members(("name", .string($0.name)), ("value", .string($0.value))) })),
                ("certificate", certificate?.json ?? .null)
            ).members ?? []
        let last: [JSONValue.Member] = resource.map { [.init("resource", .string($0.text))] } ?? []
        return .object(first + members + last)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            token: Secret(try reader.text("token")), tokenType: try reader.text("token_type"),
            expiresAt: try reader.optionalMoment("expires_at"), scopes: ScopeSet(try reader.texts("scopes")),
            session: try reader.session(),
            fields: try reader.optional("fields", \.array)?.compactMap { field in
                field["name"]?.string.flatMap { name in field["value"]?.string.map { Field(name, $0) } }
            } ?? [], certificate: try reader.optional("certificate") { ServerCertificate(json: $0) })
        warning = try reader.optionalMessage("warning")
        resource = try reader.optionalURL("resource")
    }
}

extension ProofRequest: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("session", .string(session.description)), ("token", .string(accessToken.reveal())), ("method", .string(method)),
            ("url", .string(url.text)), ("nonce", JSONValue(nonce)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            session: try reader.session(), accessToken: Secret(try reader.text("token")), method: try reader.text("method"),
            url: try reader.url("url"), nonce: try reader.optionalText("nonce"))
    }
}
