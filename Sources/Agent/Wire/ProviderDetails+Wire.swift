import AuthModel

extension ProviderDetails: WireValue {
    var wire: JSONValue {
        .members(
            ("sign_in_required", .bool(isSignInRequired)), ("issuer", JSONValue(issuer?.text)), ("scopes", JSONValue(scopes.values)),
            ("clients", clients.wire))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "details")
        self.init(
            isSignInRequired: try reader.flag("sign_in_required"),
            issuer: try reader.optional("issuer") { $0.string.flatMap(Issuer.init(_:)) }, scopes: ScopeSet(try reader.texts("scopes")),
            clients: try reader.readable("clients").values)
    }
}

extension ProviderDetails.Client: WireValue {
    var wire: JSONValue { .members(("id", .string(id)), ("identity_providers", JSONValue(identityProviders))) }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "client")
        self.init(id: try reader.text("id"), identityProviders: try reader.texts("identity_providers"))
    }
}
