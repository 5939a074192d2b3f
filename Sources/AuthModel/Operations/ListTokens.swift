/// Returns the tokens of a session, as far as they may be shown, in the order access, refresh, ID. May query the provider about opaque
/// tokens (RFC 7662); ``ShowSession`` never does.
package struct ListTokens: ListOperation {
    package typealias Element = TokenView
    package typealias Reply = [Element]
    package static let route = OperationRoute("tokens", .get, "/v1/session/tokens", [.isRepeatable, .countsAsUse])
    package static let member = "tokens"

    package var session: SessionName

    package init(of session: SessionName) { self.session = session }
    package init(wire: JSONValue) throws(WireError) { session = try WireReader(wire).sessionInQuery() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("name", .string(session.description))) }
}

/// Returns the tokens that the provider lists for the session's user, regardless of where they were issued. Throws `.configuration` if the
/// provider does not list tokens.
package struct ListRemoteTokens: ListOperation {
    package typealias Element = RemoteToken
    package typealias Reply = [Element]
    package static let route = OperationRoute("remoteTokens", .get, "/v1/session/remote-tokens", [.isRepeatable, .countsAsUse])
    package static let member = "tokens"

    package var session: SessionName

    package init(of session: SessionName) { self.session = session }
    package init(wire: JSONValue) throws(WireError) { session = try WireReader(wire).sessionInQuery() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("name", .string(session.description))) }
}

/// Revokes one of the tokens of ``ListRemoteTokens`` at the provider. If it is the session's own access token, the session is revoked with
/// its refresh token. If it is the refresh token, the session can no longer be renewed.
package struct RevokeRemoteToken: SessionOperation {
    package typealias Reply = SessionSummary
    package static let route = OperationRoute(
        "remoteRevocation", .post, "/v1/session/remote-tokens/revoke", [.countsAsUse, .changesTokens])

    package var id: String
    package var session: SessionName

    package init(_ id: String, of session: SessionName) {
        self.id = id
        self.session = session
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        session = try reader.session()
        id = try reader.text("id")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("session", .string(session.description)), ("id", .string(id))) }
}

/// Decodes a JWT, and verifies it if its issuer is a configured provider. May fetch the keys of that provider.
package struct InspectToken: SessionOperation {
    package typealias Reply = TokenView
    package static let route = OperationRoute("inspect", .post, "/v1/inspect", [.isRepeatable])

    package var token: Secret
    /// The only provider that may have issued the token. An opaque token is sent to it for introspection (RFC 7662). `nil` allows any
    /// provider; an opaque token is then sent to none.
    package var provider: ProviderName?

    package init(_ token: Secret, at provider: ProviderName?) {
        self.token = token
        self.provider = provider
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        token = try reader.secret("token")
        provider = try reader.optional("provider") { $0.string.flatMap { ProviderName($0) } }
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("token", .string(token.reveal())), ("provider", JSONValue(provider?.text)))
    }
}

extension SessionService {
    /// Returns the tokens of a session, as far as they may be shown.
    package func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] { try await perform(ListTokens(of: name)) }

    /// Returns the tokens that the provider lists for the session's user.
    package func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        try await perform(ListRemoteTokens(of: name))
    }

    /// Revokes one of the tokens that the provider lists.
    package func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        try await perform(RevokeRemoteToken(id, of: name))
    }

    /// Decodes a JWT, and verifies it if its issuer is a configured provider.
    package func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        try await perform(InspectToken(token, at: provider))
    }
}
