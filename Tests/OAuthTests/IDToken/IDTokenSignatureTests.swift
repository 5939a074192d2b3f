import AuthModel
import Crypto
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Signatures, algorithms and keys of ID tokens.
@Suite struct IDTokenSignatureTests {
    private let bench = IDTokenBench()

    @Test(arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"])
    func verifiesEachAlgorithm(_ algorithm: String) throws {
        var bench = bench
        bench.algorithms = [algorithm]
        let signer: Signer =
            switch algorithm {
            case "ES256": .p256()
            case "ES384": .p384()
            case "ES512": .p521()
            case "EdDSA", "Ed25519": .ed25519()
            default: try World.required(IDTokenBench.rsa)
            }
        let keys = try IDTokenBench.keys([signer.jwk()])
        #expect(try bench.validate(signer: signer, algorithm: algorithm, keys: keys).algorithm.rawValue == algorithm)
        let token = try signer.token(IDTokenBench.claims, algorithm: algorithm)
        let dot = try World.required(token.lastIndex(of: "."))
        let signature = try World.required(Base64URL.decode(token[token.index(after: dot)...]))
        // RP-13, RP-25: every byte of the signature inverted by the suite's mask.
        let spoilt = token[...dot] + Base64URL.encode(signature.map { $0 ^ 0x5A })
        #expect(World.flaw { try bench.validate(text: String(spoilt), keys: keys) } == .badSignature)
        // RPX-02: the signature cut short, and cut off.
        let short = token[...dot] + Base64URL.encode(signature.dropLast())
        #expect(World.flaw { try bench.validate(text: String(short), keys: keys) } == .badSignature)
        #expect(World.flaw { try bench.validate(text: String(token[...dot]), keys: keys) } == .badSignature)
        #expect(World.flaw { try bench.validate(text: String(token[..<dot]), keys: keys) } == .malformed)
    }

    @Test("RPX-01 RP-10 FAPI-09: no spelling of none", arguments: ["none", "None", "nOnE", "NONE", ""])
    func refusesNone(_ algorithm: String) {
        let head = Base64URL.encode(JSONValue.object([Member("alg", .string(algorithm))]).text.utf8)
        let text = head + "." + Base64URL.encode(IDTokenBench.claims.text.utf8) + "."
        var bench = bench
        bench.algorithms = [algorithm, "RS256"]
        #expect(World.flaw { try bench.validate(text: text) } == .algorithmNotAllowed)
    }

    @Test("RPX-03 RPX-16 RP-24: a MAC is refused, whatever its key", arguments: ["HS256", "HS384", "HS512"])
    func refusesMACs(_ algorithm: String) throws {
        let oct: JSONValue = ["kty": "oct", "kid": "p256", "k": "c2VjcmV0"]
        var bench = bench
        bench.algorithms = [algorithm, "ES256"]
        let keys = try IDTokenBench.keys([oct, IDTokenBench.ec.jwk()])
        let head = Base64URL.encode(JSONValue.object([Member("alg", .string(algorithm)), Member("kid", "p256")]).text.utf8)
        let input = head + "." + Base64URL.encode(IDTokenBench.claims.text.utf8)
        let mac = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: Array("secret".utf8)))
        #expect(World.flaw { try bench.validate(text: input + "." + Base64URL.encode(mac), keys: keys) } == .algorithmNotAllowed)
    }

    @Test func refusesAnAlgorithmThatWasNotAnnounced() throws {
        var bench = bench
        bench.algorithms = ["ES256"]
        let rsa = try World.required(IDTokenBench.rsa)
        // FAPI-08, RPX-04: the key is there, the algorithm is not.
        #expect(bench.flaw(signer: rsa, algorithm: "RS256") == .algorithmNotAllowed)
        bench.algorithms = ["none"]
        #expect(bench.flaw() == .algorithmNotAllowed)
        // Core 3.1.3.7, step 7: RS256 where nothing is announced.
        bench.algorithms = nil
        #expect(bench.flaw() == .algorithmNotAllowed)
        #expect(try bench.validate(signer: rsa, algorithm: "RS256").keyID == "rsa")
    }

    @Test("RPX-07 RPX-08 RPX-09: a header that brings its own rules", arguments: ["jwk", "jku", "x5u", "crit", "b64", "zip"])
    func refusesHeaderMember(_ name: String) {
        #expect(bench.flaw(header: [Member(name, name == "crit" ? ["exp"] : "https://evil.example")]) == .headerNotAllowed(name))
    }

    @Test func refusesTheAttackersKeyInTheHeader() throws {
        let attacker = Signer.p256("p256")
        #expect(bench.flaw(header: [Member("jwk", try attacker.jwk())], signer: attacker) == .headerNotAllowed("jwk"))
        // RPX-10: the right kid, another key.
        #expect(bench.flaw(signer: attacker) == .badSignature)
    }

    @Test("RPX-11 RP-47: other kinds of JWT", arguments: ["logout+jwt", "at+jwt", "dpop+jwt", "secevent+jwt", "AT+JWT", ""])
    func refusesOtherType(_ type: String) {
        #expect(bench.flaw(header: [Member("typ", .string(type))]) == .otherKind)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt"])
    func acceptsTheTypesOfIDTokens(_ type: String) throws {
        #expect(try bench.validate(header: [Member("typ", .string(type))]).subject == "ada")
    }

    @Test func findsTheKeyWithoutAName() throws {
        // RP-05: no kid, one key of the fitting kind, among others.
        let keys = try IDTokenBench.honestKeys()
        #expect(try bench.validate(header: [Member("kid", .null)], keys: keys).keyID == "p256")
        // Two keys of the kind: the one that made the signature.
        let two = try IDTokenBench.keys([Signer.p256("other").jwk(), IDTokenBench.ec.jwk()])
        #expect(try bench.validate(header: [Member("kid", .null)], keys: two).keyID == "p256")
        #expect(bench.flaw(header: [Member("kid", .null)], signer: .p256()) == .unknownKey(keyID: nil))
    }

    @Test func asksForTheKeysAgainOnlyWhenNoneFits() throws {
        let stranger = try World.required(World.error { try bench.validate(header: [Member("kid", "new")]) })
        #expect(stranger.kind == .token(.unknownKey(keyID: "new")))
        #expect(stranger.asksForKeyRefetch)
        #expect(stranger.host == "keys.example.org")
        let expired = try World.required(World.error { try bench.validate([Member("exp", 1)]) })
        #expect(!expired.asksForKeyRefetch)
    }

    @Test func picksByNameAndKind() throws {
        // FAPI-02: three keys of one kid.
        let signers = [Signer.ed25519("one"), Signer.p256("one"), Signer(key: try World.required(IDTokenBench.rsa).key, keyID: "one")]
        let keys = try IDTokenBench.keys(signers.map { try $0.jwk() })
        var bench = bench
        bench.algorithms = ["EdDSA", "ES256", "PS256"]
        for (signer, algorithm) in zip(signers, ["EdDSA", "ES256", "PS256"]) {
            #expect(try bench.validate(signer: signer, algorithm: algorithm, keys: keys).algorithm.rawValue == algorithm)
        }
    }

    @Test(arguments: [
        Member("use", "enc"), Member("use", 7), Member("key_ops", ["encrypt"]), Member("key_ops", "verify"), Member("alg", 7),
        Member("crv", "secp256k1"), Member("kty", "oct"), Member("x", "AAAA"), Member("y", 7),
    ])
    func passesOverUnusableKeys(_ change: JSONValue.Member) throws {
        // RPX-15 and its like: the key is there under its name, and must not be used.
        let keys = try IDTokenBench.keys([IDTokenBench.ec.jwk([change])])
        #expect(bench.flaw(keys: keys) == .unusableKey)
    }

    @Test func bindsAKeyToItsAlgorithm() throws {
        let keys = try IDTokenBench.keys([IDTokenBench.ec.jwk([Member("alg", "ES384")])])
        #expect(bench.flaw(keys: keys) == .unusableKey)
        let right = try IDTokenBench.keys([
            IDTokenBench.ec.jwk([Member("alg", "ES256"), Member("use", "sig"), Member("key_ops", ["verify"])])
        ])
        #expect(try bench.validate(keys: right).subject == "ada")
    }

    @Test func refusesWeakRSAKeys() throws {
        let weak = try Signer.rsa("weak", bits: 1024)
        #expect(bench.flaw(signer: weak, algorithm: "RS256", keys: try IDTokenBench.keys([weak.jwk()])) == .unusableKey)
        let rsa = try World.required(IDTokenBench.rsa)
        let one = try IDTokenBench.keys([rsa.jwk([Member("e", "AQ")])])
        #expect(bench.flaw(signer: rsa, algorithm: "RS256", keys: one) == .unusableKey)
    }

    @Test func readsAllHonestKeysBesideStrangeOnes() throws {
        // RP-01: keys of unknown kind and broken entries do not spoil the others.
        let strange: [JSONValue] = [
            ["kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"], ["kty": "OKP", "crv": "X25519", "x": "AA"], ["kty": "AKP"], 7, [:],
            .null,
        ]
        #expect(try bench.validate(keys: try IDTokenBench.keys(strange + [IDTokenBench.ec.jwk()])).subject == "ada")
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"keys":{}}"#, #"{"keys":"none"}"#, #"{"keys":[],"keys":[]}"#])
    func refusesWhatIsNoKeySet(_ body: String) throws {
        let error = try World.required(World.error { try KeySet(World.json(body), host: "keys.example.org", now: World.now) })
        #expect(error.host == "keys.example.org")
        #expect(error.failure.summary.contains("keys.example.org"))
        #expect(error.failure.exitCode == 7)
    }

    @Test func anEmptyKeySetNamesItsHost() throws {
        // RPX-18.
        let error = try World.required(World.error { try bench.validate(keys: try IDTokenBench.keys([])) })
        #expect(error.failure.summary.contains("keys.example.org"))
    }

    @Test(arguments: ["[]", "7", "\"text\"", "null", "{", "{\"a\":1,\"a\":2}", ""])
    func refusesAPayloadThatIsNoObject(_ payload: String) throws {
        // RPX-19, and doubled members.
        let head = Base64URL.encode(#"{"alg":"ES256","kid":"p256"}"#.utf8)
        let input = head + "." + Base64URL.encode(payload.utf8)
        let text = input + "." + Base64URL.encode(try IDTokenBench.ec.signature(Array(input.utf8), "ES256"))
        #expect(World.flaw { try bench.validate(text: text) } == .malformed)
    }

    @Test(arguments: ["a.b.c.d.e"]) func refusesEncryptedTokens(_ text: String) {
        #expect(World.flaw { try bench.validate(text: text) } == .encrypted)
    }
}
