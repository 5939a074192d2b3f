import AuthModel

/// A token request. The caller is not part of it, because the kernel reports it.
extension TokenRequest: WireValue {
    /// Maximum size of ``resource``, in bytes. Requests are kept in memory for a while.
    private static let resourceLimit = 8192

    var wire: JSONValue {
        var members: [JSONValue.Member] = [
            .init("session", .string(session.description)), .init("kind", .string(wanted.rawValue)),
            .init("min_valid", minimumValidity.wire), .init("renew", .bool(mayRenew)),
            .init("scopes", JSONValue(restrictions.scopes.values)), .init("audience", JSONValue(restrictions.audience)),
            .init("ask", .string(asking.rawValue)), .init("consent", JSONValue(consent?.rawValue)),
        ]
        if let resource { members.append(.init("resource", .string(resource.text))) }
        if let destination { members.append(.init("destination", .string(destination))) }
        if let refused { members.append(.init("refused", .string(refused.reveal()))) }
        if repetitionMeansRefusal { members.append(.init("repetition_means_refusal", true)) }
        if let webServerLogin { members.append(.init("web_server_login", webServerLogin.wire)) }
        return .object(members)
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(session: try reader.session())
        if reader.value("kind") != nil { wanted = try reader.word("kind") }
        mayRenew = try reader.optional("renew", \.bool) ?? true
        minimumValidity =
            try reader.optional("min_valid") { value in Duration(wire: value).flatMap { $0 < .zero ? nil : $0 } }
            ?? (mayRenew ? minimumValidity : .zero)
        restrictions = try TokenRestrictions(reader)
        asking = try reader.optional("ask") { $0.string.flatMap(Asking.init(rawValue:)) } ?? .service
        consent = try reader.optional("consent") { $0.string.flatMap(Consent.init(rawValue:)) }
        resource = try reader.optional("resource") { $0.string.flatMap { $0.utf8.count <= Self.resourceLimit ? WebURL($0) : nil } }
        destination = try reader.optionalText("destination").map { $0.prefix(bytes: Self.destinationLimit) }
        refused = try reader.optional("refused") { $0.string.map { Secret($0) } }
        repetitionMeansRefusal = try reader.optional("repetition_means_refusal", \.bool) ?? false
        if reader.value("web_server_login") != nil { webServerLogin = try reader.nested("web_server_login") }
    }
}

extension WebServerLogin: WireValue {
    var wire: JSONValue {
        .members(
            ("origin", .string(origin.description)), ("scheme", .string(scheme.rawValue)), ("username", .string(username)),
            ("password", .string(password.reveal())))
    }

    init(wire: JSONValue) throws(WireError) {
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
    var wire: JSONValue {
        // The warning comes first, so that a reader of the plain form does not misread the object.
        let first: [JSONValue.Member] = warning?.members("warning") ?? []
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

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            token: Secret(try reader.text("token")), tokenType: try reader.text("token_type"),
            expiresAt: try reader.optionalMoment("expires_at"), scopes: ScopeSet(try reader.texts("scopes")),
            session: try reader.session(),
            fields: try reader.optional("fields", \.array)?.compactMap { field in
                field["name"]?.string.flatMap { name in field["value"]?.string.map { Field(name, $0) } }
            } ?? [], certificate: try reader.optional("certificate") { ServerCertificate(json: $0) })
        warning = try reader.optionalMessage("warning")
        resource = try reader.optional("resource") { $0.string.flatMap(WebURL.init) }
    }
}

/// A credential that the store keeps for a session.
extension DerivedCredential: WireValue {
    var wire: JSONValue {
        .members(
            ("purpose", .string(purpose)), ("secret", .string(secret.reveal())), ("usable_until", .string(usableUntil.description)))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "credential")
        self.init(
            purpose: try reader.text("purpose"), secret: Secret(try reader.text("secret")),
            usableUntil: try reader.required("usable_until") { $0.string.flatMap { Timestamp($0) } })
    }
}

/// The seal's state, and whether a passphrase unlocks it.
struct SealReport: WireValue, Equatable {
    var state: SealState
    var needsPassphrase: Bool

    init(state: SealState, needsPassphrase: Bool) {
        self.state = state
        self.needsPassphrase = needsPassphrase
    }

    var wire: JSONValue { .object((state.wire.members ?? []) + [JSONValue.Member("takes_passphrase", .bool(needsPassphrase))]) }

    init(wire: JSONValue) throws(WireError) {
        state = try SealState(wire: wire)
        needsPassphrase = try WireReader(wire, "seal").optional("takes_passphrase", \.bool) ?? true
    }
}

extension SealState: WireValue {
    var wire: JSONValue {
        switch self {
        case .unlocked: .members(("locked", false))
        case .locked(let isNew): .members(("locked", true), ("new", .bool(isNew)))
        }
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "seal")
        self = try reader.flag("locked") ? .locked(isNew: try reader.optional("new", \.bool) ?? false) : .unlocked
    }
}
