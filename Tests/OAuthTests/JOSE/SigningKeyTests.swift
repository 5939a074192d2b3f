import AuthModel
import Crypto
import CryptoExtras
import Localization
import Testing
@testable import OAuth

/// Private keys from PEM files, and their signatures.
@Suite struct SigningKeyTests {
    private static let input = Array("what is signed".utf8)

    private func read(_ pem: String) throws -> SigningKey { try SigningKey(pem: Secret(pem)) }

    /// Returns whether the key's signature verifies with the public key.
    private func signs(_ key: SigningKey, _ algorithm: SignatureAlgorithm, _ signer: Signer) throws -> Bool {
        let signature = try key.signature(over: Self.input, algorithm)
        return try Fixture.required(VerificationKey(signer.jwk())).isValid(signature, over: Self.input, algorithm)
    }

    @Test(arguments: [SampleKeys.p256, SampleKeys.p256InSEC1]) func readsPKCS8AndSEC1(_ pem: String) throws {
        let key = try read(pem)
        let same = try P256.Signing.PrivateKey(pemRepresentation: SampleKeys.p256)
        #expect(try signs(key, .es256, Signer(key: .p256(same), keyID: nil)))
    }

    @Test(arguments: [
        SampleKeys.p256WithParameters, "bag attributes\n" + SampleKeys.p256,
        SampleKeys.p256.split(separator: "\n").joined(separator: "\r\n"),
        SampleKeys.publicKey + "\n" + SampleKeys.p256,
    ])
    func ignoresOtherTextInTheFile(_ pem: String) throws {
        #expect(try read(pem).algorithm(announced: nil) == .es256)
    }

    @Test func signsWithEveryKeyType() throws {
        let p384 = P384.Signing.PrivateKey()
        let p521 = P521.Signing.PrivateKey()
        let ed25519 = try Curve25519.Signing.PrivateKey(pemRepresentation: SampleKeys.ed25519)
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        #expect(try signs(read(p384.pemRepresentation), .es384, Signer(key: .p384(p384), keyID: nil)))
        #expect(try signs(read(p521.pemRepresentation), .es512, Signer(key: .p521(p521), keyID: nil)))
        for algorithm in [SignatureAlgorithm.edDSA, .ed25519] {
            #expect(try signs(read(SampleKeys.ed25519), algorithm, Signer(key: .ed25519(ed25519), keyID: nil)))
        }
        for pem in [rsa.pemRepresentation, rsa.pkcs8PEMRepresentation] {
            for algorithm in [SignatureAlgorithm.ps256, .ps384, .ps512, .rs256, .rs384, .rs512] {
                #expect(try signs(read(pem), algorithm, Signer(key: .rsa(rsa), keyID: nil)), "\(algorithm)")
            }
        }
    }

    @Test func selectsAnAlgorithmOfTheProvider() throws {
        let rsa = try read(_RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation)
        #expect(rsa.algorithm(announced: nil) == .rs256)
        #expect(try read(SampleKeys.p256).algorithm(announced: nil) == .es256)
        #expect(rsa.algorithm(announced: ["RS256", "PS256", "ES256"]) == .ps256)
        #expect(rsa.algorithm(announced: ["RS256", "ES256"]) == .rs256)
        #expect(rsa.algorithm(announced: ["HS256", "none", "ES256"]) == nil)
        #expect(try read(SampleKeys.p256).algorithm(announced: ["ES384"]) == nil)
        #expect(try read(SampleKeys.ed25519).algorithm(announced: ["Ed25519"]) == .ed25519)
    }

    @Test func refusesAnAlgorithmOfAnotherKeyType() throws {
        #expect(Fixture.error { try read(SampleKeys.p256).signature(over: Self.input, .ps256) }?.failure.exitCode == 2)
    }

    @Test(
        arguments: [
            ("", "the client key is not a private key in PEM form"), ("not a key", "the client key is not a private key in PEM form"),
            (SampleKeys.publicKey, "the client key is not a private key in PEM form"),
            (String(SampleKeys.p256.dropLast(10)), "the client key is not a private key in PEM form"),
            (SampleKeys.p256.replacing("MIGH", with: "M*GH"), "the client key is not a private key in PEM form"),
            (SampleKeys.p256.replacing("END PRIVATE", with: "END RSA PRIVATE"), "the client key is not a private key in PEM form"),
            (SampleKeys.encrypted, "the client key is encrypted, which is not supported"),
            (SampleKeys.encryptedInSEC1, "the client key is encrypted, which is not supported"),
            (SampleKeys.secp256k1, "the client key is not RSA with at least 2048 bits, P-256, P-384, P-521 or Ed25519"),
            (SampleKeys.x25519, "the client key is not RSA with at least 2048 bits, P-256, P-384, P-521 or Ed25519"),
            (
                SampleKeys.p256.replacing("MIGH", with: "MIGI"),
                "the client key is not RSA with at least 2048 bits, P-256, P-384, P-521 or Ed25519"
            ),
        ])
    func reportsWhyAFileIsUnusable(_ pem: String, _ text: String) {
        let failure = Fixture.error { try read(pem) }?.failure
        #expect(failure?.summary == text)
        #expect(failure?.exitCode == 2)
    }

    @Test func refusesWeakRSAKeys() throws {
        let weak = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        #expect(Fixture.error { try read(weak.pemRepresentation) }?.failure.exitCode == 2)
    }

    @Test func privateKeyIsNotPrinted() throws {
        let key = try read(SampleKeys.p256)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "key for ES256")
        #expect(dumped.utf8.count < 100)
    }
}
