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
