import AuthModel
import Crypto
import Localization
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Signatures, algorithms and keys of ID tokens.
@Suite struct IDTokenSignatureTests {
    private let fixture = IDTokenFixture()

    @Test(arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"])
    func verifiesEachAlgorithm(_ algorithm: String) throws {
        var fixture = fixture
        fixture.algorithms = [algorithm]
        let signer: Signer =
            switch algorithm {
            case "ES256": .p256()
            case "ES384": .p384()
            case "ES512": .p521()
            case "EdDSA", "Ed25519": .ed25519()
            default: try Fixture.required(IDTokenFixture.rsa)
            }
        let keys = try IDTokenFixture.keys([signer.jwk()])
        #expect(try fixture.validate(signer: signer, algorithm: algorithm, keys: keys).algorithm.rawValue == algorithm)
        let token = try signer.token(IDTokenFixture.claims, algorithm: algorithm)
        let dot = try Fixture.required(token.lastIndex(of: "."))
        let signature = try Fixture.required(Base64URL.decode(token[token.index(after: dot)...]))
        // RP-13, RP-25: every byte of the signature inverted by the suite's mask.
        let changed = token[...dot] + Base64URL.encode(signature.map { $0 ^ 0x5A })
        #expect(Fixture.tokenError { try fixture.validate(text: String(changed), keys: keys) } == .badSignature)
        // RPX-02: the signature truncated, and missing.
        let short = token[...dot] + Base64URL.encode(signature.dropLast())
        #expect(Fixture.tokenError { try fixture.validate(text: String(short), keys: keys) } == .badSignature)
        #expect(Fixture.tokenError { try fixture.validate(text: String(token[...dot]), keys: keys) } == .badSignature)
        #expect(Fixture.tokenError { try fixture.validate(text: String(token[..<dot]), keys: keys) } == .malformed)
    }

    @Test("RPX-01 RP-10 FAPI-09: no spelling of none", arguments: ["none", "None", "nOnE", "NONE", ""])
    func refusesNone(_ algorithm: String) {
        let head = Base64URL.encode(JSONValue.object([Member("alg", .string(algorithm))]).text.utf8)
        let text = head + "." + Base64URL.encode(IDTokenFixture.claims.text.utf8) + "."
        var fixture = fixture
        fixture.algorithms = [algorithm, "RS256"]
        #expect(Fixture.tokenError { try fixture.validate(text: text) } == .algorithmNotAllowed)
    }

    @Test("RPX-03 RPX-16 RP-24: a MAC is refused with any key", arguments: ["HS256", "HS384", "HS512"])
    func refusesMACs(_ algorithm: String) throws {
        let oct: JSONValue = ["kty": "oct", "kid": "p256", "k": "c2VjcmV0"]
        var fixture = fixture
        fixture.algorithms = [algorithm, "ES256"]
        let keys = try IDTokenFixture.keys([oct, IDTokenFixture.ec.jwk()])
        let head = Base64URL.encode(JSONValue.object([Member("alg", .string(algorithm)), Member("kid", "p256")]).text.utf8)
        let input = head + "." + Base64URL.encode(IDTokenFixture.claims.text.utf8)
        let mac = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: Array("secret".utf8)))
        #expect(Fixture.tokenError { try fixture.validate(text: input + "." + Base64URL.encode(mac), keys: keys) } == .algorithmNotAllowed)
    }

    @Test func refusesAnAlgorithmThatWasNotAnnounced() throws {
        var fixture = fixture
        fixture.algorithms = ["ES256"]
        let rsa = try Fixture.required(IDTokenFixture.rsa)
        // FAPI-08, RPX-04: the key is there, the algorithm is not.
        #expect(fixture.tokenError(signer: rsa, algorithm: "RS256") == .algorithmNotAllowed)
        fixture.algorithms = ["none"]
        #expect(fixture.tokenError() == .algorithmNotAllowed)
        // Core 3.1.3.7, step 7: RS256 where nothing is announced.
        fixture.algorithms = nil
        #expect(fixture.tokenError() == .algorithmNotAllowed)
        #expect(try fixture.validate(signer: rsa, algorithm: "RS256").keyID == "rsa")
    }

    @Test("RPX-07 RPX-08 RPX-09: a header that names its own key or rules", arguments: ["jwk", "jku", "x5u", "crit", "b64", "zip"])
    func refusesHeadersThatBringTheirOwnRules(_ name: String) {
        #expect(fixture.tokenError(header: [Member(name, name == "crit" ? ["exp"] : "https://evil.example")]) == .headerNotAllowed(name))
    }

    /// Older servers write the numbers of their keys in plain base64.
    @Test func numbersOfAKeyMayBeInPlainBase64() throws {
        let number = try Fixture.required(IDTokenFixture.ec.jwk()["x"]?.string)
        let plain = number.replacing("-", with: "+").replacing("_", with: "/") + "="
        func keys(_ x: String) throws -> KeySet { try IDTokenFixture.keys([IDTokenFixture.ec.jwk([Member("x", .string(x))])]) }
        #expect(try fixture.validate(keys: keys(plain)).subject == "ada")
        #expect(fixture.tokenError(keys: try keys(plain + "/")) == .unusableKey)
    }

    /// Cloud Foundry's UAA names its own key set in each token.
    @Test func theIssuersOwnKeySetMayBeNamed() throws {
        let document = try IDTokenFixture.validKeys().document
        let keys = try KeySet(document: document, host: "id.example.org", location: WebURL("https://id.example.org/token_keys"))
        func header(_ place: JSONValue) -> [Member] { [Member("jku", place)] }
        #expect(try fixture.validate(header: header("https://id.example.org/token_keys"), keys: keys).subject == "ada")
        for other: JSONValue in ["https://id.example.org/token_keys/", "https://evil.example/token_keys", "", 1] {
            #expect(fixture.tokenError(header: header(other), keys: keys) == .headerNotAllowed("jku"))
        }
        // It brings no keys: a signature of another key is still wrong.
        let own = header("https://id.example.org/token_keys")
        #expect(fixture.tokenError(header: own, signer: Signer.p256("p256"), keys: keys) == .badSignature)
    }

    @Test func refusesTheAttackersKeyInTheHeader() throws {
        let attacker = Signer.p256("p256")
        #expect(fixture.tokenError(header: [Member("jwk", try attacker.jwk())], signer: attacker) == .headerNotAllowed("jwk"))
        // RPX-10: the right kid, another key.
        #expect(fixture.tokenError(signer: attacker) == .badSignature)
    }

    @Test("RPX-11 RP-47: other kinds of JWT", arguments: ["logout+jwt", "at+jwt", "dpop+jwt", "secevent+jwt", "AT+JWT", ""])
    func refusesOtherTokenTypes(_ type: String) {
        #expect(fixture.tokenError(header: [Member("typ", .string(type))]) == .wrongTokenType)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt"])
    func acceptsTheTypesOfIDTokens(_ type: String) throws {
        #expect(try fixture.validate(header: [Member("typ", .string(type))]).subject == "ada")
    }

    @Test func findsTheKeyWithoutAKeyID() throws {
        // RP-05: no kid, and one key of the right type among others.
        let keys = try IDTokenFixture.validKeys()
        #expect(try fixture.validate(header: [Member("kid", .null)], keys: keys).keyID == "p256")
        // Two keys of that type: the one that made the signature.
        let two = try IDTokenFixture.keys([Signer.p256("other").jwk(), IDTokenFixture.ec.jwk()])
        #expect(try fixture.validate(header: [Member("kid", .null)], keys: two).keyID == "p256")
        #expect(fixture.tokenError(header: [Member("kid", .null)], signer: .p256()) == .unknownKey(keyID: nil))
    }

    @Test func refetchesKeysOnlyForAnUnknownKey() throws {
        let failure = try Fixture.required(Fixture.error { try fixture.validate(header: [Member("kid", "new")]) })
        #expect(failure.kind == .token(.unknownKey(keyID: "new")))
        #expect(failure.needsKeyRefetch)
        #expect(failure.host == "keys.example.org")
        let expired = try Fixture.required(Fixture.error { try fixture.validate([Member("exp", 1)]) })
        #expect(!expired.needsKeyRefetch)
    }

    @Test func selectsTheKeyByIDAndType() throws {
        // FAPI-02: three keys with the same kid.
        let signers = [Signer.ed25519("one"), Signer.p256("one"), Signer(key: try Fixture.required(IDTokenFixture.rsa).key, keyID: "one")]
        let keys = try IDTokenFixture.keys(signers.map { try $0.jwk() })
        var fixture = fixture
        fixture.algorithms = ["EdDSA", "ES256", "PS256"]
        for (signer, algorithm) in zip(signers, ["EdDSA", "ES256", "PS256"]) {
            #expect(try fixture.validate(signer: signer, algorithm: algorithm, keys: keys).algorithm.rawValue == algorithm)
        }
    }

    @Test(arguments: [
        Member("use", "enc"), Member("use", 7), Member("key_ops", ["encrypt"]), Member("key_ops", "verify"), Member("alg", 7),
        Member("crv", "secp256k1"), Member("kty", "oct"), Member("x", "AAAA"), Member("y", 7),
    ])
    func refusesUnusableKeys(_ change: JSONValue.Member) throws {
        // RPX-15 and similar: the key is there with its kid and must not be used.
        let keys = try IDTokenFixture.keys([IDTokenFixture.ec.jwk([change])])
        #expect(fixture.tokenError(keys: keys) == .unusableKey)
    }

    @Test func keyIsBoundToItsAlgorithm() throws {
        let keys = try IDTokenFixture.keys([IDTokenFixture.ec.jwk([Member("alg", "ES384")])])
        #expect(fixture.tokenError(keys: keys) == .unusableKey)
        let right = try IDTokenFixture.keys([
            IDTokenFixture.ec.jwk([Member("alg", "ES256"), Member("use", "sig"), Member("key_ops", ["verify"])])
        ])
        #expect(try fixture.validate(keys: right).subject == "ada")
        // As some publish what was the private half's.
        let signs = try IDTokenFixture.keys([IDTokenFixture.ec.jwk([Member("key_ops", ["sign"])])])
        #expect(try fixture.validate(keys: signs).subject == "ada")
    }

    @Test func refusesWeakRSAKeys() throws {
        let weak = try Signer.rsa("weak", bits: 1024)
        #expect(fixture.tokenError(signer: weak, algorithm: "RS256", keys: try IDTokenFixture.keys([weak.jwk()])) == .unusableKey)
        let rsa = try Fixture.required(IDTokenFixture.rsa)
        let one = try IDTokenFixture.keys([rsa.jwk([Member("e", "AQ")])])
        #expect(fixture.tokenError(signer: rsa, algorithm: "RS256", keys: one) == .unusableKey)
    }

    @Test func unknownKeysDoNotAffectOthers() throws {
        // RP-01: keys of unknown types and malformed entries do not affect the others.
        let strange: [JSONValue] = [
            ["kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"], ["kty": "OKP", "crv": "X25519", "x": "AA"], ["kty": "AKP"], 7, [:],
            .null,
        ]
        #expect(try fixture.validate(keys: try IDTokenFixture.keys(strange + [IDTokenFixture.ec.jwk()])).subject == "ada")
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"keys":{}}"#, #"{"keys":"none"}"#, #"{"keys":[],"keys":[]}"#])
    func refusesInvalidKeySets(_ body: String) throws {
        let location = try Fixture.url("https://keys.example.org/keys")
        let error = try Fixture.required(Fixture.error { try KeySet(Fixture.json(body), from: location, now: Fixture.now) })
        #expect(error.host == "keys.example.org")
        #expect(error.failure.summary.contains("keys.example.org"))
        #expect(error.failure.exitCode == 7)
    }

    @Test func emptyKeySetErrorNamesTheHost() throws {
        // RPX-18.
        let error = try Fixture.required(Fixture.error { try fixture.validate(keys: try IDTokenFixture.keys([])) })
        #expect(error.failure.summary.contains("keys.example.org"))
    }

    @Test(arguments: ["[]", "7", "\"text\"", "null", "{", "{\"a\":1,\"a\":2}", ""])
    func refusesPayloadsThatAreNotObjects(_ payload: String) throws {
        // RPX-19, and duplicate members.
        let head = Base64URL.encode(#"{"alg":"ES256","kid":"p256"}"#.utf8)
        let input = head + "." + Base64URL.encode(payload.utf8)
        let text = input + "." + Base64URL.encode(try IDTokenFixture.ec.signature(Array(input.utf8), "ES256"))
        #expect(Fixture.tokenError { try fixture.validate(text: text) } == .malformed)
    }

    @Test(arguments: ["a.b.c.d.e"]) func refusesEncryptedTokens(_ text: String) {
        #expect(Fixture.tokenError { try fixture.validate(text: text) } == .encrypted)
    }
}
