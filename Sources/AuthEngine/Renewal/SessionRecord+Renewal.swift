internal import AuthModel
internal import OAuth

extension SessionRecord {
    /// Applies the result of a renewal.
    mutating func take(_ renewal: Renewal, isRenewable: Bool) {
        formerClaims = Self.claims(of: tokens).filter { Self.claims(of: renewal.tokens)[$0.key] != $0.value }
        tokens = renewal.tokens
        extras = renewal.extras
        if let claims = renewal.idTokenClaims { identity.idTokenClaims = claims }
        summary.recordedState = renewal.state
        summary.accessExpiresAt = renewal.tokens.accessExpiresAt
        summary.refreshExpiresAt = renewal.tokens.refreshExpiresAt
        summary.isRenewable = isRenewable
        summary.scopes = renewal.tokens.scopes
        summary.receivedAt = renewal.tokens.receivedAt
        summary.nextRenewalAt = nil
        renewalFailures = RenewalFailures()
    }

    /// Returns the unverified claims of the tokens that are JWTs.
    private static func claims(of tokens: TokenSet?) -> [TokenView.Kind: JSONValue] {
        guard let tokens else { return [:] }
        let held: [(TokenView.Kind, Secret?)] = [(.access, tokens.accessToken), (.id, tokens.idToken)]
        return held.reduce(into: [:]) { claims, held in
            guard let token = held.1, let jwt = try? JSONWebSignature(compact: token.reveal()) else { return }
            claims[held.0] = jwt.unverifiedClaims
        }
    }

    /// Ends the session at once: a refresh token that was refused or is spent is never sent again.
    mutating func end(as state: SessionState, because reason: UserMessage) {
        tokens = nil
        formerClaims = [:]
        derivedCredentials = []
        summary.recordedState = state
        summary.isRenewable = false
        summary.accessExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.nextRenewalAt = nil
        summary.warnings = [reason]
        renewalFailures = RenewalFailures()
    }

    /// Whether the access token had expired, by this machine's clock, when it was received. Then one of the two clocks is wrong.
    var expiredOnArrival: Bool {
        guard let tokens, let end = tokens.accessExpiresAt else { return false }
        return end <= tokens.receivedAt
    }

    /// The time for which a token that had expired on arrival is issued before it is renewed again.
    static let expiredOnArrivalGrace = Duration.seconds(60)

    static let expiredOnArrivalWarning =
        UserMessage("token.expired_on_arrival")
}
