internal import AuthModel

extension SessionRecord {
    /// Takes over what a renewal gave.
    mutating func take(_ renewal: Renewal, isRenewable: Bool) {
        tokens = renewal.tokens
        extras = renewal.extras
        if let claims = renewal.idTokenClaims { identity.idTokenClaims = claims }
        summary.settledState = renewal.state
        summary.accessExpiresAt = renewal.tokens.accessExpiresAt
        summary.refreshExpiresAt = renewal.tokens.refreshExpiresAt
        summary.isRenewable = isRenewable
        summary.scopes = renewal.tokens.scopes
        summary.receivedAt = renewal.tokens.receivedAt
        summary.nextRenewalAt = nil
    }
}
