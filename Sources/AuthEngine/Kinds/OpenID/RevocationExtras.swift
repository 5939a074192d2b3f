internal import AuthModel

/// What is remembered of a revocation beside the request: whose token it is, for the time when the provider's name means another one.
struct RevocationExtras {
    /// The issuer that gave the token.
    var issuer: String?

    init(issuer: String) { self.issuer = issuer }

    init(_ extras: JSONValue) { issuer = extras["issuer"]?.string }

    var json: JSONValue { .object(issuer.map { [.init("issuer", .string($0))] } ?? []) }
}
