import AuthModel
import Testing
@testable import OAuth

/// Test vectors from the RFCs.
@Suite struct VectorTests {
    private func verify(_ jwk: String, _ input: String, _ signature: String, _ algorithm: SignatureAlgorithm) throws -> Bool {
        let key = try Fixture.required(VerificationKey(JSONValue(strict: jwk)))
        return key.isValid(try Fixture.required(Base64URL.decode(signature)), over: Array(input.utf8), algorithm)
    }

    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// RFC 7515 appendix A.3.
    @Test func verifiesES256() throws {
        let jwk =
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        #expect(try verify(jwk, "eyJhbGciOiJFUzI1NiJ9." + Self.payload, signature, .es256))
        #expect(try !verify(jwk, "eyJhbGciOiJFUzI1NiJ9." + Self.payload + "A", signature, .es256))
    }

    /// RFC 7515 appendix A.2.
    @Test func verifiesRS256() throws {
        let modulus =
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        let signature =
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        let jwk = #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#
        #expect(try verify(jwk, "eyJhbGciOiJSUzI1NiJ9." + Self.payload, signature, .rs256))
        #expect(try !verify(jwk, "eyJhbGciOiJSUzI1NiJ9." + Self.payload, signature, .ps256))
    }

    /// RFC 8037 appendix A.4.
    @Test func verifiesEdDSA() throws {
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        #expect(try verify(jwk, "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc", signature, .edDSA))
    }

    /// RFC 4648 section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func base64URLRoundTrips(_ plain: String, _ text: String) {
        #expect(Base64URL.encode(plain.utf8) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test(
        "N-74: one spelling each",
        arguments: ["Zg==", "Zg=", "Zh", "Zm9=", "Z", "Zm9v YmFy", "Zm9v\n", "Zm9+", "Zm9/", "Zmé", "Zm8\u{0}", "Zm9vY"])
    func refusesNonCanonicalBase64URL(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func encodesTheWholeAlphabet() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    }

    @Test(arguments: [
        "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "eyJhbGciOjd9.e30.AA", "eyJhbGciOiJFUzI1NiIsImFsZyI6Im5vbmUifQ.e30.AA",
        "eyJhbGciOiJFUzI1NiJ9=.e30.AA", "eyJhbGciOiJFUzI1NiJ9.e30.AA==", " eyJhbGciOiJFUzI1NiJ9.e30.AA", "eyJhbGciOiJFUzI1NiJ9.e30.A B",
        "eyJhbGciOiJFUzI1NiIsImtpZCI6N30.e30.AA", "eyJhbGciOiJFUzI1NiJ9.W10.AA",
    ])
    func refusesInvalidCompactSignatures(_ text: String) {
        #expect(throws: TokenError.malformed) { try JSONWebSignature(compact: text) }
    }

    @Test func refusesHugeTokens() {
        #expect(throws: TokenError.malformed) {
            try JSONWebSignature(compact: String(repeating: "A", count: JSONWebSignature.maximumLength + 1))
        }
    }
}
