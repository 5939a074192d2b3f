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
/// grant: at sign-out, at the next sign-in, and when the provider ends it. A provider whose ``TokenPolicy`` is not `allow` has none: each use
/// of its tokens is decided anew.
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
