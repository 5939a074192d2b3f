public import AuthModel

/// A signed JWT in compact form (RFC 7515 section 7.1), strictly parsed but not verified.
///
/// Refuses a number of parts other than three, padding, whitespace and non-canonical base64url, a header or payload that is not a strict
/// JSON object (so without duplicate members), and header members of the wrong type. ``verified(with:allowed:)`` verifies
/// the signature; ``signer(among:announcedAlgorithms:host:)`` does so for showing a token.
public struct JSONWebSignature: Equatable, Sendable {
    /// The JOSE header.
    public let header: JSONValue
    /// The claims, before any verification.
    public let unverifiedClaims: JSONValue
    /// `alg` as written.
    public let algorithm: String
    /// The key identifier (`kid`), if present.
    public let keyID: String?
    /// The type (`typ`), if present.
    public let type: String?
    let signingInput: [UInt8]
    let signature: [UInt8]

    /// The maximum length of a token.
    public static let maximumLength = 1 << 18

    /// Parses a token without verifying it. Throws ``TokenError/encrypted`` for five parts, and ``TokenError/malformed`` for other errors.
    public init(compact text: String) throws(TokenError) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 5 { throw .encrypted }
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), !headerBytes.isEmpty, !payload.isEmpty,
            let header = try? JSONValue(strict: headerBytes), header.members != nil
        else { throw .malformed }
        guard let algorithm = header["alg"]?.string else { throw .malformed }
        guard let claims = try? JSONValue(strict: payload), claims.members != nil else { throw .malformed }
        keyID = try Self.text("kid", of: header)
        type = try Self.text("typ", of: header)
        self.header = header
        self.algorithm = algorithm
        self.signature = signature
        unverifiedClaims = claims
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    private static func text(_ name: String, of header: JSONValue) throws(TokenError) -> String? {
        guard let value = header[name] else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }
}
