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
        case .load: answer(await load(), post)
        case .reload: answer(.settingsRead(await settings()), post)
        case .watchSettings: for await _ in environment.settingsChanges() { post(.settingsChanged) }
        case .watch: await watch(post)
        case .loadSession(let name):
            answer(.sessionLoaded(name, await result { service throws(AuthFailure) in try await service.session(name) }), post)
            answer(await bridges(), post)
        case .loadBridges: answer(await bridges(), post)
        case .loadTokens(let name):
            answer(.tokensLoaded(name, await result { service throws(AuthFailure) in try await service.tokens(of: name) }), post)
        case .loadRoles(let name, let isFresh):
            let operation = ListRoles(roleRequest(name), isFresh: isFresh)
            answer(.rolesLoaded(name, await result { service throws(AuthFailure) in try await service.perform(operation) }), post)
        case .openConsole(let name, let role):
            await finish(isInterruptible: true) { post(.consoleOpened(name, role, await self.openConsole(of: name, as: role))) }
        // A failed read shows no error: the list then contains only new entries.
        case .loadActivity: answer(.activityLoaded((try? await service.activity(AppModel.earlierActivityLimit)) ?? []), post)
        case .beginSignIn(let request, let run): await finish(isInterruptible: true) { await self.begin(request, run, post) }
        case .followSignIn(let run): await follow(run, post)
        case .cancelSignIn(let run): await cancel(run)
        case .paste(let text, let run): await paste(text, run, post)
        case .answer(let answers, let run): await answer(answers, run, post)
        case .requestDeviceCode(let run): await requestDeviceCode(run, post)
        case .openBrowser(let url, let provider): post(.browserAnswered(url, await environment.openBrowser(url, provider)))
        case .renew(let name):
            await finish(isInterruptible: false) {
                post(.renewalEnded(name, await self.result { service throws(AuthFailure) in try await service.renew(name) }))
            }
        case .signOut(let name, let mode):
            await finish(isInterruptible: false) {
                post(
                    .signOutEnded(
                        name, mode, await self.result { service throws(AuthFailure) in try await service.signOut(name, mode: mode) }))
            }
        case .activate(let name):
            post(
                .activationEnded(
                    name, await failure { service throws(AuthFailure) in try await service.activate(name.account, at: name.provider) }))
        case .awaitBrowser(let wait): await finish(isInterruptible: true) { await self.awaitBrowser(wait, post) }
        case .unlock(let text, let isPIN):
            post(.unlockEnded(await failure { service throws(AuthFailure) in try await service.unlock(passphrase: text, isPIN: isPIN) }))
        case .lock: post(.lockEnded(await failure { service throws(AuthFailure) in try await service.lock() }))
        case .answerQuestion(let id, let allows):
            post(.questionAnswered(await failure { service throws(AuthFailure) in try await service.answerQuestion(id, allows: allows) }))
        case .notify(let text): environment.notify(text)
        case .copyText(let text): post(.textCopied(await environment.copy(text)))
        case .copyToken(let name): post(.tokenCopied(name, await copyToken(name)))
        case .clearClipboard: await clearClipboard(post)
        case .revealToken(let name):
            var request = TokenRequest(session: name, caller: .verbatim(Words.program))
            // The user who pressed the key would be the one to give consent.
            request.consent = .given
            let issued = await result { [request] service throws(AuthFailure) in try await service.token(request) }
            post(.tokenRevealed(name, issued.map(\.token), at: environment.time.now))
        case .showToken(let name, let wanted):
            let request = TokenRequest(session: name, wanted: wanted, caller: .verbatim(Words.program))
            let issued = await result { service throws(AuthFailure) in try await service.token(request) }
            post(.tokenShown(name, wanted, issued.map(\.token), at: environment.time.now))
        case .saveTheme(let name): post(.themeSaved(await saveTheme(name)))
        case .saveSetting(let change):
            // The configuration is written completely or not at all, and the app does not quit in between.
            await finish(isInterruptible: false) { post(.settingSaved(change.id, await self.save(change))) }
        case .findProvider(let draft, let run): post(.providerFound(run, await find(draft)))
        case .addProvider(let offer, let run):
            // An interruption would leave an unused client registration at the provider.
            await finish(isInterruptible: false) { post(.providerAdded(run, await self.add(offer))) }
        case .suspend, .quit, .startDemo: break
        }
    }

    /// Posts a result, unless a newer request has cancelled this one.
    private func answer(_ message: Message, _ post: @Sendable (Message) -> Void) {
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
        await service.retire()
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
