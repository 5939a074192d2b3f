import AuthModel
import Synchronization
import TerminalUI

/// Performs ``Command`` values with a session service and the environment, and posts the results.
///
/// The only asynchronous part of the app. The runtime starts one task per command; this class stores the state that commands share, which
/// is the sign-ins in progress.
final class EffectRunner: CommandPerformer {
    private let service: any SessionService
    let environment: TerminalAppEnvironment
    private let state = Mutex(State())

    /// The shared state.
    private struct State {
        var runs: [RunID: Run] = [:]
        /// The tasks to wait for when the app quits, by number.
        var awaited: [Int: PendingTask] = [:]
        var started = 0
        var isClosed = false
    }

    private struct PendingTask {
        var task: Task<Void, Never>
        /// Whether the task may be cancelled first. A renewal and a sign-out may not: interrupting one could lose a session.
        var isInterruptible: Bool
    }

    /// The state of one sign-in from request to end.
    private enum Run {
        /// The request is at the session service. Becomes ``begun(_:of:)`` or ``unwanted``.
        case beginning
        /// The session service has started it. Removed when its events end, or when it is cancelled.
        case begun(SignInAttempt, of: SignInRequest)
        /// Cancelled before the session service had answered. Removed when it answers.
        case unwanted
    }

    init(service: any SessionService, environment: TerminalAppEnvironment) {
        self.service = service
        self.environment = environment
    }

    func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async {
        switch command {
        case .load: postUnlessCancelled(await load(), post)
        case .reload:
            postUnlessCancelled(.settingsRead(await result(try await environment.readSettings())), post)
        case .watchSettings: for await _ in environment.settingsChanges() { post(.settingsChanged) }
        case .watch: await watch(post)
        case .loadSession(let name):
            postUnlessCancelled(.sessionLoaded(name, await result(try await service.session(name))), post)
            postUnlessCancelled(await bridges(), post)
        case .loadBridges: postUnlessCancelled(await bridges(), post)
        case .loadTokens(let name):
            postUnlessCancelled(.tokensLoaded(name, await result(try await service.tokens(of: name))), post)
        case .loadRoles(let name, let isFresh):
            let operation = ListRoles(consentedRequest(name), isFresh: isFresh)
            postUnlessCancelled(.rolesLoaded(name, await result(try await service.perform(operation))), post)
        case .openConsole(let name, let role):
            await finish(isInterruptible: true) { post(.consoleOpened(name, role, await self.openConsole(of: name, as: role))) }
        // A failed read shows no error: the list then contains only new entries.
        case .loadActivity: postUnlessCancelled(.activityLoaded((try? await service.activity(ListActivity.maximum)) ?? []), post)
        case .beginSignIn(let request, let run): await finish(isInterruptible: true) { await self.begin(request, run, post) }
        case .followSignIn(let run): await follow(run, post)
        case .cancelSignIn(let run): await cancel(run)
        case .paste(let text, let run):
            if let id = attempt(of: run)?.id { post(.pasteAnswered(run, await failure(try await service.paste(text, into: id)))) }
        case .answer(let answers, let run):
            if let id = attempt(of: run)?.id { post(.formAnswered(run, await failure(try await service.answer(answers, to: id)))) }
        case .requestDeviceCode(let run):
            if let id = attempt(of: run)?.id { post(.deviceCodeAnswered(run, await failure(try await service.requestDeviceCode(for: id)))) }
        case .openBrowser(let url, let provider): post(.browserAnswered(url, await environment.openBrowser(url, provider)))
        case .renew(let name):
            await finish(isInterruptible: false) { () async in
                post(.renewalEnded(name, await self.result(try await self.service.renew(name))))
            }
        case .signOut(let name, let mode):
            await finish(isInterruptible: false) { () async in
                post(.signOutEnded(name, mode, await self.result(try await self.service.signOut(name, mode: mode))))
            }
        case .makeDefault(let name):
            post(.defaultChoiceEnded(name, await failure(try await service.makeDefault(name.account, at: name.provider))))
        case .awaitBrowser(let wait): await finish(isInterruptible: true) { await self.awaitBrowser(wait, post) }
        case .unlock(let text, let isPIN):
            post(.unlockEnded(await failure(try await service.unlock(passphrase: text, isPIN: isPIN))))
        case .lock: post(.lockEnded(await failure(try await service.lock())))
        case .answerQuestion(let id, let allows):
            post(.questionAnswered(await failure(try await service.answerQuestion(id, allows: allows))))
        case .notify(let text): environment.notify(text)
        case .copyText(let text): post(.textCopied(await environment.copy(text)))
        case .copyToken(let name): post(.tokenCopied(name, await copyToken(name)))
        case .clearClipboard: await clearClipboard(post)
        case .showToken(let name, let wanted):
            let issued = await result(try await service.token(consentedRequest(name, wanted)))
            post(.tokenShown(name, wanted, issued.map(\.token), at: environment.time.now))
        case .saveSetting(let change):
            // The configuration is written completely or not at all, and the app does not quit in between.
            await finish(isInterruptible: false) { () async in
                let failure = await self.failure(try await self.environment.saveSetting(change))
                post(.settingSaved(change.id, failure))
            }
        case .findProvider(let draft, let run): post(.providerFound(run, await result(try await onboarding().find(draft))))
        case .addProvider(let offer, let run):
            // An interruption would leave an unused client registration at the provider.
            await finish(isInterruptible: false) { () async in
                post(.providerAdded(run, await self.result(try await self.onboarding().add(offer))))
            }
        case .suspend, .quit, .startDemo: break
        }
    }

