/// The signature algorithms we verify (RFC 7518 section 3.1, RFC 8037, RFC 9864): asymmetric ones only.
///
/// `none` and the MACs are not among them, so no spelling of them can be accepted.
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
    /// With Ed25519; RFC 8037.
    case edDSA = "EdDSA"
    /// RFC 9864's name for the same.
    case ed25519 = "Ed25519"

    /// Which hash the algorithm stands for in `at_hash` (OpenID Connect Core section 3.1.3.6).
    var hash: HashFunctionName {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        }
    }

    /// The algorithms to be accepted from a provider: those it announces that we verify; RS256 where it announces none
    /// (OpenID Connect Core section 3.1.3.7, step 7).
    public static func accepted(from announced: [String]?) -> Set<SignatureAlgorithm> {
        guard let announced else { return [.rs256] }
        return Set(announced.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
}
