public import AuthModel
internal import SessionStore

extension Engine {
    /// Starts a sign-in attempt. The store must be writable.
    public func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        let adapter = try adapter(for: request.provider)
        // Do not start a sign-in whose result could not be saved.
        try await requireOpenStore()
        do { try await store.verifyWritable() } catch { throw error.failure }
        guard request.purpose != .recover || adapter.recovers else {
            throw AuthFailure(
                .configuration, "\(request.provider) does not support account recovery",
                hint: "see the provider's website, or set recover_url if its kind supports it")
        }
        let request = await removingGuestAccount(request)
        try await requireLabel(of: request)
        try validateAnswers(request, adapter)
        let hintedRequest = await addingLoginHint(request)
        let (events, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let id = SignInAttempt.ID(AttemptIdentifiers.next())
        let reporter = AttemptReporter(events: continuation)
        let task = Task {
            let outcome = await self.run(hintedRequest, adapter: adapter, reporter: reporter)
            self.attempts[id] = nil
            continuation.yield(.finished(outcome))
            continuation.finish()
        }
        attempts[id] = RunningAttempt(task: task, reporter: reporter)
        continuation.onTermination = { reason in
            if case .cancelled = reason { task.cancel() }
        }
        return SignInAttempt(id: id, events: events)
    }

