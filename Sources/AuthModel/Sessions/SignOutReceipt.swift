/// The extent of a sign-out.
public enum SignOutMode: Equatable, Sendable {
    /// Revoke the tokens at the provider, then delete the session locally.
    case revoke
    /// Delete the session locally only.
    case localOnly
    /// Revoke the tokens, end the provider's session in the browser, and delete the session.
    case endBrowserSession
    /// Revoke and delete the session, and also the session that it was derived from, such as that of a publisher.
    case withBase
}

/// The result of each step of a sign-out.
public struct SignOutReceipt: Equatable, Sendable {
    /// A step of a sign-out.
    public enum Step: String, Sendable {
        case revokeRefreshToken = "revoke_refresh_token"
        case revokeAccessToken = "revoke_access_token"
        case endBrowserSession = "end_browser_session"
        case forget
        /// Signs out of the session that this one was derived from.
        case endBaseSession = "end_base_session"
    }

    /// The result of a step.
    public enum Outcome: Equatable, Sendable {
        case done
        /// There was nothing to do, for the given reason.
        case skipped(reason: UserMessage)
        /// The user's browser continues the step, and the result cannot be determined, for the given reason.
        case unconfirmed(reason: UserMessage)
        /// The step failed, so the token may remain valid at the provider. `isQueued` means that it will be tried again.
        case failed(reason: UserMessage, isQueued: Bool)
    }

    /// A step and its result.
    public struct Entry: Equatable, Sendable {
        /// The step.
        public var step: Step
        /// The result.
        public var outcome: Outcome

        package init(_ step: Step, _ outcome: Outcome) {
            self.step = step
            self.outcome = outcome
        }

        /// Whether the step failed and will be tried again.
        public var isQueued: Bool { if case .failed(_, isQueued: true) = outcome { true } else { false } }
    }

    /// The session that was ended.
    public var session: SessionName
    /// The steps, in order.
    public var entries: [Entry]
    /// The URL to open in the user's browser to end the provider's session, if that was requested and is possible.
    ///
    /// Program arguments are visible to all users of the machine, so the URL contains no token. If the request needs an ID token, this is a
    /// local URL that answers once with a redirect to the provider.
    public var browserURL: WebURL?
    /// The provider's logout page without the ID token, safe to show on a screen or in a file. The provider then asks the user which
    /// session to end, if it cannot tell.
    public var shownURL: WebURL?
    /// The pending browser redirect, if a listener waits for it; see ``SessionService/browserReturn(_:)``.
    public var browserReturn: BrowserReturn?

    package init(
        session: SessionName, entries: [Entry], browserURL: WebURL? = nil, shownURL: WebURL? = nil, browserReturn: BrowserReturn? = nil
    ) {
        self.session = session
        self.entries = entries
        self.browserURL = browserURL
        self.shownURL = shownURL
        self.browserReturn = browserReturn
    }

    /// Replaces the outcome of a step.
    public mutating func record(_ step: Step, _ outcome: Outcome) {
        for index in entries.indices where entries[index].step == step { entries[index].outcome = outcome }
    }

    /// Whether the provider was contacted, or the user's browser contacts it.
    public var isProviderNotified: Bool {
        entries.contains { entry in
            guard entry.step != .forget, entry.step != .endBaseSession else { return false }
            if case .skipped = entry.outcome { return false }
            return true
        }
    }

    /// Whether no step failed: each was done, had nothing to do, or continues in the browser.
    public var isComplete: Bool {
        entries.allSatisfy { if case .failed = $0.outcome { false } else { true } }
    }
}

/// A pending browser redirect from the provider's logout page (OpenID Connect RP-Initiated Logout section 3), while a listener waits for
/// it.
public struct BrowserReturn: Equatable, Sendable {
    /// The identifier of the wait at the session service.
    public typealias ID = Identifier<BrowserReturn>

    /// The identifier to pass to the session service.
    public let id: ID
    /// The post-logout redirect URI on this machine; `nil` if the provider does not redirect and the browser only leaves for the provider's
    /// page.
    public let redirect: WebURL?
    /// When the listener stops.
    public let endsAt: Timestamp

    package init(id: ID, redirect: WebURL?, endsAt: Timestamp) {
        self.id = id
        self.redirect = redirect
        self.endsAt = endsAt
    }
}
