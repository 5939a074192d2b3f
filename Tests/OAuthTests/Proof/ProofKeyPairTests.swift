import AuthModel
import Crypto
import Testing
@testable import OAuth

/// The key pair that tokens are bound to.
@Suite struct ProofKeyPairTests {
    private static func key(_ seed: UInt64 = 7) -> ProofKeyPair {
        var random = Fixture.Counter(state: seed)
        return ProofKeyPair(using: &random)
    }

    @Test func keyDependsOnlyOnTheGenerator() throws {
        // DPOP-12: each key is distinct and depends only on the random generator.
        #expect(Self.key(1) == Self.key(1))
        #expect(Self.key(1) != Self.key(2))
        #expect(Self.key(1).thumbprint != Self.key(2).thumbprint)
    }

    @Test func storedKeyIsRestored() throws {
        // DPOP-07, N-39.
        let key = Self.key()
        let kept = try Fixture.required(ProofKeyPair(privateKey: key.privateKey))
        #expect(kept == key)
        #expect(kept.thumbprint == key.thumbprint)
        #expect(key.privateKey.count == 43)
    }

    @Test(arguments: [
        "", "AAAA", "not base64 url", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "_____________________________________________________",
    ])
    func refusesInvalidPrivateKeys(_ text: String) {
        #expect(ProofKeyPair(privateKey: Secret(text)) == nil)
    }

    @Test func skipsRandomNumbersThatAreNotKeys() {
        // Four words of ones exceed the order of P-256, and zero is not a key.
        struct FixedWordGenerator: RandomNumberGenerator {
            var words: [UInt64] = Array(repeating: .max, count: 4) + Array(repeating: 0, count: 4) + [1, 2, 3, 4]
            mutating func next() -> UInt64 { words.removeFirst() }
        }
        var random = FixedWordGenerator()
        #expect(ProofKeyPair(using: &random).privateKey.count == 43)
        #expect(random.words.isEmpty)
    }

    /// The key of RFC 9449's examples: section 4.1 has the JWK, section 6.1 its thumbprint.
    @Test func computesTheThumbprintOfTheRFC() throws {
        // RFC 7638 section 3: the members in order, without whitespace.
        let jwk =
            #"{"crv":"P-256","kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}"#
        #expect(Base64URL.encode(SHA256.hash(data: Array(jwk.utf8))) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let names = try Fixture.required(Self.key().publicKey.members).map(\.name)
        #expect(names == ["crv", "kty", "x", "y"])
        #expect(Self.key().thumbprint == Base64URL.encode(SHA256.hash(data: Array(Self.key().publicKey.text.utf8))))
    }

    @Test func privateKeyIsNotPrinted() {
        let key = Self.key()
        var dumped = ""
        dump(key, to: &dumped)
        for text in [dumped, "\(key)", String(reflecting: key)] { #expect(!text.contains(key.privateKey.reveal())) }
        #expect("\(key)" == "key \(key.thumbprint)")
    }
}