    /// Passes pasted text to an attempt.
    public func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await running(attempt).reporter.pastes.submit(text)
    }

    /// Requests a device code for an attempt.
    public func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await running(attempt).reporter.deviceCodes.request()
    }

    /// Passes the user's answers to an attempt.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await running(attempt).reporter.forms.submit(answers)
    }

    private func running(_ attempt: SignInAttempt.ID) throws(AuthFailure) -> RunningAttempt {
        guard let running = attempts[attempt] else { throw .signInHasEnded }
        return running
    }

    /// Returns a provider's details; `nil` if its kind has none.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        try await adapter(for: provider).details()
    }

    /// Cancels an attempt and waits for its end.
    public func cancel(_ attempt: SignInAttempt.ID) async {
        guard let running = attempts[attempt] else { return }
        running.task.cancel()
        await running.task.value
    }

    /// Throws if a new account may not have this label. An account that an older version gave such a label keeps it.
    private func requireLabel(of request: SignInRequest) async throws(AuthFailure) {
        guard let account = request.account, !SessionName.isPlainLabel(account) else { return }
        let known = SessionName(provider: request.provider, account: account)
        if let known, let sessions = try? await store.summaries(), sessions.contains(where: { $0.name == known }) { return }
        throw AuthFailure(
            .usage, "the account label is invalid",
            hint: "use letters, digits and . _ - @ +, up to 256 bytes; do not start with - or .")
    }

    /// Throws if the request answers a field that the provider does not ask for. Ignoring the answer would sign the user in by another
    /// method than they chose.
    private func validateAnswers(_ request: SignInRequest, _ adapter: any ProviderAdapter) throws(AuthFailure) {
        let asked = adapter.askedFields(request.purpose)
        guard let field = request.answers.keys.sorted().first(where: { !asked.contains($0) }) else { return }
        throw switch field {
        case "idp":
            AuthFailure(
                .usage, "\(request.provider) does not support choosing an identity provider in advance",
                hint: "remove --idp and choose on its page; some providers accept the choice in extra_params")
        case "email":
            AuthFailure(
                .usage, "\(request.provider) does not ask for an e-mail address here", hint: "remove --email, and enter it on its page")
        case "display_name":
            AuthFailure(
                .usage, "\(request.provider) does not ask for a display name here",
                hint: "remove --display-name; signup_body defines what is sent to a backend")
        default: AuthFailure(.usage, "\(request.provider) does not ask for '\(field)'", hint: "remove the answer")
        }
    }

    /// Returns the request without the guest account: a user cannot sign in as a guest.
    private func removingGuestAccount(_ request: SignInRequest) async -> SignInRequest {
        guard let name = request.account.flatMap({ SessionName(provider: request.provider, account: $0) }),
            let sessions = try? await store.summaries(), sessions.contains(where: { $0.name == name && $0.isAnonymousGuest })
        else { return request }
        var request = request
        request.account = nil
        return request
    }

    /// Returns the request with a login hint, if it names an account that signed in before.
    func addingLoginHint(_ request: SignInRequest) async -> SignInRequest {
        guard request.purpose == .signIn, request.loginHint == nil, let account = request.account,
            let name = SessionName(provider: request.provider, account: account), let record = try? await store.record(name)
        else { return request }
        var request = request
        request.loginHint = record.identity.text("preferred_username") ?? record.identity.text("email")
        return request
    }

    /// Runs one attempt, from the request to a sealed session or a failure.
    private func run(
        _ request: SignInRequest, adapter: any ProviderAdapter, reporter: AttemptReporter
    ) async -> Result<SessionSummary, AuthFailure> {
        // Send queued revocations while the user is at the provider.
        let delivery = await startDelivery()
        do throws(AuthFailure) {
            reporter.report(.planned(adapter.steps(of: request)))
            let grant = try await adapter.signIn(request, attempt: reporter, sessions: self)
            if Task.isCancelled { throw AuthFailure(.cancelled, "the sign-in was cancelled") }
            let summary = try await reporter.step(.seal) { () async throws(AuthFailure) in
                try await self.keep(grant, for: request, adapter: adapter)
            }
            announce(.signedIn, summary.name, "signed in at \(adapter.address(of: summary))")
            await announceSessions()
            await waitForDelivery(delivery)
            return .success(summary)
        } catch {
            let failure = Task.isCancelled ? AuthFailure(.cancelled, "the sign-in was cancelled") : error
            if failure.isFailure {
                announce(.signInFailed, SessionName(provider: request.provider, account: request.account), failure.summary)
            }
            return .failure(failure)
        }
    }

    /// Returns the store's record of a sign-in's result.
    func record(
        of grant: SignInResult, provider: ProviderName, label: String, adapter: any ProviderAdapter
    ) throws(AuthFailure) -> SessionRecord {
        guard let name = SessionName(provider: provider, account: label) else {
            throw AuthFailure(.bug, "cannot choose a label for the account")
        }
        guard !grant.identity.subject.utf8.contains(0) else {
            throw AuthFailure(
                .security, "the user's name from \(adapter.address) has invalid characters", hint: "contact its administrator")
        }
        let tokens = grant.tokens
        let subject = grant.identity.subject.isEmpty ? nil : grant.identity.subject
        var warnings = grant.warnings
        if adapter.configuration.sessionLifetime == .process { warnings.append("it ends when you quit the app or the agent stops") }
        if subject == nil {
            warnings.append("\(adapter.address) does not identify the user: its accounts differ only by name")
        }
        let summary = SessionSummary(
            name: name, issuer: grant.identity.issuer, subject: subject, recordedState: grant.state,
            accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt, isRenewable: adapter.canRenew(tokens),
            scopes: tokens.scopes, grantedAt: tokens.receivedAt, receivedAt: tokens.receivedAt, warnings: warnings)
        return SessionRecord(
            summary: summary, tokens: tokens, identity: grant.identity, clientID: grant.clientID, extras: grant.extras)
    }

    /// Returns the session that a new one replaces although the provider does not say who signed in: a session that was made with another
    /// client, for example one that the server deleted. It can no longer be renewed, and its account keeps its name.
    private func sessionReplacedBySignIn(replacedBy record: SessionRecord) async -> SessionName? {
        let new = record.summary
        guard new.subject == nil, let known = try? await store.records(provider: new.name.provider) else { return nil }
        let former = known.filter { $0.summary.subject == nil && $0.summary.issuer == new.issuer && $0.clientID != record.clientID }
            .map(\.summary.name)
        if former.contains(new.name) { return new.name }
        return former.count == 1 ? former[0] : nil
    }

    /// Saves the result of a sign-in: replaces the older session of the same account, or adds a new one.
    func keep(_ grant: SignInResult, for request: SignInRequest, adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionSummary {
        var record = try record(
            of: grant, provider: request.provider, label: request.account ?? grant.identity.defaultLabel, adapter: adapter)
        let successor = request.account == nil ? await sessionReplacedBySignIn(replacedBy: record) : nil
        if let successor { record.summary.name = successor }
        do {
            // Repeat the write: the authorization code is spent, and the user would have to sign in again.
            let kept = try await saved { [store, record] () async throws(StoreError) in
                try await store.store(record, label: request.account == nil && successor == nil ? .suggested : .chosen)
            }.summary
            if grant.state != .guest { await forgetGuest(at: request.provider) }
            return kept
        } catch {
            guard case .nameTaken(let name) = error.kind else { throw error.failure }
            throw AuthFailure(
                .security, "the provider signed in \(grant.identity.defaultLabel), but \(name) is another account",
                hint: "choose the right account in the browser, or use another label with --account")
        }
    }
}

extension AuthFailure {
    /// An operation on an attempt that has ended.
    package static let signInHasEnded = AuthFailure(.usage, "this sign-in has already ended", hint: "start a new one")
}
