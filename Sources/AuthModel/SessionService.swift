/// The interface of the engine. The terminal app and the commands use the engine only through it.
///
/// An implementation works in this process or forwards to the agent over a socket; callers cannot tell the difference. Every method may be
/// called from any task at any time.
public protocol SessionService: Sendable {
    /// Returns the configured providers, sorted by name.
    func providers() async throws(AuthFailure) -> [ProviderSummary]

    /// Returns all sessions, sorted by name. Uses no network, and works while the store is locked.
    func sessions() async throws(AuthFailure) -> [SessionSummary]

    /// Returns one session with its verified claims. `PROVIDER` alone names the only session there, or that of the default account.
    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail

    /// Makes an account the default account of its provider, for when several accounts are signed in; `nil` clears the default.
    ///
    /// Throws `.notSignedIn` if the account has no session.
    func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure)

    /// Returns a stream of changes from now on. The stream ends when the session service ends.
    func events() async -> AsyncStream<SessionServiceEvent>

    /// Returns the same stream to a caller that shows each ``SessionServiceEvent/asked(_:)`` to the user and calls
    /// ``answerQuestion(_:allows:)``. Consent questions are asked only while such a stream is open.
    func interactiveEvents() async -> AsyncStream<SessionServiceEvent>

    /// Answers a consent question. Throws `.usage` if the question is no longer open.
    ///
    /// - Parameter witness: the process that passes the user's answer on, for the log; `nil` if it is unknown.
    func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure)

    /// Starts a sign-in. Does not open a browser: the caller does that on ``SignInEvent/opened(_:)``.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt

    /// Passes text that the user pasted to an attempt: the complete redirect URL, or a code.
    func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Answers the questions of ``SignInEvent/asked(_:)``. If an answer is invalid, throws `.usage` or `.configuration`, and the questions
    /// stay open.
    func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Returns provider-specific sign-in details; `nil` if the standard metadata is sufficient.
    func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails?

    /// Requests a device code (RFC 8628) as an additional sign-in method of a waiting attempt. Before this returns, the code is reported as
    /// ``SignInMethod/device(_:)``; an existing code is reused. See ``SignInEvent/deviceCodeOffered``.
    ///
    /// Throws if the provider issues no code; the attempt continues.
    func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Cancels an attempt. When this returns, its port is closed. Its event stream ends with a cancelled failure.
    func cancel(_ attempt: SignInAttempt.ID) async

    /// Renews the tokens of a session now, regardless of their age.
    func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Issues a fresh token if the provider's ``TokenPolicy`` allows it. Renews first if that is necessary and permitted.
    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken

    /// Replaces the token that was sent to a resource with the token that the resource returned. Does nothing if the session has a
    /// different token by now.
    ///
    /// Throws `.security` if `resource`, the URL that returned the token, does not belong to the session.
    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure)

    /// Creates the `DPoP` header value for one request to a resource. Throws `.configuration` if the session's tokens are not bound to a
    /// key.
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String

    /// Ends a session. When this returns, the session is deleted locally, regardless of the provider's response.
    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt

    /// Waits until the user's browser returns from ``SignOutReceipt/browserURL``, and returns the outcome of the step
    /// ``SignOutReceipt/Step/endBrowserSession``. The session is already deleted locally. Call this once per sign-out.
    ///
    /// Throws `.cancelled` if the task is cancelled or ``stopWaiting(for:)`` is called; the port is then closed.
    func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome

    /// Stops waiting for a browser. When this returns, its port is closed.
    func stopWaiting(for id: BrowserReturn.ID) async

    /// Returns the tokens of a session, as far as they may be shown, in the order access, refresh, ID. May query the provider about opaque
    /// tokens (RFC 7662); ``session(_:)`` never does.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView]

    /// Returns the tokens that the provider lists for the session's user, regardless of where they were issued. Throws `.configuration` if
    /// the provider does not list tokens.
    func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken]

    /// Revokes one of ``remoteTokens(of:)`` at the provider. If it is the session's own access token, the session is revoked with its
    /// refresh token. If it is the refresh token, the session can no longer be renewed.
    func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Decodes a JWT, and verifies it if its issuer is a configured provider. May fetch the keys of that provider.
    ///
    /// - Parameter provider: The only provider that may have issued the token. An opaque token is sent to it for introspection (RFC 7662).
    ///   `nil` allows any provider; an opaque token is then sent to none.
    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView

    /// Seals the management credentials of a registered client. They are never returned.
    func keep(_ management: ClientManagement) async throws(AuthFailure)

    /// Deletes a client registration at the provider (RFC 7592 section 2.3), and then deletes its management credentials. Returns `false`
    /// if the client was not registered by this program.
    ///
    /// - Parameter caFile: a PEM file with root certificates that are trusted in addition to the system's.
    func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool

    /// Sends the due revocations that could not be sent at sign-out (RFC 7009 section 2.2.1).
    ///
    /// - Returns: when the next revocation is due; `nil` if none is pending or the store is locked.
    func deliverRevocations() async -> Timestamp?

    /// Returns log entries, newest first. Works without network and while the store is locked.
    func activity(_ limit: Int) async throws(AuthFailure) -> [Activity]

    /// Returns whether the store is unlocked. Throws if this cannot be determined.
    func seal() async throws(AuthFailure) -> SealState

    /// Returns whether a passphrase unlocks the store. If the key comes from another source, ``unlock(passphrase:)`` ignores its argument.
    func needsPassphrase() async -> Bool

    /// Unlocks the store if that needs no user: its key is in a file or keyring, and the user did not lock the store explicitly. Otherwise,
    /// and if the store is open, does nothing. Throws if the key is not available.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure)

    /// Unlocks the store.
    func unlock(passphrase: Secret) async throws(AuthFailure)

    /// Erases the keys from memory. Waits for pending provider requests first and seals their results.
    func lock() async throws(AuthFailure)

    /// Waits for the responses to pending requests whose loss could cost a session, seals the results, and sends no more such requests.
    /// Call this before the process ends.
    func retire() async
}

