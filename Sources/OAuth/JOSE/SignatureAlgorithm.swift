/// The supported signature algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864), all asymmetric.
///
/// `none` and MACs are not included, so no spelling of them is accepted.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519, as named by RFC 8037.
    case edDSA = "EdDSA"
    /// Ed25519, as named by RFC 9864.
    case ed25519 = "Ed25519"

    /// The hash function for `at_hash` (OpenID Connect Core section 3.1.3.6).
    var hash: HashFunctionName {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        }
    }

    /// Returns the algorithms to accept from a provider: the supported ones that it announces; RS256 if it announces none (OpenID Connect
    /// Core section 3.1.3.7, step 7).
    public static func accepted(from announced: [String]?) -> Set<SignatureAlgorithm> {
        guard let announced else { return [.rs256] }
        return Set(announced.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
}
