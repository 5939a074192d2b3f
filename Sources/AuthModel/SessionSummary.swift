/// The part of a session that is readable without unsealing it. It contains no token and no claim.
public struct SessionSummary: Equatable, Sendable {
    /// The session name, always with an account.
    public var name: SessionName
    /// The issuer, or a substitute for providers without one; `nil` if unknown.
    public var issuer: String?
    /// The account's identifier at the issuer.
    public var subject: String?
    /// The last recorded state. ``state(at:)`` returns the state to show.
    public var recordedState: SessionState
    /// When the access token expires; `nil` if the provider did not say.
    public var accessExpiresAt: Timestamp?
    /// When the refresh token expires, if known.
    public var refreshExpiresAt: Timestamp?
    /// Whether the session can be renewed.
    public var isRenewable: Bool
    /// When the next renewal is due, if one is scheduled.
    public var nextRenewalAt: Timestamp?
    /// The granted scopes.
    public var scopes: ScopeSet
    /// When the user signed in.
    public var grantedAt: Timestamp
    /// When the tokens were last received, at sign-in or renewal.
    public var receivedAt: Timestamp
    /// When a token was last issued to a program.
    public var lastUsedAt: Timestamp?
    /// The name of the program that received it.
    public var lastUsedBy: UserMessage?
    /// Warnings for the user, one line each.
    public var warnings: [UserMessage]

    /// Creates a session summary.
    public init(
        name: SessionName, issuer: String?, subject: String?, recordedState: SessionState, accessExpiresAt: Timestamp?,
        refreshExpiresAt: Timestamp?, isRenewable: Bool, nextRenewalAt: Timestamp? = nil, scopes: ScopeSet, grantedAt: Timestamp,
        receivedAt: Timestamp, lastUsedAt: Timestamp? = nil, lastUsedBy: UserMessage? = nil, warnings: [UserMessage] = []
    ) {
        self.name = name
        self.issuer = issuer
        self.subject = subject
        self.recordedState = recordedState
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

    /// The subject of guests, who have no identity.
    public static let guestSubject = "guest"

    /// Whether the session is a guest session without an identity.
    public var isAnonymousGuest: Bool { recordedState == .guest && subject == Self.guestSubject }

    /// The minimum remaining lifetime of a token that counts as fresh.
    public static let freshness: Duration = .seconds(60)

    /// Returns the state at a moment: the recorded state, adjusted for expiry.
    public func state(at now: Timestamp) -> SessionState {
        guard recordedState == .signedIn, let end = accessExpiresAt else { return recordedState }
        if end <= now { return isRenewable ? .expired : .needsSignIn }
        return end - now < Self.freshness ? .expiring : .signedIn
    }

    /// Returns whether the user must sign in again.
    public func hasEnded(at now: Timestamp) -> Bool {
        switch state(at: now) {
        case .needsSignIn, .revoked, .error: true
        case .guest, .signingIn, .signedIn, .expiring, .renewing, .expired: false
        }
    }
}

extension [SessionSummary] {
    /// Returns the failure for a provider name that could mean several of these sessions.
    public func ambiguity(at provider: ProviderName) -> AuthFailure {
        AuthFailure(
            .usage, UserMessage("account.several_signed_in", ["provider": provider]),
            hint:
                UserMessage(
                    "hint.choose_account", ["choices": map(\.name.shellWord).sorted().joined(separator: ", "), "provider": provider])
        )
    }
}
