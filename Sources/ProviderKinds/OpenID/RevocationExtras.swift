internal import AuthEngine
internal import AuthModel

/// The data of a queued revocation other than the request. The issuer is recorded, because the provider's name may mean another one later.
struct RevocationExtras {
    /// The issuer of the token.
    var issuer: String?
    /// The form of the request.
    var form = ProviderDialect.RevocationForm.standard

    init(issuer: String, form: ProviderDialect.RevocationForm) {
        self.issuer = issuer
        self.form = form
    }

    init(_ extras: JSONValue) {
        issuer = extras["issuer"]?.string
        form = extras["form"]?.string.flatMap(ProviderDialect.RevocationForm.init) ?? .standard
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let issuer { members.append(.init("issuer", .string(issuer))) }
        if form != .standard { members.append(.init("form", .string(form.rawValue))) }
        return .object(members)
    }
}