extension SessionService {
    /// Default: true.
    public func needsPassphrase() async -> Bool { true }

    /// Returns ``events()``, because an in-process session service leaves consent questions to its caller.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events() }

    /// Throws, because this session service asks no questions.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        throw TokenConsentRequest.isOver
    }

    /// Answers a question on behalf of this process.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool) async throws(AuthFailure) {
        try await answerQuestion(id, allows: allows, from: nil)
    }

    /// Default: `nil`, for a session service without pending revocations or one whose agent sends them.
    public func deliverRevocations() async -> Timestamp? { nil }

    /// Default: an empty list, for a session service without a log.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { [] }

    /// Default: throws, for a session service that does not listen for browsers.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        throw AuthFailure(.usage, "no sign-out is waiting for a browser")
    }

    /// Default: does nothing.
    public func stopWaiting(for id: BrowserReturn.ID) async {}

    /// Default: does nothing.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}

    /// Default: does nothing, for a session service that sends no requests itself.
    public func retire() async {}

    /// Default: the tokens of ``session(_:)``, without asking the provider.
    public func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] { try await session(name).tokens }

    /// Default: throws `.configuration`.
    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        throw AuthFailure(.configuration, "this session service cannot list tokens at a provider", hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`.
    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        throw AuthFailure(.configuration, "this session service cannot revoke tokens at a provider", hint: "try again with --no-agent")
    }

    /// Signs out of every session that must end with the process. Deletes a session locally if it cannot be revoked.
    public func endProcessSessions() async {
        guard let ending = try? await providers().filter(\.endsWithProcess).map(\.name), !ending.isEmpty,
            let sessions = try? await sessions()
        else { return }
        await withTaskGroup { group in
            for name in sessions.map(\.name) where ending.contains(name.provider) {
                group.addTask {
                    do throws(AuthFailure) {
                        _ = try await signOut(name, mode: .revoke)
                    } catch {
                        // A locked store cannot provide the token to revoke, but can delete the session.
                        _ = try? await signOut(name, mode: .localOnly)
                    }
                }
            }
        }
    }

    /// Default: throws `.configuration`.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "this session service cannot set the default account", hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "this session service does not accept answers", hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        throw AuthFailure(.configuration, "this session service cannot get details from a provider", hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`.
    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "this session service does not accept tokens", hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`, for a session service without session keys.
    public func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        throw AuthFailure(
            .configuration, "this session service cannot prove possession of the key of \(request.session)",
            hint: "try again with --no-agent")
    }

    /// Default: throws `.configuration`, for a session service without its own store.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "this session service does not store client registrations", hint: "try again with --no-agent")
    }

    /// Default: false, because no client was registered here.
    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool { false }
}

/// Whether the store is locked.
public enum SealState: Equatable, Sendable {
    case unlocked
    /// A passphrase is needed. `isNew` means that none exists yet, and the given one becomes the passphrase.
    case locked(isNew: Bool)
}

/// A change that the session service reports to its observers.
public enum SessionServiceEvent: Equatable, Sendable {
    /// The sessions changed; these are the current ones.
    case sessionsChanged([SessionSummary])
    /// The store was locked or unlocked.
    case sealChanged(SealState)
    /// A new entry for the activity log.
    case activity(Activity)
    /// The user must decide whether a token is issued. Sent only to observers that answer questions.
    case asked(TokenConsentRequest)
    /// A question no longer needs an answer.
    case settled(TokenConsentRequest.ID)
}

/// One entry of the activity log.
public struct Activity: Equatable, Sendable {
    /// The type of an entry.
    public enum Kind: String, Sendable {
        case signedIn = "signed_in"
        case signInFailed = "sign_in_failed"
        case renewed
        case renewalFailed = "renewal_failed"
        case issued = "handed_out"
        /// A program other than the caller confirmed that the user consented to a token.
        case consented
        /// The caller itself claimed that the user consented to a token. This claim was not checked.
        case consentedByCaller = "consented_by_caller"
        /// A policy or the user refused to issue a token.
        case tokenRefused = "hand_out_refused"
        case signedOut = "signed_out"
    }

    /// When it happened.
    public var at: Timestamp
    /// The type of the entry.
    public var kind: Kind
    /// The session, if the entry is about one.
    public var session: SessionName?
    /// The text: one line, without secrets.
    public var text: String

    /// Creates a log entry.
    public init(at: Timestamp, kind: Kind, session: SessionName?, text: String) {
        self.at = at
        self.kind = kind
        self.session = session
        self.text = text
    }
}
