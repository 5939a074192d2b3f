internal import AuthModel

extension JSONWebSignature {
    /// Creates a signed JWT in compact form (RFC 7515 section 7.1).
    ///
    /// - Parameter sign: signs the given bytes with the algorithm in `header`.
    static func compact(
        header: JSONValue, claims: [JSONValue.Member], sign: ([UInt8]) throws(OAuthError) -> [UInt8]
    ) throws(OAuthError) -> String {
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(JSONValue.object(claims).text.utf8)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }
}
