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

/// A session as in `yett status --json`, with additional members.
extension SessionSummary: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("session", .string(name.description)), ("provider", .string(name.provider.text)), ("account", JSONValue(name.account)),
            ("issuer", JSONValue(issuer)), ("subject", JSONValue(subject)), ("settled_state", .string(recordedState.rawValue)),
            ("access_expires_at", JSONValue(accessExpiresAt)), ("refresh_expires_at", JSONValue(refreshExpiresAt)),
            ("renewable", .bool(isRenewable)), ("next_renewal_at", JSONValue(nextRenewalAt)), ("scopes", JSONValue(scopes.values)),
            ("granted_at", grantedAt.wire), ("received_at", receivedAt.wire), ("last_used_at", JSONValue(lastUsedAt))
        ).with(lastUsedBy?.members("last_used_by", texts) ?? [.init("last_used_by", .null)]).with(warnings.members("warnings", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "session")
        self.init(
            name: try reader.session(), issuer: try reader.optionalText("issuer"), subject: try reader.optionalText("subject"),
            recordedState: try reader.word("settled_state"), accessExpiresAt: try reader.optionalMoment("access_expires_at"),
            refreshExpiresAt: try reader.optionalMoment("refresh_expires_at"), isRenewable: try reader.flag("renewable"),
            nextRenewalAt: try reader.optionalMoment("next_renewal_at"), scopes: ScopeSet(try reader.texts("scopes")),
            grantedAt: try reader.moment("granted_at"), receivedAt: try reader.moment("received_at"),
            lastUsedAt: try reader.optionalMoment("last_used_at"), lastUsedBy: try reader.optionalMessage("last_used_by"),
            warnings: try reader.messages("warnings"))
    }
}

extension SessionDetail: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("summary", summary.wire(texts)), ("identity", identity.wire(texts)), ("client_id", .string(clientID)),
            ("tokens", tokens.wire(texts)),
            ("api_hosts", JSONValue(apiHosts)), ("resources", JSONValue(resources)), ("actions", actions.wire(texts)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "session")
        self.init(
            summary: try reader.nested("summary"), identity: try reader.nested("identity"), clientID: try reader.text("client_id"),
            tokens: try reader.readable("tokens"), apiHosts: try reader.texts("api_hosts"),
            resources: try reader.optional("resources", \.strings) ?? [])
        if reader.value("actions") != nil { actions = try reader.readable("actions") }
    }
}

extension SessionCapability: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("name", .string(name)), ("needs_sign_in", .bool(needsSignIn))) }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "action")
        self.init(try reader.text("name"), needsSignIn: try reader.flag("needs_sign_in"))
    }
}

extension RemoteToken: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("id", .string(id)), ("suffix", JSONValue(suffix)), ("kind", JSONValue(kind)), ("scopes", JSONValue(scopes.values)),
            ("issued_at", JSONValue(issuedAt)), ("expires_at", JSONValue(expiresAt)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "token")
        self.init(
            id: try reader.text("id"), suffix: try reader.optionalText("suffix"), kind: try reader.optionalText("kind"),
            scopes: ScopeSet(try reader.texts("scopes")), issuedAt: try reader.optionalMoment("issued_at"),
            expiresAt: try reader.optionalMoment("expires_at"))
    }
}

extension Identity: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("issuer", .string(issuer)), ("subject", .string(subject)), ("id_token_claims", idTokenClaims), ("userinfo", userInfo))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "identity")
        self.init(
            issuer: try reader.text("issuer"), subject: try reader.text("subject"),
            idTokenClaims: reader.value("id_token_claims") ?? .object([]), userInfo: reader.value("userinfo") ?? .object([]))
    }
}

