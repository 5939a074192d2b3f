package import AuthModel
import SessionStore
import Synchronization

/// Signs a user in.
///
/// The steps in order:
/// 1. Prepare: unlock the store and verify that it can be written, and check the request.
/// 2. Start the attempt. From now on, its events tell the user what happens, and the user may paste, answer and cancel.
/// 3. Run the provider's flow. The adapter talks to the provider and validates the responses.
/// 4. Seal the session. It replaces the older session of the same account, or a guest's.
/// 5. Report the session to the observers, and end the attempt with its result.
///
/// A failed attempt leaves an older session of the same account unchanged.
struct SignIn: Sendable {
    let context: EngineContext
    let attempts: SignInAttempts
    let seal: StoreSeal
    let guests: GuestSessions
    let revocations: RevocationDelivery
    /// The base sessions, for a session that is made from another one.
    let baseSessions: BaseSessions

    /// Starts a sign-in attempt. The store must be writable.
    func start(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        // 1. Prepare.
        let adapter = try context.providers.adapter(for: request.provider)
        // With cached metadata, the user would go through the browser before the first request fails.
        if let obstacle = context.environment.transport.obstacle { throw obstacle }
        // Do not start a sign-in whose result could not be saved.
        try await seal.requireOpen()
        do { try await context.store.verifyWritable() } catch { throw error.failure }
        let request = try await prepared(request, for: adapter)
        // 2. Start.
        let (events, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let id = SignInAttempt.ID(AttemptIdentifiers.next())
        let channel = AttemptChannel(events: continuation)
        let task = attempts.add(id, channel) {
            Task {
                let end = await run(request, adapter: adapter, channel: channel)
                attempts.remove(id)
                continuation.yield(end)
                continuation.finish()
            }
        }
        continuation.onTermination = { reason in
            if case .cancelled = reason { task.cancel() }
        }
        return SignInAttempt(id: id, events: events)
    }

    /// Runs one attempt, from the request to a sealed session, a failure or an end without a session. Returns its last event.
    private func run(
        _ request: SignInRequest, adapter: any ProviderAdapter, channel: AttemptChannel
    ) async -> SignInEvent {
        // Send queued revocations while the user is at the provider.
        let delivery = await revocations.start()
        do throws(AuthFailure) {
            // 3. Run the flow.
            channel.report(.planned(adapter.steps(of: request)))
            let outcome = try await adapter.signIn(request, attempt: channel, sessions: baseSessions)
            if Task.isCancelled { throw .signInCancelled }
            if case .noSession(let end) = outcome { return .finishedWithoutSession(end) }
            let result = try outcome.result()
            // 4. Seal.
            let summary = try await channel.step(.seal) { () async throws(AuthFailure) in
                try await save(result, for: request, adapter: adapter, attempt: channel)
            }
            // 5. Report.
            await report(summary, adapter)
            await revocations.wait(for: delivery)
            // Those of a session that this one has replaced.
            if request.replacesSession { await revocations.wait(for: await revocations.start()) }
            return .finished(.success(summary))
        } catch {
            let failure = Task.isCancelled ? .signInCancelled : error
            await context.events.announce(
                .signInFailed, SessionName(provider: request.provider, account: request.account), failure.message)
            return .finished(.failure(failure))
        }
    }

    /// Signs in to the provider of a base session, as a part of the attempt for the session that is derived from it.
    func signIn(within attempt: AttemptChannel, _ request: SignInRequest) async throws(AuthFailure) -> SessionSummary {
        let adapter = try context.providers.adapter(for: request.provider)
        let hinted = await addingLoginHint(request)
        let outcome = try await adapter.signIn(hinted, attempt: attempt, sessions: baseSessions)
        if Task.isCancelled { throw .signInCancelled }
        let result = try outcome.result()
        let summary = try await save(result, for: request, adapter: adapter, attempt: attempt)
        await report(summary, adapter)
        return summary
    }

    /// Saves the result of a sign-in: replaces the older session of the same account, or adds a new one.
    ///
    /// If another account than the requested one was signed in, asks the user whether to keep it under its own name.
    private func save(
        _ result: SignInResult, for request: SignInRequest, adapter: any ProviderAdapter, attempt: AttemptChannel
    ) async throws(AuthFailure) -> SessionSummary {
        var record = try SessionRecord(
            result, provider: request.provider, label: request.account ?? result.defaultLabel, adapter: adapter)
        let replaced = request.account == nil ? await sessionToReplace(with: record) : nil
        if let replaced { record.summary.name = replaced }
        let former = request.replacesSession ? await sessionOfFormerIssuer(named: record.summary.name, adapter) : nil
        do {
            // Repeat the write: the authorization code is spent, and the user would have to sign in again.
            let kept = try await SaveRetry(context.environment).run { [context, record] () async throws(StoreError) in
                try await context.store.store(
                    record, label: request.account == nil && replaced == nil ? .suggested : .chosen, inPlaceOf: former)
            }.summary
            if former != nil { await context.events.announce(.signedOut, record.summary.name, UserMessage("sign_out.done")) }
            if result.state != .guest { await guests.forget(at: request.provider) }
            return kept
        } catch {
            guard case .nameTaken(let name) = error.kind else { throw error.failure }
            let other = OtherAccount(label: result.defaultLabel, identity: result.identity, requested: name)
            guard request.account != nil, try await other.isKept(asking: attempt, given: request) else { throw other.failure }
            var own = request
            own.account = nil
            return try await save(result, for: own, adapter: adapter, attempt: attempt)
        }
    }

    /// Returns the existing session that `record` replaces if the provider does not identify the user: the session of the same issuer that
    /// was made with another client, such as a client that the server deleted. That session can no longer be renewed; the new session takes
    /// its name.
    private func sessionToReplace(with record: SessionRecord) async -> SessionName? {
        let new = record.summary
        guard new.subject == nil, let known = try? await context.store.records(provider: new.name.provider) else { return nil }
        let former = known.filter { $0.summary.subject == nil && $0.summary.issuer == new.issuer && $0.clientID != record.clientID }
            .map(\.summary.name)
        if former.contains(new.name) { return new.name }
        return former.count == 1 ? former[0] : nil
    }

    /// Returns the session with a name that was made at another issuer than the configured one, and its revocations. It is used nowhere, so
    /// the new session may take its name.
    private func sessionOfFormerIssuer(
        named name: SessionName, _ adapter: any ProviderAdapter
    ) async -> (record: SessionRecord, revocations: [QueuedRevocation])? {
        guard let record = try? await context.store.record(name), !adapter.isOwn(record) else { return nil }
        var revocations: [QueuedRevocation] = []
        for case .token(_, let revocation) in await adapter.revocations(for: record) { revocations.append(revocation) }
        return (record, revocations)
    }

    private func report(_ summary: SessionSummary, _ adapter: any ProviderAdapter) async {
        await context.events.announce(.signedIn, summary.name, UserMessage("sign_in.done", ["host": adapter.address(of: summary)]))
        await context.events.announceSessions()
    }
}

/// Checks and completes the request before the provider is asked.
extension SignIn {
    /// Returns the request without a guest's account and with a login hint. Throws if the provider does not offer what it asks for.
    private func prepared(_ request: SignInRequest, for adapter: any ProviderAdapter) async throws(AuthFailure) -> SignInRequest {
        guard request.purpose != .recover || adapter.recovers else {
            throw AuthFailure(
                .configuration, UserMessage("account.recovery_not_supported", ["provider": request.provider]),
                hint: "hint.recover_at_website")
        }
        let request = await removingGuestAccount(request)
        try await requireLabel(of: request)
        try validateAnswers(request, adapter)
        return await addingLoginHint(request)
    }

