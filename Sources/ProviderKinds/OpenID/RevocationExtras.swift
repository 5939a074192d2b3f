internal import AuthEngine
internal import AuthModel

/// The data of a queued revocation other than the request. The issuer is recorded, because the provider's name may mean another one later.
struct RevocationExtras {
    /// The issuer of the token.
    var issuer: String?

    init(issuer: String) { self.issuer = issuer }

    init(_ extras: JSONValue) { issuer = extras["issuer"]?.string }

    var json: JSONValue { .object(issuer.map { [.init("issuer", .string($0))] } ?? []) }
}
