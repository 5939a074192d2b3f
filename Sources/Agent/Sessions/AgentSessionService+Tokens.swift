public import AuthModel

/// How tokens are issued: from the cache, with the user's consent, and in place of refused ones.
extension AgentSessionService {
    /// Issues a token, from the cache if possible. Asks the observers for consent if the policy is `ask`.
    func issue(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        if !request.isForwarded { idle.touch() }
        let service = try await services.current()
        // Only now the configuration is as the file says.
        try await refuseBlocked(request, by: service)
        // A token that a resource refuses must not be issued to other callers.
        if request.refused != nil { cache.clear() }
        if let cached = cache.token(for: request, now: time.now, bootTime: time.bootTime) {
            let issued = try await accepted(cached.issued, for: request, by: service)
            if issued == cached.issued { announceUse(of: issued, by: request) }
            return issued
        }
        let generation = cache.generation
        let issued = try await consented(request, by: service)
        // The user's consent was for one program, once.
        if request.refused != nil { cache.clear() }
        if !issued.isConsented { cache.insert(issued.value, for: request, generation: generation, bootTime: time.bootTime) }
        return issued.value
    }

    /// Returns the cached token for a request without suspending the caller; `nil` if ``issue(_:)`` must find it.
    ///
    /// The cache is empty while the store is locked and after every change of a session. What the cache does not learn is checked here:
    /// a sleep of the machine and a change of the configuration.
    nonisolated func cachedToken(for request: TokenRequest) -> IssuedTokenCache.CachedToken? {
        guard !storeLock.hasSlept, services.isCurrent, blocked.refusal(of: request.caller, process: request.process) == nil,
            let cached = cache.token(for: request, now: time.now, bootTime: time.bootTime)
        else { return nil }
        idle.touch()
        announceUse(of: cached.issued, by: request)
        return cached
    }

    /// Reports the use of a cached token to the observers; the store learns of it when the entry expires.
    private nonisolated func announceUse(of issued: IssuedToken, by request: TokenRequest) {
        guard observers.wantActivity else { return }
        observers.announce(.activity(Activity(at: time.now, kind: .issued, session: issued.session, message: request.issuedMessage)))
    }

    /// Throws if a blocked program asks, and reports that to the observers; the server records it.
    func refuseBlocked(_ request: TokenRequest, by service: any SessionService) async throws(AuthFailure) {
        guard let refusal = blocked.refusal(of: request.caller, process: request.process) else { return }
        guard observers.wantActivity else { throw refusal }
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        let message = UserMessage(
            "activity.no_token_for_program", ["program": request.caller ?? "phrase.a_program", "detail": refusal.message])
        observers.announce(.activity(Activity(at: time.now, kind: .tokenRefused, session: session, message: message)))
        throw refusal
    }

    /// Requests a token. If the policy is `ask`, asks the user for consent first.
    private func consented(_ request: TokenRequest, by service: any SessionService) async throws(AuthFailure) -> (
        value: IssuedToken, isConsented: Bool
    ) {
        var first = request
        // Whether an observer can answer is known only below.
        if first.asking == .service { first.asking = .caller }
        do throws(AuthFailure) {
            return (try await requestedToken(first, from: service), request.consent != nil)
        } catch {
            guard error.needsConsent, request.asking != .noPrompt else { throw error }
        }
        var second = request
        let answer = try await questions.consent(to: request, by: service)
        second.consent = answer?.consent
        second.consentConfirmation = answer?.witness
        return (try await requestedToken(second, from: service), true)
    }

    /// Returns a token for something in this process that no user waits for. It is no use of the keys, so the lock after an idle time is not
    /// delayed, and no one is asked.
    public func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        var request = request
        request.asking = .noPrompt
        return try await services.current().token(request)
    }

    /// Returns a value after each change of a session or of the lock, for one reader.
    public nonisolated func changes() -> AsyncStream<Void> { bell.stream() }

    /// Keeps the agent from ending because it is idle, or no longer.
    public nonisolated func keepRunning(_ isNeeded: Bool) { idle.hold(isNeeded) }

    private func requestedToken(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        plan.callerWaits(for: request.session.provider)
        defer { plan.callerLeft(request.session.provider) }
        return try await accepted(try await service.token(request), for: request, by: service)
    }

    /// Returns a token that is about to be issued, or another one if a resource must have refused it, because the program that has it asks
    /// again. If there is no other one, the refusal may have had another reason, and the token is issued again.
    private func accepted(
        _ issued: IssuedToken, for request: TokenRequest, by service: any SessionService
    ) async throws(AuthFailure) -> IssuedToken {
        guard repeated.isRefused(issued, for: request, now: time.now, bootTime: time.bootTime) else { return issued }
        var renewal = request
        renewal.refused = issued.token
        cache.clear()
        do throws(AuthFailure) {
            let replacement = try await service.token(renewal)
            repeated.replace(with: replacement, for: request)
            return replacement
        } catch {
            return try await service.token(request)
        }
    }

    /// Returns a proof for a token, unless the caller is a blocked program.
    ///
    /// - Parameter isForwarded: whether a program on another machine asks. That does not delay the lock after an idle time.
    func proof(
        _ request: ProofRequest, for caller: UserMessage?, process: Int32?, isForwarded: Bool = false
    ) async throws(AuthFailure) -> String {
        if !isForwarded { idle.touch() }
        let service = try await services.current()
        if let refusal = blocked.refusal(of: caller, process: process) { throw refusal }
        return try await service.proof(request)
    }
}