    /// Throws if a new account may not have this label. An account that an older version gave such a label keeps it.
    private func requireLabel(of request: SignInRequest) async throws(AuthFailure) {
        guard let account = request.account, !SessionName.isPlainLabel(account) else { return }
        let known = SessionName(provider: request.provider, account: account)
        if let known, let sessions = try? await context.store.summaries(), sessions.contains(where: { $0.name == known }) { return }
        throw AuthFailure(
            .usage, "account.invalid_label",
            hint: "hint.account_label_characters")
    }

    /// Throws if the request answers a field that the provider does not ask for. Ignoring the answer would sign the user in by another
    /// method than they chose.
    private func validateAnswers(_ request: SignInRequest, _ adapter: any ProviderAdapter) throws(AuthFailure) {
        let asked = adapter.askedFields(request.purpose)
        guard let field = request.answers.keys.sorted().first(where: { !asked.contains($0) }) else { return }
        throw switch field {
        case "idp":
            AuthFailure(
                .usage, UserMessage("sign_in.idp_choice_not_supported", ["provider": request.provider]),
                hint: "hint.remove_idp")
        case "email":
            AuthFailure(
                .usage, UserMessage("form.email_not_asked", ["provider": request.provider]), hint: "hint.remove_email")
        case "display_name":
            AuthFailure(
                .usage, UserMessage("form.display_name_not_asked", ["provider": request.provider]),
                hint: "hint.remove_display_name")
        default:
            AuthFailure(
                .usage, UserMessage("form.field_not_asked", ["provider": request.provider, "field": field]), hint: "hint.remove_answer")
        }
    }