    /// Posts a result, unless a newer request has cancelled this one.
    private func postUnlessCancelled(_ message: Message, _ post: @Sendable (Message) -> Void) {
        if !Task.isCancelled { post(message) }
    }

    /// Returns the outcome of a call as a value.
    private func result<Value: Sendable>(_ call: @autoclosure () async throws(AuthFailure) -> Value) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }

    /// Returns the failure of a call; nil if it succeeded.
    private func failure(_ call: @autoclosure () async throws(AuthFailure) -> Void) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    /// Reads the data for the first screen.
    private func load() async -> Message {
        do throws(AuthFailure) {
            let seal = try await service.perform(ReadSeal())
            let providers = try await service.providers()
            let sessions = try await service.sessions()
            return .loaded(seal, providers: providers, sessions: sessions, at: environment.time.now)
        } catch {
            return .loadFailed(error)
        }
    }

    /// Reads the running bridges.
    private func bridges() async -> Message { .bridgesLoaded(await environment.bridges(), at: environment.time.now) }

    /// Forwards the session service's events until they end.
    private func watch(_ post: @Sendable (Message) -> Void) async {
        for await event in await service.events(.interactive) { post(.serviceReported(event)) }
        if !Task.isCancelled { post(.serviceWentAway) }
    }

    /// Waits for the browser to return after a sign-out; closing the app also closes the port.
    private func awaitBrowser(_ wait: BrowserReturn, _ post: @Sendable (Message) -> Void) async {
        do throws(AuthFailure) {
            post(.browserReturned(wait.id, try await service.browserReturn(wait.id)))
        } catch {
            post(.browserReturned(wait.id, .failed(reason: error.message, isQueued: false)))
        }
    }

    /// Copies a fresh token to the clipboard. The token exists only inside this function.
    private func copyToken(_ name: SessionName) async -> CopyOutcome {
        do throws(AuthFailure) {
            let issued = try await service.token(consentedRequest(name))
            try issued.requireUnbound()
            return await environment.copySecret(issued.token) ? .copied(expiresAt: issued.expiresAt) : .noClipboard
        } catch {
            return .failed(error)
        }
    }

    /// Opens the console as a role. The credentials exist only inside this function.
    private func openConsole(of name: SessionName, as role: AccountRole) async -> AuthFailure? {
        let operation = IssueRoleCredentials(of: role, consentedRequest(name))
        return await failure(try await environment.openConsole(try await service.perform(operation).secret, name.provider))
    }

    /// Returns the request for what the user takes by a key. The user who pressed it would be the one to give consent.
    private func consentedRequest(_ name: SessionName, _ wanted: TokenRequest.Wanted = .access) -> TokenRequest {
        var request = TokenRequest(session: name, wanted: wanted, caller: .verbatim(Words.program))
        request.consent = .given
        return request
    }

    /// Waits, then clears a token from the clipboard. Cancelled if another token is copied meanwhile.
    private func clearClipboard(_ post: @Sendable (Message) -> Void) async {
        let time = environment.time
        guard (try? await time.sleep(until: time.bootTime + CopyOutcome.timeOnClipboard)) != nil, !Task.isCancelled else { return }
        if await environment.clearSecret() { post(.clipboardCleared) }
    }

    private func onboarding() throws(AuthFailure) -> ProviderOnboarding {
        guard let onboarding = environment.onboarding else { throw AuthFailure(.configuration, text: AddProviderWords.cannotAdd) }
        return onboarding
    }

    /// Ends all work in progress. On return the ports of all sign-ins are closed, and no renewal or sign-out is interrupted.
    func close() async {
        let (runs, awaited) = state.withLock { state in
            defer { state.runs = state.runs.mapValues { _ in .unwanted } }
            state.isClosed = true
            return (Array(state.runs.values), Array(state.awaited.values))
        }
        for case .begun(let attempt, _) in runs { await service.cancel(attempt.id) }
        for entry in awaited where entry.isInterruptible { entry.task.cancel() }
        for entry in awaited { await entry.task.value }
        await service.endProcessSessions()
        // An issued token may have started a renewal.
        await service.shutDown()
    }

    /// Runs `body` in a task that ``close()`` waits for, even if the calling task is cancelled.
    private func finish(isInterruptible: Bool, _ body: @escaping @Sendable () async -> Void) async {
        let task: Task<Void, Never>? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.started += 1
            let number = state.started
            // The task cannot remove its entry before it is added, because that needs the lock held here.
            let task = Task {
                await body()
                self.state.withLock { $0.awaited[number] = nil }
            }
            state.awaited[number] = PendingTask(task: task, isInterruptible: isInterruptible)
            return task
        }
        await task?.value
    }

    // MARK: Sign-in

    /// Starts a sign-in at the session service. A separate command follows its events, because they wait for the user and must not count as
    /// running work.
    func begin(_ request: SignInRequest, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        let mayBegin = state.withLock { state in
            guard !state.isClosed else { return false }
            state.runs[run] = .beginning
            return true
        }
        guard mayBegin else { return }
        switch await result(try await service.signIn(request)) {
        case .success(let attempt):
            if keep(attempt, of: request, run) {
                post(.signInBegan(run))
            } else {
                await service.cancel(attempt.id)
            }
        case .failure(let failure):
            state.withLock { $0.runs[run] = nil }
            post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
    }

    /// Forwards the events of an attempt until the last one. If the server no longer knows the client, the client is registered again and a
    /// new attempt replaces this one, once.
    func follow(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let first = attempt(of: run), let refusal = await forwardEvents(of: first, run, holdingRefusals: true, post) else {
            return state.withLock { $0.runs[run] = nil }
        }
        switch await restartedAttempt(run) {
        case .success(let second?): _ = await forwardEvents(of: second, run, holdingRefusals: false, post)
        case .success(nil): post(.signInReported(run, .finished(.failure(refusal)), at: environment.time.now))
        case .failure(let failure): post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
        state.withLock { $0.runs[run] = nil }
    }

    /// Forwards events. With `holdingRefusals`, returns a refusal of the client (RFC 6749 section 5.2) that ended the attempt, instead of
    /// forwarding it.
    private func forwardEvents(
        of attempt: SignInAttempt, _ run: RunID, holdingRefusals: Bool, _ post: @Sendable (Message) -> Void
    ) async -> AuthFailure? {
        for await event in attempt.events {
            if holdingRefusals, case .finished(.failure(let failure)) = event, failure.kind == .unknownClient {
                return failure
            }
            post(.signInReported(run, event, at: environment.time.now))
        }
        return nil
    }

    /// Starts another attempt after registering the client again; nil if that is not possible.
    ///
    /// - Returns: a `.cancelled` failure if the user cancelled the run meanwhile.
    private func restartedAttempt(_ run: RunID) async -> Result<SignInAttempt?, AuthFailure> {
        guard case .begun(_, let request)? = state.withLock({ $0.runs[run] }), let onboarding = environment.onboarding else {
            return .success(nil)
        }
        do throws(AuthFailure) {
            guard try await onboarding.renewClient(request.provider) else { return .success(nil) }
            let attempt = try await service.signIn(request)
            let isWanted = state.withLock { state in
                guard case .begun = state.runs[run] else { return false }
                state.runs[run] = .begun(attempt, of: request)
                return true
            }
            if isWanted { return .success(attempt) }
            await service.cancel(attempt.id)
            return .failure(.signInCancelled)
        } catch {
            return .failure(error)
        }
    }

    /// Cancels a sign-in, whether or not the session service has answered yet.
    private func cancel(_ run: RunID) async {
        let attempt: SignInAttempt? = state.withLock { state in
            switch state.runs[run] {
            case .begun(let attempt, _):
                state.runs[run] = nil
                return attempt
            case .beginning:
                state.runs[run] = .unwanted
                return nil
            case .unwanted, nil: return nil
            }
        }
        if let attempt { await service.cancel(attempt.id) }
    }

    private func attempt(of run: RunID) -> SignInAttempt? {
        state.withLock { state in if case .begun(let attempt, _) = state.runs[run] { attempt } else { nil } }
    }

    /// Stores the session service's attempt; returns whether the run is still wanted.
    private func keep(_ attempt: SignInAttempt, of request: SignInRequest, _ run: RunID) -> Bool {
        state.withLock { state in
            guard case .beginning = state.runs[run] else {
                state.runs[run] = nil
                return false
            }
            state.runs[run] = .begun(attempt, of: request)
            return true
        }
    }
}
