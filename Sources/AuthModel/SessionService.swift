/// The engine's face: what the terminal app and the commands speak to, and all they know of it.
///
/// An implementation works in this process or stands for one on the other side of a socket; nobody above can tell. Every call may be
/// made from anywhere at any time.
public protocol SessionService: Sendable {
    /// The configured providers, by name.
    func providers() async throws(AuthFailure) -> [ProviderSummary]

    /// Every session, by name. Reads no network, and works while the store is locked.
    func sessions() async throws(AuthFailure) -> [SessionSummary]

    /// One session with its verified claims. `PROVIDER` alone names the only session there, or the active account's.
    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail

    /// Makes an account the one that its provider's name alone stands for while several are signed in there; `nil`: none of them.
    ///
    /// Throws `.notSignedIn` where there is no session of that account.
    func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure)

    /// What changes from now on. The stream ends when the session service does.
    func events() async -> AsyncStream<SessionServiceEvent>

    /// The same, for somebody who shows a person each ``SessionServiceEvent/asked(_:)`` and calls ``answerQuestion(_:allows:)``. As long as
    /// there is nobody like that, nobody is asked here.
    func answerableEvents() async -> AsyncStream<SessionServiceEvent>

    /// Answers a question. Throws `.usage` where it is not open any more.
    ///
    /// - Parameter witness: who passes the user's answer on, for the record; `nil` where that is not known.
    func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure)

    /// Begins a sign-in. Never opens a browser: the one who asked does that, on ``SignInEvent/opened(_:)``.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt

    /// Hands an attempt what the person pasted: the whole redirect URL, or a code.
    func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Answers what an attempt asked with ``SignInEvent/asked(_:)``. Throws `.usage` or `.configuration`, and asks on, where an answer
    /// cannot be taken.
    func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// What a provider says of signing in there by a way of its own; `nil` where its metadata says all there is.
    func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails?

    /// Asks the provider for a device code (RFC 8628), as one more way in of an attempt that waits. When this returns the code was
    /// reported, as ``SignInMethod/device(_:)``; where one was already, it is the one. See ``SignInEvent/deviceCodeOffered``.
    ///
    /// Throws why there is none; the attempt goes on.
    func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Ends an attempt. Its port is closed when this returns; its stream ends with a cancelled failure.
    func cancel(_ attempt: SignInAttempt.ID) async

    /// Renews a session's tokens now, whatever their age.
    func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Hands out a fresh token, renewing first where it must and may, and where the provider's ``TokenPolicy`` lets it.
    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken

    /// Puts the token that a resource gave in the place of the one it was sent; a session that has another one by now is left alone.
    ///
    /// Throws `.security` where `resource`, the URL that answered with it, is not the session's own.
    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure)

    /// Makes the `DPoP` field for one request to a resource. Throws `.configuration` where the session's tokens are bound to no key.
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String

    /// Ends a session; it is gone here when this returns, whatever the provider did.
    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt

    /// Waits for the person's browser to come back from ``SignOutReceipt/browserURL``, and tells what that means for the step
    /// ``SignOutReceipt/Step/endBrowserSession``. The session is gone here already, whatever comes of it. Ask once.
    ///
    /// Throws `.cancelled` when the task is cancelled or somebody calls ``stopWaiting(for:)``; the port is closed then.
    func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome

    /// Waits for a browser no longer. Its port is closed when this returns.
    func stopWaiting(for id: BrowserReturn.ID) async

    /// The tokens of a session as far as they may be shown, in the order access, refresh, ID. May ask the provider about those that say
    /// nothing themselves (RFC 7662); ``session(_:)`` never does.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView]

    /// The tokens that the provider holds for a session's person, wherever they were issued. Throws `.configuration` where it lists none.
    func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken]

    /// Has the provider end one of ``remoteTokens(of:)``. Where that was the session's own access token, the session is
    /// revoked, and its refresh token with it; where it was the refresh token, the session cannot be renewed any more.
    func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary

    /// Decodes a JWT and verifies it where its issuer is a configured provider. May ask that provider for its keys.
    ///
    /// - Parameter provider: The only one that may have made the token. It is shown a token that says nothing itself, and says what that
    ///   is (RFC 7662); `nil`: any provider, and such a token is shown to nobody.
    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView

    /// Seals what a registered client is managed with. It never comes out again.
    func keep(_ management: ClientManagement) async throws(AuthFailure)

    /// Takes a registration back at the provider (RFC 7592 section 2.3), and forgets what it was managed with once the provider has heard
    /// of it; `false` where it was not made here.
    ///
    /// - Parameter caFile: a PEM file with roots that count beside the system's.
    func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool

    /// Tells providers of sign-outs that they could not be told of before, as far as that is due (RFC 7009 section 2.2.1).
    ///
    /// - Returns: when the next one is due; `nil` where none waits, or the store is locked.
    func deliverRevocations() async -> Timestamp?

    /// What was written down, the newest first. Asks nobody, and works while the store is locked.
    func activity(_ limit: Int) async throws(AuthFailure) -> [Activity]

    /// Whether tokens can be read. Throws where that cannot be asked.
    func seal() async throws(AuthFailure) -> SealState

    /// Whether opening the store takes a passphrase; where its key lies somewhere else, ``unlock(passphrase:)`` looks at none.
    func takesPassphrase() async -> Bool

    /// Opens the store where that takes nobody: its key lies in a file or a keyring, and nobody has locked the store on purpose.
    /// Otherwise, and where it is open, does nothing. Throws where the key cannot be had.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure)

    /// Opens the store.
    func unlock(passphrase: Secret) async throws(AuthFailure)

    /// Wipes the keys from memory. What was sent to a provider is waited for, and what comes of it sealed.
    func lock() async throws(AuthFailure)

    /// Waits until the answers are there, and sealed, to whatever was sent to a provider that may cost a session, and sends no more of the
    /// kind: for a process that is about to end.
    func retire() async
}

