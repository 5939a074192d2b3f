import AuthModel
import Synchronization
import TerminalUI

/// Performs ``Command`` values with a session service and the environment, and posts the results.
///
/// The only asynchronous part of the app. The runtime starts one task per command; this class stores the state that commands share, which
/// is the sign-ins in progress.
final class EffectRunner: CommandPerformer {
    let service: any SessionService
    let environment: TerminalAppEnvironment
    let state = Mutex(State())

    /// The shared state.
    struct State {
        var runs: [RunID: Run] = [:]
        /// The requests of the started runs.
        var requests: [RunID: SignInRequest] = [:]
        /// The tasks to wait for when the app quits, by number.
        var awaited: [Int: PendingTask] = [:]
        var started = 0
        var isClosed = false
    }

    struct PendingTask {
        var task: Task<Void, Never>
        /// Whether the task may be cancelled first. A renewal and a sign-out may not: interrupting one could lose a session.
        var isInterruptible: Bool
    }

    /// The state of one sign-in from request to end.
    enum Run {
        /// The session service was asked. Becomes ``begun(_:)`` or ``unwanted``.
        case beginning
        /// The session service has started it. Removed when its events end, or when it is cancelled.
        case begun(SignInAttempt)
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
        case .paste(let text, let run): await paste(text, run, post)
        case .answer(let answers, let run): await answer(answers, run, post)
        case .requestDeviceCode(let run): await requestDeviceCode(run, post)
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
        case .findProvider(let draft, let run): post(.providerFound(run, await find(draft)))
        case .addProvider(let offer, let run):
            // An interruption would leave an unused client registration at the provider.
            await finish(isInterruptible: false) { post(.providerAdded(run, await self.add(offer))) }
        case .suspend, .quit, .startDemo: break
        }
    }

    /// Posts a result, unless a newer request has cancelled this one.
    private func postUnlessCancelled(_ message: Message, _ post: @Sendable (Message) -> Void) {
        if !Task.isCancelled { post(message) }
    }

    /// Ends all work in progress. On return the ports of all sign-ins are closed, and no renewal or sign-out is interrupted.
    func close() async {
        let (runs, awaited) = state.withLock { state in
            defer { state.runs = state.runs.mapValues { _ in .unwanted } }
            state.isClosed = true
            return (Array(state.runs.values), Array(state.awaited.values))
        }
        for case .begun(let attempt) in runs { await service.cancel(attempt.id) }
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
}

// MARK: Sign-in

extension EffectRunner {
    /// Starts a sign-in at the session service. A separate command follows its events, because they wait for the user and must not count as
    /// running work.
    func begin(_ request: SignInRequest, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        let mayBegin = state.withLock { state in
            guard !state.isClosed else { return false }
            state.runs[run] = .beginning
            state.requests[run] = request
            return true
        }
        guard mayBegin else { return }
        switch await result(try await service.signIn(request)) {
        case .success(let attempt):
            if keep(attempt, run) {
                post(.signInBegan(run))
            } else {
                await service.cancel(attempt.id)
            }
        case .failure(let failure):
            state.withLock { $0.end(run) }
            post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
    }

    /// Forwards the events of an attempt until the last one. If the server no longer knows the client, the client is registered again and a
    /// new attempt replaces this one, once.
    func follow(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let first = attempt(of: run), let refusal = await forwardEvents(of: first, run, holdingRefusals: true, post) else {
            return state.withLock { $0.end(run) }
        }
        switch await restartedAttempt(run) {
        case .success(let second?): _ = await forwardEvents(of: second, run, holdingRefusals: false, post)
        case .success(nil): post(.signInReported(run, .finished(.failure(refusal)), at: environment.time.now))
        case .failure(let failure): post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
        state.withLock { $0.end(run) }
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
        guard let request = state.withLock({ $0.requests[run] }), let onboarding = environment.onboarding else { return .success(nil) }
        do throws(AuthFailure) {
            guard try await onboarding.renewClient(request.provider) else { return .success(nil) }
            let attempt = try await service.signIn(request)
            let isWanted = state.withLock { state in
                guard case .begun = state.runs[run] else { return false }
                state.runs[run] = .begun(attempt)
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
            case .begun(let attempt):
                state.end(run)
                return attempt
            case .beginning:
                state.runs[run] = .unwanted
                return nil
            case .unwanted, nil: return nil
            }
        }
        if let attempt { await service.cancel(attempt.id) }
    }

    private func paste(_ text: Secret, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.pasteAnswered(run, await failure(try await service.paste(text, into: attempt.id))))
    }

    private func answer(_ answers: SignInForm.Answers, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.formAnswered(run, await failure(try await service.answer(answers, to: attempt.id))))
    }

    private func requestDeviceCode(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(
            .deviceCodeAnswered(
                run, await failure(try await service.requestDeviceCode(for: attempt.id))))
    }

    private func attempt(of run: RunID) -> SignInAttempt? {
        state.withLock { state in if case .begun(let attempt) = state.runs[run] { attempt } else { nil } }
    }

    /// Stores the session service's attempt; returns whether the run is still wanted.
    private func keep(_ attempt: SignInAttempt, _ run: RunID) -> Bool {
        state.withLock { state in
            guard case .beginning = state.runs[run] else {
                state.end(run)
                return false
            }
            state.runs[run] = .begun(attempt)
            return true
        }
    }
}

extension EffectRunner.State {
    /// Removes a run.
    fileprivate mutating func end(_ run: RunID) {
        runs[run] = nil
        requests[run] = nil
    }
}
