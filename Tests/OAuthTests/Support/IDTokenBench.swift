import AuthModel
@testable import OAuth

/// An issuer with one RSA and one EC key, a client that waits for an ID token, and the honest token; tests spoil one thing at a time.
struct IDTokenBench {
    static let rsa = try? Signer.rsa()
    static let ec = Signer.p256()

    var nonce: Secret? = Secret("the-nonce")
    var maxAge: Int?
    var algorithms: [String]? = ["RS256", "ES256"]

    static var claims: JSONValue {
        let now = World.now.seconds
        return .object([
            .init("iss", .string(World.issuerText)), .init("sub", "ada"), .init("aud", .string(World.clientID)),
            .init("exp", .number(now + 300)), .init("iat", .number(now)), .init("nonce", "the-nonce"),
        ])
    }

    static func keys(_ entries: [JSONValue]) throws -> KeySet {
        try KeySet(document: ["keys": .array(entries)], host: "keys.example.org")
    }

    static func honestKeys() throws -> KeySet {
        try keys([World.required(rsa).jwk(), ec.jwk()])
    }

    func validator() throws -> IDTokenValidator {
        IDTokenValidator(
            issuer: try World.issuer, clientID: World.clientID, announcedAlgorithms: algorithms, nonce: nonce, maxAge: maxAge)
    }

    /// Signs the honest claims with changes, and validates them.
    func validate(
        _ changes: [JSONValue.Member] = [], header: [JSONValue.Member] = [], signer: Signer = ec, algorithm: String = "ES256",
        keys: KeySet? = nil, now: Timestamp = World.now
    ) throws -> IDToken {
        let token = try signer.token(Self.claims.replacing(changes), algorithm: algorithm, header: header)
        return try validate(text: token, keys: keys, now: now)
    }

    func validate(text: String?, keys: KeySet? = nil, now: Timestamp = World.now) throws -> IDToken {
        try validator().validate(
            text.map { Secret($0) }, accessToken: World.accessToken, keys: try keys ?? Self.honestKeys(), now: now)
    }

    func flaw(
        _ changes: [JSONValue.Member] = [], header: [JSONValue.Member] = [], signer: Signer = ec, algorithm: String = "ES256",
        keys: KeySet? = nil
    ) -> TokenError? {
        World.flaw { try validate(changes, header: header, signer: signer, algorithm: algorithm, keys: keys) }
    }
}
