import AuthModel
import Crypto
@testable import Sandbox

/// A client's key, with the proofs (RFC 9449) and assertions (RFC 7523) that it signs.
struct ProofSigner {
    let key = P256.Signing.PrivateKey()

    var jwk: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(SandboxBase64.url(point.prefix(32))),
            "y": .string(SandboxBase64.url(point.suffix(32))),
        ]
    }

    /// The thumbprint of RFC 7638, computed independently of the code under test.
    var thumbprint: String {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(jwk["x"]?.string ?? "")","y":"\#(jwk["y"]?.string ?? "")"}"#
        return SandboxBase64.url(Array(SHA256.hash(data: Array(text.utf8))))
    }

    /// Returns a JWT signed with this key.
    func sign(header: JSONValue, claims: JSONValue) throws -> String {
        let message = SandboxBase64.url(Array(header.text.utf8)) + "." + SandboxBase64.url(Array(claims.text.utf8))
        return message + "." + SandboxBase64.url(Array(try key.signature(for: SHA256.hash(data: Array(message.utf8))).rawRepresentation))
    }

    /// Returns the header field with a proof; `change` may damage it before it is signed.
    func proof(
        _ method: String, _ url: String, token: String? = nil, nonce: String? = nil, at now: Timestamp = DPoPTests.now,
        change: (inout JSONValue, inout JSONValue) -> Void = { _, _ in }
    ) throws -> (String, String) {
        var header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": jwk]
        var claims: JSONValue = [
            "jti": .string(OpenIDProvider.makeName()), "htm": .string(method), "htu": .string(url), "iat": .number(now.seconds),
        ]
        if let nonce { claims = claims.setting("nonce", .string(nonce)) }
        if let token { claims = claims.setting("ath", .string(SandboxBase64.url(Array(SHA256.hash(data: Array(token.utf8)))))) }
        change(&header, &claims)
        return ("DPoP", try sign(header: header, claims: claims))
    }
}
