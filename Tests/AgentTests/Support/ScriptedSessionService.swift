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
    var sealAnswer = StoreState.unlocked
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
    private(set) var sealChanges: [Seal] = []
    /// The processes that wanted them.
    private(set) var sealRequesters: [RequestingProcess?] = []
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

    func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        defer { settle() }
        return try await Self.handlers.perform(operation, by: self)
    }

    private static let handlers = {
        var handlers = OperationHandlers<ScriptedSessionService>()
        handlers.on(ListProviders.self) { service, _ in [await service.provider] }
        handlers.on(ListSessions.self) { service, _ in [await service.summary] + (await service.others) }
        handlers.on(ShowSession.self) { service, operation throws(AuthFailure) in
            try await service.requireOwn(operation.session)
            return Sample.detail
        }
        handlers.on(ReadProviderDetails.self) { _, _ in Sample.details }
        handlers.on(ChooseDefaultAccount.self) { service, operation in
            await service.change { $0.activated.append("\(operation.account ?? "nobody") at \(operation.provider)") }
        }
        handlers.on(ListActivity.self) { _, _ in [] }

        handlers.on(IssueToken.self) { service, operation throws(AuthFailure) in try await service.issue(operation.request) }
        handlers.on(CreateProof.self) { service, operation in await service.prove(operation.request) }
        handlers.on(RenewSession.self) { service, operation throws(AuthFailure) in try await service.renewal(of: operation.session) }
        handlers.on(AdoptToken.self) { service, operation in
            let (token, old) = (operation.token.reveal(), operation.old.reveal())
            await service.change { $0.adopted.append("\(token) in place of \(old) in \(operation.session) from \(operation.resource)") }
        }
        handlers.on(ReadDerivedCredential.self) { service, operation in
            await service.change { $0.asked.append(operation.request) }
            return await service.derivedCredentials.first { $0.purpose == operation.purpose }
        }
        handlers.on(ListRoles.self) { service, operation throws(AuthFailure) in
            try await service.admit(operation.request)
            return RoleList(
                [AccountRole(account: "000000000001", role: "ReadOnly", accountName: "production")],
                listedAt: Timestamp(milliseconds: 1_800_000_000_000))
        }
        handlers.on(IssueRoleCredentials.self) { service, operation in
            await service.change { $0.asked.append(operation.request) }
            return DerivedCredential(
                purpose: operation.role.text, secret: Secret("keys"), usableUntil: Timestamp(milliseconds: 1_900_000_000_000))
        }
        handlers.on(KeepDerivedCredential.self) { service, operation in
            await service.change { $0.derivedCredentials.append(operation.credential) }
        }
        handlers.on(ListTokens.self) { service, operation throws(AuthFailure) in
            try await service.requireOwn(operation.session)
            return [Sample.view]
        }
        handlers.on(ListRemoteTokens.self) { service, operation throws(AuthFailure) in
            try await service.requireOwn(operation.session)
            return [Sample.remoteToken]
        }
        handlers.on(RevokeRemoteToken.self) { service, operation throws(AuthFailure) in
            try await service.requireOwn(operation.session)
            await service.change { $0.revokedRemotely.append(operation.id) }
            return await service.summary
        }
        handlers.on(InspectToken.self) { service, operation in
            await service.change { $0.inspectedAt.append(operation.provider) }
            return Sample.view
        }

        handlers.on(PasteText.self) { service, operation in await service.change { $0.pasted.append(operation.text) } }
        handlers.on(SubmitAnswers.self) { service, operation in await service.change { $0.answers.append(operation.answers) } }
        handlers.on(RequestDeviceCode.self) { service, operation throws(AuthFailure) in
            await service.change { $0.codesAskedFor.append(operation.attempt) }
            if let failure = await service.deviceCodeFailure { throw failure }
        }
        handlers.on(CancelSignIn.self) { service, operation in
            await service.change { $0.cancelled.append(operation.attempt) }
            await service.report(.finished(.failure(AuthFailure(.cancelled, "sign_in.cancelled"))))
        }
        handlers.on(AnswerQuestion.self) { service, operation throws(AuthFailure) in
            guard operation.id == Sample.question.id else { throw TokenConsentRequest.isOver }
            await service.change { $0.allowances[operation.id.text] = operation.allows }
        }

        handlers.on(SignOutSession.self) { service, operation in
            await service.change { $0.modes.append(operation.mode) }
            return Sample.receipt
        }
        handlers.on(AwaitBrowserReturn.self) { service, operation in
            await service.change { $0.awaited.append(operation.id) }
            return .unconfirmed(reason: "the browser came back with another state")
        }
        handlers.on(StopWaitingForBrowser.self) { service, operation in await service.change { $0.released.append(operation.id) } }

        handlers.on(KeepRegistration.self) { service, operation in await service.change { $0.kept.append(operation.management) } }
        handlers.on(RemoveRegistration.self) { service, operation in
            await service.change { $0.unregistered.append("\(operation.clientID) \(operation.issuer) \(operation.caFile ?? "-")") }
            return await service.kept.contains { $0.clientID == operation.clientID && $0.issuer == operation.issuer }
        }

        handlers.on(ReadSeal.self) { service, _ in
            SealReport(state: await service.sealAnswer, needsPassphrase: await service.takesPassphraseAnswer)
        }
        handlers.on(UnlockStore.self) { service, operation throws(AuthFailure) in
            await service.change { $0.unlocks += 1 }
            guard await service.passphrase == operation.passphrase else {
                throw AuthFailure(.configuration, "store.wrong_passphrase", hint: "try again; nothing was changed")
            }
            await service.change { $0.sealAnswer = .unlocked }
            return .unlocked
        }
        handlers.on(ChangeSeal.self) { service, operation throws(AuthFailure) in
            if let given = operation.passphrase, await service.passphrase != given {
                throw AuthFailure(.configuration, "store.wrong_passphrase", hint: "try again; nothing was changed")
            }
            await service.change {
                $0.sealChanges.append(operation.seal)
                $0.sealRequesters.append(operation.requester)
            }
            return SealReport(state: .unlocked, needsPassphrase: false, seal: operation.seal, systemKey: .hostAndTPM)
        }
        handlers.on(LockStore.self) { service, _ in
            await service.change {
                $0.sealAnswer = .locked(isNew: false)
                $0.locks += 1
            }
            return .locked(isNew: false)
        }
        return handlers
    }()

    private func requireOwn(_ name: SessionName) throws(AuthFailure) {
        guard name == summary.name else { throw Sample.notSignedIn }
    }

    private func prove(_ request: ProofRequest) -> String {
        proofs.append(request)
        return "proof \(proofs.count)"
    }

    private func renewal(of name: SessionName) throws(AuthFailure) -> SessionSummary {
        renewed.append(name)
        if let renewalFailure { throw renewalFailure }
        summary.receivedAt = summary.receivedAt + .seconds(1)
        return summary
    }

    private func issue(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        asked.append(request)
        if holds { await waitUntilReleased() }
        settle()
        try decide(about: request)
        return try tokenAnswer.get()
    }

    private func admit(_ request: TokenRequest) throws(AuthFailure) {
        asked.append(request)
        try decide(about: request)
    }

    private func decide(about request: TokenRequest) throws(AuthFailure) {
        switch (policy, request.consent) {
        case (.allow, _), (.ask, .given): return
        case (.ask, nil): throw .consentRequired(summary.name)
        case (.ask, let consent): throw .tokenRefused(summary.name, isUnanswered: consent == .unanswered)
        case (.deny, _): throw .tokenDenied(summary.name)
        }
    }

    private func waitUntilReleased() async {
        await withCheckedContinuation {
            held.append($0)
            settle()
        }
    }

    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !takesPassphraseAnswer else { return }
        if let keyFailure { throw keyFailure }
        if holdsOpening { await waitUntilReleased() }
        sealAnswer = .unlocked
        settle()
    }

    func deliverRevocations() async -> Timestamp? {
        deliveries += 1
        settle()
        return revocationsDue.isEmpty ? nil : revocationsDue.removeFirst()
    }

    func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
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

    /// Starts a sign-in, which the test ends with ``report(_:)``.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        requests.append(request)
        let (stream, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        attempt = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.attemptEnded() } }
        settle()
        return SignInAttempt(id: SignInAttempt.ID("attempt-1"), events: stream)
    }

    private func attemptEnded() {
        endedAttempts += 1
        attempt = nil
        settle()
    }
}
