/// A fault in DPoP (RFC 9449). See ``summary`` for each case.
public enum ProofFault: String, Sendable, CaseIterable {
    case downgrade = "token-type-bearer"
    case nonceLong = "nonce-4k"
    case nonceIllegal = "nonce-illegal"
    case nonceMissing = "nonce-missing"
    case nonceForEver = "use-nonce-for-ever"
    case resourceNonceForEver = "resource-use-nonce-for-ever"
    case schemeMixedCase = "scheme-mixed-case"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .downgrade: "a proof is answered with a Bearer token that is not bound to a key"
        case .nonceLong: "DPoP-Nonce has 4096 characters"
        case .nonceIllegal: "DPoP-Nonce contains a quote, a backslash and a space"
        case .nonceMissing: "use_dpop_nonce without DPoP-Nonce"
        case .nonceForEver: "the authorization server answers every proof with use_dpop_nonce"
        case .resourceNonceForEver: "resources answer every proof with use_dpop_nonce"
        case .schemeMixedCase: "challenges spell the scheme dPoP, which is allowed"
        }
    }

    /// Whether the fault affects the nonce in a response.
    var affectsNonces: Bool {
        switch self {
        case .nonceLong, .nonceIllegal, .nonceMissing: true
        case .downgrade, .nonceForEver, .resourceNonceForEver, .schemeMixedCase: false
        }
    }

    /// Returns the nonce with this fault.
    func apply(nonce: String) -> String {
        switch self {
        case .nonceLong: nonce + String(repeating: "n", count: 4096 - nonce.utf8.count)
        case .nonceIllegal: nonce + #" "\"#
        case .downgrade, .nonceMissing, .nonceForEver, .resourceNonceForEver, .schemeMixedCase: nonce
        }
    }
}
