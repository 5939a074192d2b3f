/// The part of a session that is readable without unsealing it. It contains no token and no claim.
public struct SessionSummary: Equatable, Sendable {
    /// The session name, always with an account.
    public var name: SessionName
    /// The issuer, or a substitute for providers without one; `nil` if unknown.
    public var issuer: String?
    /// The account's identifier at the issuer.
    public var subject: String?
    /// The last recorded state. ``shownState(at:)`` returns the state to show.
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

    package init(
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

    /// Returns the state to show to the user: that of ``state(at:)``, but a token that is renewed in time is not called expiring.
    public func shownState(at now: Timestamp) -> SessionState {
        let state = state(at: now)
        return state == .expiring && renewsInTime(at: now) ? .signedIn : state
    }

    /// The time after which a renewal that was due is late.
    public static let renewalDelay: Duration = .seconds(2)

    /// Returns whether the next renewal is the first one for the token, and not late.
    ///
    /// This matters for tokens that live less than twice ``freshness``: their first renewal is planned in the first half of their life, or
    /// after half a minute. A later one is the next attempt after a failure.
    private func renewsInTime(at now: Timestamp) -> Bool {
        guard let end = accessExpiresAt, let renewal = nextRenewalAt else { return false }
        let latest = max((end - receivedAt) / 2, .seconds(30)) + Self.renewalDelay
        return now - renewal <= Self.renewalDelay && renewal - receivedAt <= latest
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

extension AuthFailure {
    /// Returns the failure for a session whose provider is not configured, with the nearest provider as its hint.
    public static func noProvider(of session: SessionName, among providers: [ProviderName]) -> AuthFailure {
        let summary = UserMessage("session.no_session_no_provider", ["session": session, "provider": session.provider])
        let names = providers.map(\.text)
        if let near = names.nearest(to: session.provider.text) {
            return AuthFailure(.notSignedIn, summary, hint: UserMessage("hint.did_you_mean", ["name": near]))
        }
        let known = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        return AuthFailure(
            .notSignedIn, summary, hint: names.isEmpty ? "hint.add_provider" : UserMessage("hint.known_providers", ["providers": known]))
    }
}

/// The state of a session.
public enum SessionState: String, Sendable, CaseIterable {
    /// The provider has a session, but it identifies no user.
    case guest
    /// A sign-in is in progress.
    case signingIn = "signing_in"
    /// The access token is valid.
    case signedIn = "signed_in"
    /// The access token expires in less than a minute.
    case expiring
    /// A renewal is in progress.
    case renewing
    /// The access token has expired, and the session can be renewed.
    case expired
    /// The user must sign in again.
    case needsSignIn = "needs_sign_in"
    /// The tokens were revoked.
    case revoked
    /// Another problem; the warnings describe it.
    case error
}

/// The verified identity of an account: its issuer, subject and claims.
public struct Identity: Equatable, Sendable {
    /// The issuer of the identity, byte for byte.
    public var issuer: String
    /// The account's identifier at the issuer. It is never reassigned and is shown only if no better name exists. Empty if the provider
    /// does not identify the user; then only the session name distinguishes accounts.
    public var subject: String
    /// The claims of the ID token, as an object; empty if there was no ID token.
    public var idTokenClaims: JSONValue
    /// The claims from the UserInfo endpoint, as an object; empty if it was not called.
    public var userInfo: JSONValue

    package init(issuer: String, subject: String, idTokenClaims: JSONValue = .object([]), userInfo: JSONValue = .object([])) {
        self.issuer = issuer
        self.subject = subject
        self.idTokenClaims = idTokenClaims
        self.userInfo = userInfo
    }

    /// Returns a claim as text, from UserInfo if present, otherwise from the ID token.
    public func text(_ claim: String) -> String? {
        userInfo[claim]?.string ?? idTokenClaims[claim]?.string
    }

    /// The account label to use if the user chose none: ``readableLabel``, or the subject if the claims have no name.
    public var defaultLabel: String { readableLabel ?? SessionName.label(from: subject) ?? "account" }

    /// The name by which the user is known at the service, as an account label: login, username, preferred_username, upn, unique_name,
    /// email or name, in that order. `nil` if there is none, or only an identifier.
    public var readableLabel: String? {
        ["login", "username", "preferred_username", "upn", "unique_name", "email", "name"].lazy.compactMap { claim -> String? in
            guard let text = self.text(claim), !isIdentifier(text) else { return nil }
            return SessionName.label(from: text)
        }.first
    }

    /// Whether a name tells the user nothing: a UUID, or the digits of the subject.
    private func isIdentifier(_ name: String) -> Bool {
        name.isUUID || name.hasSameBytes(as: subject) && name.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// The full name of the user (`name`), if known.
    public var displayName: String? { text("name") }

    /// Returns an account's label with the full name and the e-mail address of the claims, each once: `ada (Ada Lovelace, ada@example.org)`.
    ///
    /// The label is first, because the provider makes sure that it is unique, while a user may choose any full name. A claim is cut after 80
    /// Unicode scalars, and its white space becomes single spaces.
    public func description(of label: String) -> String {
        var known = [label]
        for claim in ["name", "email"] {
            let words = (text(claim) ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let shown = String(String.UnicodeScalarView(words.unicodeScalars.prefix(80)))
            if !shown.isEmpty, !known.contains(where: { $0.hasSameBytes(as: shown) }) { known.append(shown) }
        }
        return known.count == 1 ? label : "\(label) (\(known.dropFirst().joined(separator: ", ")))"
    }
}

/// The failed renewals of a session since it received its current tokens. New tokens reset the counts.
public struct RenewalFailures: Equatable, Sendable {
    /// The number of times that the refresh token was sent and the response was lost, so that the token may be used up.
    public var lostResponses: Int
    /// The number of consecutive renewals that failed and left the session unchanged. The back-off grows with it.
    public var failures: Int

    /// The number of lost responses after which a refresh token is not sent again. A provider with a grace period answers the second
    /// attempt; a provider without one treats each further attempt as theft (RFC 9700 section 4.14.2).
    public static let lostResponseLimit = 2

    /// Creates failure counts. Default: zero.
    public init(lostResponses: Int = 0, failures: Int = 0) {
        self.lostResponses = lostResponses
        self.failures = failures
    }

    /// The time that programs must wait for another renewal after this many failures: 2 s, doubling up to 30 s.
    public var backOff: Duration { failures > 0 ? .seconds(min(1 << min(failures, 5), 30)) : .zero }
}
