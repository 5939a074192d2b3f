/// How a session is to be ended.
public enum SignOutMode: Equatable, Sendable {
    /// Revoke at the provider, then forget here.
    case revoke
    /// Forget here only.
    case localOnly
    /// Revoke, end the provider's own session in the browser, forget.
    case endBrowserSession
    /// Revoke and forget, and the same for the session that this one was made from: that of the publisher who vouched for it.
    case withBase
}

/// What was done to end a session, step by step.
public struct SignOutReceipt: Equatable, Sendable {
    public enum Step: String, Sendable {
        case revokeRefreshToken = "revoke_refresh_token"
        case revokeAccessToken = "revoke_access_token"
        case endBrowserSession = "end_browser_session"
        case forget
        /// The sign-out of the session that this one was made from.
        case endBaseSession = "end_base_session"
    }

    public enum Outcome: Equatable, Sendable {
        case done
        /// There was nothing to do, and why.
        case skipped(reason: String)
        /// It is in the hands of the person's browser, and nobody can tell what came of it; why not.
        case unconfirmed(reason: String)
        /// Not done: the token may live on at the provider. `isQueued`: it will be tried again.
        case failed(reason: String, isQueued: Bool)
    }

    public struct Entry: Equatable, Sendable {
        public var step: Step
        public var outcome: Outcome

        public init(_ step: Step, _ outcome: Outcome) {
            self.step = step
            self.outcome = outcome
        }

        /// Whether it failed and will be tried again.
        public var isQueued: Bool { if case .failed(_, isQueued: true) = outcome { true } else { false } }
    }

    public var session: SessionName
    public var entries: [Entry]
    /// What the person's browser is to open to end the provider's session, when that was asked for and is possible.
    ///
    /// Everybody on the machine sees what a program is started with, so no token is in it: where an ID token belongs to the request, this
    /// is an address of this machine that answers once, with the way to the provider.
    public var browserURL: WebURL?
    /// The provider's page as it may stand on a screen or in a file: without the ID token. The provider then asks the person whose session
    /// is meant, where it does not see that by itself.
    public var shownURL: WebURL?
    /// What becomes of the browser, where somebody listens for it: ``SessionService/browserReturn(_:)`` tells.
    public var browserReturn: BrowserReturn?

    public init(
        session: SessionName, entries: [Entry], browserURL: WebURL? = nil, shownURL: WebURL? = nil, browserReturn: BrowserReturn? = nil
    ) {
        self.session = session
        self.entries = entries
        self.browserURL = browserURL
        self.shownURL = shownURL
        self.browserReturn = browserReturn
    }

    /// Puts what is known now in the place of what was known of a step.
    public mutating func settle(_ step: Step, _ outcome: Outcome) {
        for index in entries.indices where entries[index].step == step { entries[index].outcome = outcome }
    }

    /// Whether the provider was told anything of it, or the person's browser tells it.
    public var isProviderTold: Bool {
        entries.contains { entry in
            guard entry.step != .forget, entry.step != .endBaseSession else { return false }
            if case .skipped = entry.outcome { return false }
            return true
        }
    }

    /// Whether no step failed: each was done, had nothing to do, or is the browser's.
    public var isComplete: Bool {
        entries.allSatisfy { if case .failed = $0.outcome { false } else { true } }
    }
}
