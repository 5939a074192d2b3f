import AuthModel
import Crypto
import CryptoExtras
@testable import OAuth

/// A key of the tests' own provider, with its public JWK.
struct Signer: Sendable {
    enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    let key: Key
    let keyID: String?

    static func rsa(_ keyID: String? = "rsa", bits: Int = 2048) throws -> Signer {
        Signer(key: .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits))), keyID: keyID)
    }
    static func p256(_ keyID: String? = "p256") -> Signer { Signer(key: .p256(.init()), keyID: keyID) }
    static func p384(_ keyID: String? = "p384") -> Signer { Signer(key: .p384(.init()), keyID: keyID) }
    static func p521(_ keyID: String? = "p521") -> Signer { Signer(key: .p521(.init()), keyID: keyID) }
    static func ed25519(_ keyID: String? = "ed") -> Signer { Signer(key: .ed25519(.init()), keyID: keyID) }

    /// Returns the public key as a JWK; `extra` replaces or adds members.
    func jwk(_ extra: [JSONValue.Member] = []) throws -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ bytes: some Sequence<UInt8>) { members.append(.init(name, .string(Base64URL.encode(bytes)))) }
        func curve(_ name: String, _ point: [UInt8]) {
            members += [.init("kty", "EC"), .init("crv", .string(name))]
            add("x", point.dropFirst().prefix(point.count / 2))
            add("y", point.suffix(point.count / 2))
        }
        switch key {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            members.append(.init("kty", "RSA"))
            add("n", numbers.modulus)
            add("e", numbers.publicExponent)
        case .p256(let key): curve("P-256", Array(key.publicKey.x963Representation))
        case .p384(let key): curve("P-384", Array(key.publicKey.x963Representation))
        case .p521(let key): curve("P-521", Array(key.publicKey.x963Representation))
        case .ed25519(let key):
            members += [.init("kty", "OKP"), .init("crv", "Ed25519")]
            add("x", key.publicKey.rawRepresentation)
        }
        if let keyID { members.append(.init("kid", .string(keyID))) }
        return .object(members.filter { member in !extra.contains { $0.name == member.name } } + extra)
    }

    func signature(_ input: [UInt8], _ algorithm: String) throws -> [UInt8] {
        switch (key, algorithm) {
        case (.rsa(let key), "RS256"):
            Array(try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), "RS384"):
            Array(try key.signature(for: SHA384.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), "RS512"):
            Array(try key.signature(for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), "PS256"): Array(try key.signature(for: SHA256.hash(data: input), padding: .PSS).rawRepresentation)
        case (.rsa(let key), "PS384"): Array(try key.signature(for: SHA384.hash(data: input), padding: .PSS).rawRepresentation)
        case (.rsa(let key), _): Array(try key.signature(for: SHA512.hash(data: input), padding: .PSS).rawRepresentation)
        case (.p256(let key), _): Array(try key.signature(for: input).rawRepresentation)
        case (.p384(let key), _): Array(try key.signature(for: input).rawRepresentation)
        case (.p521(let key), _): Array(try key.signature(for: input).rawRepresentation)
        case (.ed25519(let key), _): Array(try key.signature(for: input))
        }
    }

    /// Returns a compact JWT; `header` replaces or adds members.
    func token(_ claims: JSONValue, algorithm: String, header: [JSONValue.Member] = []) throws -> String {
        var members: [JSONValue.Member] = [.init("alg", .string(algorithm))]
        if let keyID { members.append(.init("kid", .string(keyID))) }
        members = members.filter { member in !header.contains { $0.name == member.name } } + header.filter { $0.value != .null }
        let input = Base64URL.encode(JSONValue.object(members).text.utf8) + "." + Base64URL.encode(claims.text.utf8)
        return input + "." + Base64URL.encode(try signature(Array(input.utf8), algorithm))
    }
}