    /// Returns the request without the guest account: a user cannot sign in as a guest.
    private func removingGuestAccount(_ request: SignInRequest) async -> SignInRequest {
        guard let name = request.account.flatMap({ SessionName(provider: request.provider, account: $0) }),
            let sessions = try? await context.store.summaries(), sessions.contains(where: { $0.name == name && $0.isAnonymousGuest })
        else { return request }
        var request = request
        request.account = nil
        return request
    }

    /// Returns the request with a login hint, if it names an account that signed in before.
    private func addingLoginHint(_ request: SignInRequest) async -> SignInRequest {
        guard request.purpose == .signIn, request.loginHint == nil, let account = request.account,
            let name = SessionName(provider: request.provider, account: account), let record = try? await context.store.record(name)
        else { return request }
        var request = request
        request.loginHint = record.identity.text("preferred_username") ?? record.identity.text("email")
        return request
    }
}

extension AuthFailure {
    /// An operation on an attempt that has ended.
    package static let signInHasEnded = AuthFailure(.usage, "sign_in.already_ended", hint: "hint.start_new_one")
}

extension SessionRecord {
    /// Creates the store's record of a sign-in's result.
    init(_ result: SignInResult, provider: ProviderName, label: String, adapter: any ProviderAdapter) throws(AuthFailure) {
        guard let name = SessionName(provider: provider, account: label) else {
            throw AuthFailure(.bug, "account.no_label_found")
        }
        guard !result.identity.subject.utf8.contains(0) else {
            throw AuthFailure(
                .security, UserMessage("account.invalid_name_characters", ["host": adapter.address]), hint: "hint.contact_its_administrator"
            )
        }
        let tokens = result.tokens
        let subject = result.identity.subject.isEmpty ? nil : result.identity.subject
        var warnings = result.warnings
        if adapter.configuration.sessionLifetime == .process { warnings.append(UserMessage("session.ends_with_process")) }
        if subject == nil {
            warnings.append(UserMessage("account.user_not_identified", ["host": adapter.address]))
        }
        let summary = SessionSummary(
            name: name, issuer: result.identity.issuer, subject: subject, recordedState: result.state,
            accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt, isRenewable: adapter.canRenew(tokens),
            scopes: tokens.scopes, grantedAt: tokens.receivedAt, receivedAt: tokens.receivedAt, warnings: warnings)
        self.init(summary: summary, tokens: tokens, identity: result.identity, clientID: result.clientID, extras: result.extras)
    }
}

/// The sign-in attempts in progress, with the receivers of what the user pastes, answers and requests.
final class SignInAttempts: Sendable {
    private struct Running {
        let task: Task<Void, Never>
        let channel: AttemptChannel
    }

    private let attempts = Mutex<[SignInAttempt.ID: Running]>([:])

    /// Starts an attempt and adds it, in one atomic step. The attempt ends with ``remove(_:)``.
    func add(_ id: SignInAttempt.ID, _ channel: AttemptChannel, start: () -> Task<Void, Never>) -> Task<Void, Never> {
        attempts.withLock { attempts in
            let task = start()
            attempts[id] = Running(task: task, channel: channel)
            return task
        }
    }

    /// Removes an attempt that has ended.
    func remove(_ id: SignInAttempt.ID) { attempts.withLock { $0[id] = nil } }

    /// Returns the receivers of an attempt. Throws if the attempt has ended.
    func channel(of id: SignInAttempt.ID) throws(AuthFailure) -> AttemptChannel {
        guard let running = attempts.withLock({ $0[id] }) else { throw .signInHasEnded }
        return running.channel
    }

    /// Cancels an attempt and waits for its end.
    func cancel(_ id: SignInAttempt.ID) async {
        guard let running = attempts.withLock({ $0[id] }) else { return }
        running.task.cancel()
        await running.task.value
    }
}
