/// What may be known of a session without opening its seal: no token, no claim.
public struct SessionSummary: Equatable, Sendable {
    /// Always with an account.
    public var name: SessionName
    /// The issuer, or what stands for it at a provider without one; `nil` when it is not known.
    public var issuer: String?
    /// The account's identifier at the issuer.
    public var subject: String?
    /// What was last settled about the session; ``state(at:)`` is what is shown.
    public var settledState: SessionState
    /// When the access token ends; `nil` when the provider did not say.
    public var accessExpiresAt: Timestamp?
    /// When the refresh token ends, where that is known.
    public var refreshExpiresAt: Timestamp?
    /// Whether there is something to renew with.
    public var isRenewable: Bool
    /// When the next renewal is due, where one is planned.
    public var nextRenewalAt: Timestamp?
    public var scopes: ScopeSet
    /// When the person signed in.
    public var grantedAt: Timestamp
    /// When the tokens were last received: at sign-in or at a renewal.
    public var receivedAt: Timestamp
    /// When a token was last handed out.
    public var lastUsedAt: Timestamp?
    /// Who took it: a program's name.
    public var lastUsedBy: String?
    /// What the person should know, one line each.
    public var warnings: [String]

    public init(
        name: SessionName, issuer: String?, subject: String?, settledState: SessionState, accessExpiresAt: Timestamp?,
        refreshExpiresAt: Timestamp?, isRenewable: Bool, nextRenewalAt: Timestamp? = nil, scopes: ScopeSet, grantedAt: Timestamp,
        receivedAt: Timestamp, lastUsedAt: Timestamp? = nil, lastUsedBy: String? = nil, warnings: [String] = []
    ) {
        self.name = name
        self.issuer = issuer
        self.subject = subject
        self.settledState = settledState
        self.accessExpiresAt = accessExpiresAt
        self.refreshExpiresAt = refreshExpiresAt
        self.isRenewable = isRenewable
        self.nextRenewalAt = nextRenewalAt
        self.scopes = scopes
        self.grantedAt = grantedAt
        self.receivedAt = receivedAt
        self.lastUsedAt = lastUsedAt
        self.lastUsedBy = lastUsedBy
        self.warnings = warnings
    }

    /// What guests have for a subject: nobody in particular.
    public static let guestSubject = "guest"

    /// Whether nobody is behind it: a guest who was never anybody here.
    public var isStale: Bool { settledState == .guest && subject == Self.guestSubject }

    /// A token counts as fresh while it is good for at least this long.
    public static let freshness: Duration = .seconds(60)

    /// The state at a moment: what was settled, seen against the clock.
    public func state(at now: Timestamp) -> SessionState {
        guard settledState == .signedIn, let end = accessExpiresAt else { return settledState }
        if end <= now { return isRenewable ? .expired : .needsSignIn }
        return end - now < Self.freshness ? .expiring : .signedIn
    }

    /// Whether only a new sign-in helps.
    public func hasEnded(at now: Timestamp) -> Bool {
        switch state(at: now) {
        case .needsSignIn, .revoked, .error: true
        case .guest, .signingIn, .signedIn, .expiring, .renewing, .expired: false
        }
    }
}

extension [SessionSummary] {
    /// Why a provider's name alone names none of these sessions there.
    public func ambiguity(at provider: ProviderName) -> AuthFailure {
        AuthFailure(
            .usage, "several accounts are signed in at \(provider)",
            hint: "name one: \(map(\.name.shellWord).sorted().joined(separator: ", ")); to stay with one: yett switch \(provider) ACCOUNT"
        )
    }
}
