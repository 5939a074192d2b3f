package import AuthModel
import Crypto
import Localization
import OAuth

/// The provider, client and keys of the readers' inputs. They are the same in every run.
package enum FuzzFixture {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let issuerText = "https://id.example.org"
    static let clientID = "yett"
    static let nonce = "n-0S6_WzA2Mj"
    static let accessToken = "SlAV32hkKG"

    /// The provider's key, which only this fuzzer uses.
    private static let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
    private static let foreignKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 8, count: 32))

    /// The public half of the provider's key, encoded as in a key set.
    static let publicKey = key.map { Base64URL.encode($0.publicKey.rawRepresentation) } ?? ""
    static let keys = keySet(key)
    static let foreignKeys = keySet(foreignKey)

    static let validator = Issuer(issuerText).map {
        IDTokenValidator(
            issuer: $0, clientID: clientID, announcedAlgorithms: ["EdDSA", "RS256", "ES256"], nonce: Secret(nonce), maxAge: 3600)
    }

    /// A pending sign-in attempt with fixed random values.
    static let pending: PendingAuthorization? = {
        var metadata = ProviderMetadata()
        metadata.issuer = Issuer(issuerText)
        metadata.authorizationEndpoint = WebURL(issuerText + "/authorize")
        metadata.announcesIssuerInResponses = true
        var generator = SeededGenerator(seed: 1)
        let request = AuthorizationRequest(clientID: clientID, redirectURI: "http://127.0.0.1:8400/callback", scopes: ["openid"])
        return try? request.prepare(for: metadata, using: &generator).pending
    }()

    /// The claims of a valid token.
    static let claims =
        #"{"iss":"https://id.example.org","sub":"248289761001","aud":"yett","exp":1800000300,"iat":1800000000,"auth_time":1799999990,"#
        + #""nonce":"n-0S6_WzA2Mj","acr":"1"}"#

    static let header = #"{"alg":"EdDSA","kid":"k1","typ":"JWT"}"#

    /// Returns a token with `claims`, signed with the provider's key.
    static func token(_ claims: [UInt8], header: String = header) -> String {
        let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims)
        let signature = try? key?.signature(for: Array(input.utf8))
        return input + "." + Base64URL.encode(signature.map(Array.init) ?? [])
    }

    private static func keySet(_ key: Curve25519.Signing.PrivateKey?) -> KeySet? {
        let x = key.map { Base64URL.encode($0.publicKey.rawRepresentation) } ?? ""
        return try? KeySet(
            document: ["keys": [["kty": "OKP", "crv": "Ed25519", "kid": "k1", "use": "sig", "x": .string(x)]]], host: "id.example.org")
    }

    /// Checks that an error's summary and hint are one printable line each, for any input from the server.
    package static func checkText(of failure: AuthFailure) throws(BrokenProperty) {
        for line in [failure.summary, failure.hintText ?? "-"] {
            try BrokenProperty.unless(!line.isEmpty && line.utf8.count <= 1000, "says nothing, or too much")
            try BrokenProperty.unless(
                !line.unicodeScalars.contains {
                    [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
                },
                "says what may not be shown: \(line.debugDescription)")
        }
    }
}
