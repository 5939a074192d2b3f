/// Lists the configured providers, sorted by name.
package struct ListProviders: ListOperation, PlainOperation {
    package typealias Element = ProviderSummary
    package typealias Reply = [Element]
    package static let route = OperationRoute(
        "providers", .get, "/v1/providers", [.worksWhileLocked, .isRepeatable, .isQuick, .isForwarded])
    package static let member = "providers"

    package init() {}
}

/// Reads details of a provider for a sign-in there; `nil` if the standard metadata is sufficient.
package struct ReadProviderDetails: SessionOperation {
    package typealias Reply = ProviderDetails?
    package static let route = OperationRoute("details", .get, "/v1/details", [.worksWhileLocked, .isRepeatable])

    package var provider: ProviderName

    package init(_ provider: ProviderName) { self.provider = provider }

    package init(wire: JSONValue) throws(WireError) {
        guard let provider = wire["provider"]?.string.flatMap(ProviderName.init(_:)) else {
            throw WireError(place: "provider", AuthFailure(.usage, "agent.query_needs_provider", hint: "hint.use_details_query"))
        }
        self.provider = provider
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("provider", .string(provider.text))) }

    package static func encode(_ reply: Reply, _ texts: MessageTexts) -> JSONValue { .members(("details", reply?.wire(texts) ?? .null)) }
    package static func decode(_ reply: WireReader, skipped: (SkippedElement) -> Void) throws(WireError) -> Reply {
        reply.value("details") == nil ? nil : try reply.nested("details", as: ProviderDetails.self)
    }
}

/// Lists all sessions, sorted by name. Uses no network, and works while the store is locked.
package struct ListSessions: ListOperation, PlainOperation {
    package typealias Element = SessionSummary
    package typealias Reply = [Element]
    package static let route = OperationRoute("sessions", .get, "/v1/sessions", [.worksWhileLocked, .isRepeatable, .isQuick, .isForwarded])
    package static let member = "sessions"

    package init() {}
}

/// Returns one session with its verified claims. `PROVIDER` alone names the only session there, or that of the default account.
package struct ShowSession: SessionOperation {
    package typealias Reply = SessionDetail
    package static let route = OperationRoute("session", .get, "/v1/session", [.isRepeatable, .countsAsUse])

    package var session: SessionName

    package init(_ session: SessionName) { self.session = session }
    package init(wire: JSONValue) throws(WireError) { session = try WireReader(wire).sessionInQuery() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("name", .string(session.description))) }
}

/// Makes an account the default account of its provider, for when several accounts are signed in; `nil` clears the default. Throws
/// `.notSignedIn` if the account has no session.
package struct ChooseDefaultAccount: SessionOperation {
    package typealias Reply = Void
    // A token that was cached under the provider's name alone may belong to another account.
    package static let route = OperationRoute(
        "activation", .post, "/v1/active-account", [.isRepeatable, .countsAsUse, .changesTokens])

    package var account: String?
    package var provider: ProviderName

    package init(_ account: String?, at provider: ProviderName) {
        self.account = account
        self.provider = provider
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        provider = try reader.provider()
        account = try reader.optionalText("account")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("provider", .string(provider.text)), ("account", JSONValue(account)))
    }
}

extension WireReader {
    func sessionInQuery() throws(WireError) -> SessionName {
        guard let name = value("name")?.string.flatMap(SessionName.init(_:)) else {
            throw WireError(place: "name", AuthFailure(.usage, "agent.query_needs_session", hint: "hint.use_session_query"))
        }
        return name
    }
}

extension SessionService {
    /// Returns the configured providers, sorted by name.
    package func providers() async throws(AuthFailure) -> [ProviderSummary] { try await perform(ListProviders()) }

    /// Returns provider-specific sign-in details; `nil` if the standard metadata is sufficient.
    package func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        try await perform(ReadProviderDetails(provider))
    }

    /// Returns all sessions, sorted by name. Uses no network, and works while the store is locked.
    package func sessions() async throws(AuthFailure) -> [SessionSummary] { try await perform(ListSessions()) }

    /// Returns one session with its verified claims.
    package func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail { try await perform(ShowSession(name)) }

    /// Makes an account the default account of its provider; `nil` clears the default.
    package func makeDefault(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        try await perform(ChooseDefaultAccount(account, at: provider))
    }
}
