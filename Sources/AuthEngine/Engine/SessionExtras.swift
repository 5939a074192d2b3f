package import AuthModel
package import OAuth

/// The data of an OpenID Connect or OAuth 2 session other than its tokens, sealed together with them.
package struct SessionExtras: Sendable {
    /// The algorithm and the key ID of the ID token's signature.
    package var idTokenAlgorithm: String?
    package var idTokenKeyID: String?
    /// The revocation endpoint, for use when the provider cannot be asked.
    package var revocationEndpoint: WebURL?
    /// The key that the tokens are bound to (RFC 9449).
    package var proofKey: ProofKeyPair?
    /// The resources that the tokens are for (RFC 8707).
    package var resources: [String] = []
    /// The session that this one was made from.
    package var base: SessionName?
    /// The issuer of the account that this session was made from.
    package var baseIssuer: String?
    /// The session's own API host, which the token response named: `api_host_from`.
    package var apiHost: WebURL?
    /// Whether the last renewal brought no ID token. The next one is then unlikely to bring one.
    package var isRenewedWithoutIDToken = false

    package init() {}

    package init(_ extras: JSONValue) {
        idTokenAlgorithm = extras["id_token_alg"]?.string
        idTokenKeyID = extras["id_token_kid"]?.string
        revocationEndpoint = extras["revocation_endpoint"]?.string.flatMap(WebURL.init)
        proofKey = extras["dpop_key"]?.string.flatMap { ProofKeyPair(privateKey: Secret($0)) }
        resources = extras["resources"]?.strings ?? []
        base = extras["from"]?.string.flatMap { SessionName($0) }
        baseIssuer = extras["from_issuer"]?.string
        apiHost = extras["api_host"]?.string.flatMap(WebURL.init)
        isRenewedWithoutIDToken = extras["renewed_without_id_token"]?.bool ?? false
    }

    /// The JSON value that is stored in the session's record.
    package var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let idTokenAlgorithm { members.append(.init("id_token_alg", .string(idTokenAlgorithm))) }
        if let idTokenKeyID { members.append(.init("id_token_kid", .string(idTokenKeyID))) }
        if let revocationEndpoint { members.append(.init("revocation_endpoint", .string(revocationEndpoint.text))) }
        if let proofKey { members.append(.init("dpop_key", .string(proofKey.privateKey.reveal()))) }
        if !resources.isEmpty { members.append(.init("resources", .array(resources.map(JSONValue.string)))) }
        if let base { members.append(.init("from", .string(base.description))) }
        if let baseIssuer { members.append(.init("from_issuer", .string(baseIssuer))) }
        if let apiHost { members.append(.init("api_host", .string(apiHost.text))) }
        if isRenewedWithoutIDToken { members.append(.init("renewed_without_id_token", true)) }
        return .object(members)
    }

    /// Records a verified ID token.
    package mutating func note(_ idToken: IDToken) {
        idTokenAlgorithm = idToken.algorithm.rawValue
        idTokenKeyID = idToken.keyID
        isRenewedWithoutIDToken = false
    }
}
