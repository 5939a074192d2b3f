import AuthModel
import OAuth
import SessionStore

/// The failures of tokens that are not valid for long enough.
extension SessionRecord {
    /// The failure for an expired ID token that renewals do not replace.
    var renewedWithoutIDToken: AuthFailure {
        let name = summary.name
        return AuthFailure(
            .signInAgain, UserMessage("id_token.expired_without_renewal", ["session": name]),
            hint: UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }

    /// Returns the failure for a token that is not valid for long enough, if the request allows no renewal.
    func renewalNotAllowed(for request: TokenRequest, isLive: Bool) -> AuthFailure {
        let end =
            isLive
            ? UserMessage("phrase.expires_in_less_than", ["seconds": request.minimumValidity.wholeSeconds])
            : UserMessage("phrase.has_expired")
        let name = summary.name
        return AuthFailure(
            .signInAgain, UserMessage("token.not_valid_long_enough", ["kind": request.wanted.noun, "session": name, "state": end]),
            hint: summary.isRenewable ? "hint.allow_renewal" : UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }

    /// Returns the failure for an expired token of a session that cannot be renewed.
    func expiredAndNotRenewable(_ wanted: TokenRequest.Wanted) -> AuthFailure {
        let name = summary.name
        if wanted == .access, summary.warnings.contains(.tokenRejected(name)) { return .tokenRejected(name, needsSignIn: true) }
        return AuthFailure(
            .signInAgain, UserMessage("token.expired_not_renewable", ["kind": wanted.noun, "session": name]),
            hint: UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }
}

extension TokenRequest.Wanted {
    /// The token's name in messages.
    fileprivate var noun: UserMessage { self == .id ? "phrase.id_token" : "phrase.token" }
}

extension SessionRecord {
    /// Applies the result of a renewal.
    mutating func apply(_ renewal: Renewal, isRenewable: Bool) {
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
        summary.warnings.removeAll { $0.code == Self.refusedRenewalCode }
        renewalFailures = RenewalFailures()
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

    /// Returns the unverified claims of the tokens that are JWTs.
    static func claims(of tokens: TokenSet?) -> [TokenView.Kind: JSONValue] {
        guard let tokens else { return [:] }
        let held: [(TokenView.Kind, Secret?)] = [(.access, tokens.accessToken), (.id, tokens.idToken)]
        return held.reduce(into: [:]) { claims, held in
            guard let token = held.1, let jwt = try? JSONWebSignature(compact: token.reveal()) else { return }
            claims[held.0] = jwt.unverifiedClaims
        }
    }

    /// Whether the access token had expired, by this machine's clock, when it was received. Then one of the two clocks is wrong.
    var expiredOnArrival: Bool {
        guard let tokens, let end = tokens.accessExpiresAt else { return false }
        return end <= tokens.receivedAt
    }

    /// The time for which a token that had expired on arrival is issued before it is renewed again.
    static let expiredOnArrivalGrace = Duration.seconds(60)

    /// The code of the message that a provider refused a renewal and kept the grant.
    static let refusedRenewalCode = "renewal.refused_by_provider"

    /// The failure of the last renewal, if the provider did not accept the client; a warning of the session keeps its reason.
    var refusedRenewal: AuthFailure? {
        summary.warnings.first { $0.code == Self.refusedRenewalCode }.map {
            AuthFailure(.configuration, $0, hint: "hint.check_client_authentication")
        }
    }

    static let expiredOnArrivalWarning =
        UserMessage("token.expired_on_arrival")
}

extension SessionRecord {
    /// Returns whether the wanted token is valid for at least `validity` from `now`. True also for a token that does not expire, and for a
    /// missing ID token, which no renewal brings.
    func hasToken(_ wanted: TokenRequest.Wanted, validFor validity: Duration, now: Timestamp) -> Bool {
        guard let tokens else { return false }
        guard let end = wanted == .access ? tokens.accessExpiresAt : idTokenExpiresAt else { return true }
        return end - now >= validity
    }

    /// The expiry time of the ID token; `nil` if there is no ID token or it has no such time.
    var idTokenExpiresAt: Timestamp? {
        guard let idToken = tokens?.idToken else { return nil }
        let claims = (try? JSONWebSignature(compact: idToken.reveal()))?.unverifiedClaims ?? identity.idTokenClaims
        return claims["exp"]?.double.map(Timestamp.init(seconds:))
    }

    /// Returns whether a token is the session's current one of the wanted kind.
    func isCurrent(_ token: Secret, as wanted: TokenRequest.Wanted) -> Bool {
        (wanted == .access ? tokens?.accessToken : tokens?.idToken) == token
    }
}
