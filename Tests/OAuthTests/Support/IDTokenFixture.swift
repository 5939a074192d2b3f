import AuthModel
@testable import OAuth

/// An issuer with one RSA and one EC key, a client that expects an ID token, and a valid token; tests change one thing at a time.
struct IDTokenFixture {
    static let rsa = try? Signer.rsa()
    static let ec = Signer.p256()

    var nonce: Secret? = Secret("the-nonce")
    var maxAge: Int?
    var algorithms: [String]? = ["RS256", "ES256"]

    static var claims: JSONValue {
        let now = Fixture.now.seconds
        return .object([
            .init("iss", .string(Fixture.issuerText)), .init("sub", "ada"), .init("aud", .string(Fixture.clientID)),
            .init("exp", .number(now + 300)), .init("iat", .number(now)), .init("nonce", "the-nonce"),
        ])
    }

    static func keys(_ entries: [JSONValue]) throws -> KeySet {
        try KeySet(document: ["keys": .array(entries)], host: "keys.example.org")
    }

    static func validKeys() throws -> KeySet {
        try keys([Fixture.required(rsa).jwk(), ec.jwk()])
    }

    func validator() throws -> IDTokenValidator {
        IDTokenValidator(
            issuer: try Fixture.issuer, clientID: Fixture.clientID, announcedAlgorithms: algorithms, nonce: nonce, maxAge: maxAge)
    }

    /// Signs the valid claims with changes, and validates the token.
    func validate(
        _ changes: [JSONValue.Member] = [], header: [JSONValue.Member] = [], signer: Signer = ec, algorithm: String = "ES256",
        keys: KeySet? = nil, now: Timestamp = Fixture.now
    ) throws -> IDToken {
        let token = try signer.token(Self.claims.replacing(changes), algorithm: algorithm, header: header)
        return try validate(text: token, keys: keys, now: now)
    }

    func validate(text: String?, keys: KeySet? = nil, now: Timestamp = Fixture.now) throws -> IDToken {
        try validator().validate(
            text.map { Secret($0) }, accessToken: Fixture.accessToken, keys: try keys ?? Self.validKeys(), now: now)
    }

    func tokenError(
        _ changes: [JSONValue.Member] = [], header: [JSONValue.Member] = [], signer: Signer = ec, algorithm: String = "ES256",
        keys: KeySet? = nil
    ) -> TokenError? {
        Fixture.tokenError { try validate(changes, header: header, signer: signer, algorithm: algorithm, keys: keys) }
    }
}
