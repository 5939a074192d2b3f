import AuthModel
import Synchronization

/// A session service with scripted answers, which records its requests.
actor ScriptedSessionService: SessionService {
    var summary: SessionSummary
    /// More sessions, which are only listed.
    var others: [SessionSummary] = []
    var tokenAnswer: Result<IssuedToken, AuthFailure>
    var provider = Sample.provider
    var policy = TokenPolicy.allow
    private(set) var allowances: [String: Bool] = [:]
    var sealAnswer = SealState.unlocked
    var passphrase = Secret("open sesame")
    private(set) var asked: [TokenRequest] = []
    var pasted: [Secret] = []
    var answers: [SignInForm.Answers] = []
    var codesAskedFor: [SignInAttempt.ID] = []
    private(set) var inspectedAt: [ProviderName?] = []
    var cancelled: [SignInAttempt.ID] = []
    private(set) var modes: [SignOutMode] = []
    private(set) var awaited: [BrowserReturn.ID] = []
    private(set) var released: [BrowserReturn.ID] = []
    var requests: [SignInRequest] = []
    var endedAttempts = 0
    private(set) var renewed: [SessionName] = []
    /// The times of the next due revocations, one per call; then none is due.
    var revocationsDue: [Timestamp] = []
    private(set) var deliveries = 0
    private(set) var revokedRemotely: [String] = []
    private(set) var proofs: [ProofRequest] = []
    private(set) var adopted: [String] = []
    private(set) var activated: [String] = []
    private(set) var derivedCredentials: [DerivedCredential] = []
    private(set) var kept: [ClientManagement] = []
    private(set) var unregistered: [String] = []
    var takesPassphraseAnswer = true
    private(set) var unlocks = 0
    /// If no passphrase is needed: why the key is unavailable.
    var keyFailure: AuthFailure?
    /// Whether the key becomes available only with ``releaseHeld()``.
    var holdsOpening = false
    private(set) var locks = 0
    var renewalFailure: AuthFailure?
    var deviceCodeFailure: AuthFailure?
    private var watchers: [Int: AsyncStream<SessionServiceEvent>.Continuation] = [:]
    private var nextWatcher = 0
    var attempt: AsyncStream<SignInEvent>.Continuation?
    private var held: [CheckedContinuation<Void, Never>] = []
    private var holds = false
    private var waiters: [Int: Waiter] = [:]
    private var nextWaiter = 0

    private struct Waiter {
        var condition: @Sendable (isolated ScriptedSessionService) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    init(_ summary: SessionSummary = Sample.session) {
        self.summary = summary
        tokenAnswer = .success(Sample.grant)
    }

    // MARK: Test controls

    func change(_ body: @Sendable (isolated ScriptedSessionService) -> Void) {
        body(self)
        settle()
    }

    func announce(_ event: SessionServiceEvent) { for watcher in watchers.values { watcher.yield(event) } }

    func report(_ event: SignInEvent) {
        attempt?.yield(event)
        if event.isLast { attempt?.finish() }
    }

    var watcherCount: Int { watchers.count }
    var attemptIsOpen: Bool { attempt != nil }

    /// Holds every token request until ``releaseHeld()``.
    func hold() { holds = true }

    func releaseHeld() {
        holds = false
        for request in held { request.resume() }
        held = []
    }

    var isHolding: Bool { !held.isEmpty }

    /// Waits until a condition holds for this session service; cancellation of the test ends the wait.
    func until(_ condition: @escaping @Sendable (isolated ScriptedSessionService) -> Bool) async {
        guard !condition(self) else { return }
        let id = nextWaiter
        nextWaiter += 1
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                waiters[id] = Waiter(condition: condition, continuation: continuation)
            }
        } onCancel: {
            Task { await self.giveUp(id) }
        }
    }

    private func giveUp(_ waiter: Int) { waiters.removeValue(forKey: waiter)?.continuation.resume() }

    /// Resumes the waiters whose condition now holds.
    func settle() {
        for (id, waiter) in waiters where waiter.condition(self) {
            waiters[id] = nil
            waiter.continuation.resume()
        }
    }

    // MARK: Session service

    func deliverRevocations() async -> Timestamp? {
        deliveries += 1
        settle()
        return revocationsDue.isEmpty ? nil : revocationsDue.removeFirst()
    }

    func providers() async throws(AuthFailure) -> [ProviderSummary] { [provider] }
    func sessions() async throws(AuthFailure) -> [SessionSummary] { [summary] + others }

    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        guard name == summary.name else { throw Sample.notSignedIn }
        return Sample.detail
    }

    func changes() async -> AsyncStream<SessionServiceEvent> { await events() }

    func events() async -> AsyncStream<SessionServiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let id = nextWatcher
        nextWatcher += 1
        watchers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.drop(watcher: id) } }
        settle()
        return stream
    }

    private func drop(watcher id: Int) {
        watchers[id] = nil
        settle()
    }

    func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? { Sample.details }

    func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        renewed.append(name)
        defer { settle() }
        if let renewalFailure { throw renewalFailure }
        summary.receivedAt = summary.receivedAt + .seconds(1)
        return summary
    }

    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        asked.append(request)
        if holds {
            await withCheckedContinuation {
                held.append($0)
                settle()
            }
        }
        settle()
        switch (policy, request.consent) {
        case (.allow, _), (.ask, .given): return try tokenAnswer.get()
        case (.ask, nil): throw .consentRequired(summary.name)
        case (.ask, let consent): throw .tokenRefused(summary.name, isUnanswered: consent == .unanswered)
        case (.deny, _): throw .tokenDenied(summary.name)
        }
    }

    func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        guard id == Sample.question.id else { throw TokenConsentRequest.isOver }
        allowances[id.text] = allows
    }

    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        modes.append(mode)
        settle()
        return Sample.receipt
    }

    func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        awaited.append(id)
        settle()
        return .unconfirmed(reason: "the browser came back with another state")
    }

    func stopWaiting(for id: BrowserReturn.ID) async {
        released.append(id)
        settle()
    }

    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        inspectedAt.append(provider)
        return Sample.view
    }

    func tokens(of name: SessionName) async throws(AuthFailure) -> [TokenView] {
        guard name == summary.name else { throw Sample.notSignedIn }
        return [Sample.view]
    }

    func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        guard name == summary.name else { throw Sample.notSignedIn }
        return [Sample.remoteToken]
    }

    func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        guard name == summary.name else { throw Sample.notSignedIn }
        revokedRemotely.append(id)
        return summary
    }

    func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        activated.append("\(account ?? "nobody") at \(provider)")
    }

    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        proofs.append(request)
        return "proof \(proofs.count)"
    }

    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        adopted.append("\(token.reveal()) in place of \(old.reveal()) in \(session) from \(resource)")
    }

    func derivedCredential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        asked.append(request)
        return derivedCredentials.first { $0.purpose == purpose }
    }

    func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) { derivedCredentials.append(credential) }

    func keep(_ management: ClientManagement) async throws(AuthFailure) { kept.append(management) }

    func unregister(_ clientID: String, at issuer: Issuer, caFile: String?) async throws(AuthFailure) -> Bool {
        unregistered.append("\(clientID) \(issuer) \(caFile ?? "-")")
        return kept.contains { $0.clientID == clientID && $0.issuer == issuer }
    }

    func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { [] }
    func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events() }
    func retire() async {}

    func needsPassphrase() async -> Bool { takesPassphraseAnswer }

    func seal() async -> SealState { sealAnswer }

    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !takesPassphraseAnswer else { return }
        if let keyFailure { throw keyFailure }
        if holdsOpening {
            await withCheckedContinuation {
                held.append($0)
                settle()
            }
        }
        sealAnswer = .unlocked
        settle()
    }

    func unlock(passphrase: Secret) async throws(AuthFailure) {
        unlocks += 1
        defer { settle() }
        guard passphrase == self.passphrase else {
            throw AuthFailure(.configuration, "store.wrong_passphrase", hint: "try again; nothing was changed")
        }
        sealAnswer = .unlocked
    }

    func lock() async throws(AuthFailure) {
        sealAnswer = .locked(isNew: false)
        locks += 1
        settle()
    }
}
