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
