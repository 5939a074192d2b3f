import AuthModel
import Testing
@testable import OAuth

/// Refuses public keys that verify signatures of anyone but their owner.
@Suite struct Ed25519KeyTests {
    /// The eight points whose order divides 8, as RFC 8032 section 5.1.2 writes them, with their order.
    static let smallOrder = [
        ("0100000000000000000000000000000000000000000000000000000000000000", 1),
        ("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", 2),
        ("0000000000000000000000000000000000000000000000000000000000000000", 4),
        ("0000000000000000000000000000000000000000000000000000000000000080", 4),
        ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", 8),
        ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", 8),
        ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", 8),
        ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", 8),
    ]

    /// Non-canonical encodings of the same points: y not below the prime, and a sign bit for x = 0.
    static let notCanonical = [
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    private func bytes(_ digits: String) throws -> [UInt8] {
        let digits = Array(digits)
        return try stride(from: 0, to: digits.count, by: 2).map { try Fixture.required(UInt8(String(digits[$0...$0 + 1]), radix: 16)) }
    }

    private func keySet(_ key: [UInt8]) throws -> KeySet {
        let valid = #"{"kty":"OKP","crv":"Ed25519","kid":"good","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let bad = #"{"kty":"OKP","crv":"Ed25519","kid":"bad","x":"\#(Base64URL.encode(key))"}"#
        return try KeySet(document: JSONValue(strict: #"{"keys":[\#(bad),\#(valid)]}"#), host: "id.example.org")
    }

    @Test(arguments: smallOrder) func refusesAPointOfSmallOrder(_ digits: String, _ order: Int) throws {
        let keys = try keySet(bytes(digits))
        #expect(keys.keys.map(\.keyID) == ["good"])
        #expect(keys.unusableKeyIDs == ["bad"])
    }

    @Test(arguments: notCanonical) func refusesNonCanonicalEncodings(_ digits: String) throws {
        #expect(try keySet(bytes(digits)).unusableKeyIDs == ["bad"])
    }

    @Test(arguments: [0, 31, 33, 64]) func refusesOtherLengths(_ count: Int) throws {
        #expect(try keySet([UInt8](repeating: 9, count: count)).unusableKeyIDs == ["bad"])
    }

    @Test func acceptsTheLargestCanonicalCoordinates() throws {
        #expect(Ed25519KeyCheck.isUsable(try bytes("ebffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")))
        #expect(Ed25519KeyCheck.isUsable(try bytes("0200000000000000000000000000000000000000000000000000000000000000")))
    }
}