/// A view of a token, which never contains the token.
extension TokenView: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("kind", .string(kind.rawValue)), ("expires_at", JSONValue(expiresAt)), ("header", header ?? .null),
            ("claims", claims ?? .null), ("former_claims", formerClaims ?? .null), ("verification", verification.wire(texts))
        ).with(redacted.members("redacted", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "token")
        self.init(
            kind: try reader.word("kind"), redacted: try reader.message("redacted"), expiresAt: try reader.optionalMoment("expires_at"),
            header: reader.value("header"), claims: reader.value("claims"), verification: try reader.nested("verification"))
        formerClaims = reader.value("former_claims")
    }
}

extension TokenView.Verification: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .opaque: .members(("outcome", "opaque"))
        case .verified(let algorithm, let keyID):
            .members(("outcome", "verified"), ("algorithm", .string(algorithm)), ("key_id", JSONValue(keyID)))
        case .unverified(let reason): .members(("outcome", "unverified")).with(reason.members("reason", texts))
        case .refused(let reason): .members(("outcome", "refused")).with(reason.members("reason", texts))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "verification")
        switch try reader.text("outcome") {
        case "opaque": self = .opaque
        case "verified": self = .verified(algorithm: try reader.text("algorithm"), keyID: try reader.optionalText("key_id"))
        case "refused": self = .refused(reason: try reader.message("reason"))
        case "unverified": self = .unverified(reason: try reader.message("reason"))
        default: throw WireError(place: "outcome")
        }
    }
}

extension ProviderSummary: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("provider", .string(name.text)), ("kind", .string(kind.rawValue)), ("address", .string(address)),
            ("scopes", JSONValue(scopes.values)), ("offers_sign_up", offersSignUp.map(JSONValue.bool) ?? .null),
            ("accounts", JSONValue(accounts)), ("sign_in_label", JSONValue(labels.signIn)), ("sign_up_label", JSONValue(labels.signUp)),
            ("prompts_guests", .bool(promptsGuests)), ("guest_prompt", JSONValue(labels.guestPrompt)),
            ("ends_with_process", .bool(endsWithProcess)), ("active_account", JSONValue(defaultAccount)),
            ("base", JSONValue(base?.description)), ("revokes", .bool(revokes)), ("has_browser_session", .bool(hasBrowserSession)),
            ("has_roles", .bool(hasRoles)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "provider")
        self.init(
            name: try reader.provider(), kind: try reader.word("kind"), address: try reader.text("address"),
            scopes: ScopeSet(try reader.texts("scopes")), offersSignUp: try reader.optional("offers_sign_up", \.bool),
            accounts: try reader.texts("accounts"),
            labels: ProviderLabels(
                signIn: try reader.optionalText("sign_in_label"), signUp: try reader.optionalText("sign_up_label"),
                guestPrompt: try reader.optionalText("guest_prompt")),
            promptsGuests: try reader.optional("prompts_guests", \.bool) ?? true)
        endsWithProcess = try reader.optional("ends_with_process", \.bool) ?? false
        revokes = try reader.optional("revokes", \.bool) ?? true
        hasBrowserSession = try reader.optional("has_browser_session", \.bool) ?? true
        hasRoles = try reader.optional("has_roles", \.bool) ?? false
        defaultAccount = try reader.optionalText("active_account")
        base = try reader.optional("base") { $0.string.flatMap(SessionName.init(_:)) }
    }
}

extension ProviderDetails: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("sign_in_required", .bool(isSignInRequired)), ("issuer", JSONValue(issuer?.text)), ("scopes", JSONValue(scopes.values)),
            ("clients", clients.wire(texts)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "details")
        self.init(
            isSignInRequired: try reader.flag("sign_in_required"),
            issuer: try reader.optional("issuer") { $0.string.flatMap(Issuer.init(_:)) }, scopes: ScopeSet(try reader.texts("scopes")),
            clients: try reader.readable("clients"))
    }
}

extension ProviderDetails.Client: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("id", .string(id)), ("identity_providers", JSONValue(identityProviders)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "client")
        self.init(id: try reader.text("id"), identityProviders: try reader.texts("identity_providers"))
    }
}