extension SessionService {
    public func takesPassphrase() async -> Bool { true }

    /// A session service that works for its own process asks nobody: its caller does.
    public func answerableEvents() async -> AsyncStream<SessionServiceEvent> { await events() }

    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        throw TokenConsentRequest.isOver
    }

    /// Answers a question for this process.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool) async throws(AuthFailure) {
        try await answerQuestion(id, allows: allows, from: nil)
    }

    /// A session service that keeps no such debts, or whose other end sees to them.
    public func deliverRevocations() async -> Timestamp? { nil }

    /// A session service that writes nothing down has nothing to tell.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { [] }

    /// A session service that listens for no browser has nothing to tell.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        throw AuthFailure(.usage, "nobody waits for a browser to come back")
    }

    public func stopWaiting(for id: BrowserReturn.ID) async {}

    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}

    /// A session service that sends nothing itself has nothing to wait for.
    public func retire() async {}

    public func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] { try await session(name).tokens }

    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        throw AuthFailure(.configuration, "the keeper in use asks no provider for its tokens", hint: "try again with --no-agent")
    }

    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        throw AuthFailure(.configuration, "the keeper in use ends no tokens at a provider", hint: "try again with --no-agent")
    }

    /// Signs out of every session that was to end with the process, and forgets those that cannot be signed out of.
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
                        // A locked store gives no token to revoke, and forgets all the same.
                        _ = try? await signOut(name, mode: .localOnly)
                    }
                }
            }
        }
    }

    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "the keeper in use makes no account the active one", hint: "try again with --no-agent")
    }

    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "the keeper in use takes no answers", hint: "try again with --no-agent")
    }

    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        throw AuthFailure(.configuration, "the keeper in use asks no provider for details", hint: "try again with --no-agent")
    }

    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "the keeper in use takes no tokens", hint: "try again with --no-agent")
    }

    /// A session service that holds no keys of sessions can prove nothing.
    public func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        throw AuthFailure(
            .configuration, "the keeper in use cannot prove that it holds the key of \(request.session)", hint: "try again with --no-agent")
    }

    /// A session service without a store of its own keeps no registrations.
    public func keep(_ management: ClientManagement) async throws(AuthFailure) {
        throw AuthFailure(.configuration, "the keeper in use keeps no registrations of clients", hint: "try again with --no-agent")
    }

    public func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool { false }
}

/// Whether the store can be read.
public enum SealState: Equatable, Sendable {
    case unlocked
    /// A passphrase is wanted. `isNew`: there is none yet, and the one given will be it.
    case locked(isNew: Bool)
}

/// What the session service tells those who watch.
public enum SessionServiceEvent: Equatable, Sendable {
    /// The sessions as they are now.
    case sessionsChanged([SessionSummary])
    /// The store was locked or unlocked.
    case sealChanged(SealState)
    /// Something happened that belongs in the activity log.
    case activity(Activity)
    /// A person is to say whether a token is handed out. Comes to those who answer.
    case asked(TokenConsentRequest)
    /// A question needs no answer any more.
    case settled(TokenConsentRequest.ID)
}

/// One line of the activity log.
public struct Activity: Equatable, Sendable {
    public enum Kind: String, Sendable {
        case signedIn = "signed_in"
        case signInFailed = "sign_in_failed"
        case renewed
        case renewalFailed = "renewal_failed"
        case issued = "handed_out"
        /// A program other than the caller said that the user consented to a token.
        case consented
        /// The caller itself said that the user consented to a token: its own word, which nobody checked.
        case consentedByCaller = "consented_by_caller"
        /// A policy, or a person, refused a hand-out.
        case tokenRefused = "hand_out_refused"
        case signedOut = "signed_out"
    }

    public var at: Timestamp
    public var kind: Kind
    public var session: SessionName?
    /// One line, without secrets.
    public var text: String

    public init(at: Timestamp, kind: Kind, session: SessionName?, text: String) {
        self.at = at
        self.kind = kind
        self.session = session
        self.text = text
    }
}
