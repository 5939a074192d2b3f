import AuthModel
import Synchronization
import TerminalUI

/// Does what ``Command`` values say, with a session service and the environment, and posts what came of it.
///
/// The only asynchronous part of the app. The runtime starts one task for each command; what two of them share, the sign-ins that
/// are under way, is kept here.
final class EffectRunner: CommandPerformer {
    let service: any SessionService
    let environment: TerminalAppEnvironment
    let state = Mutex(State())

    /// What is under way.
    struct State {
        var runs: [RunID: Run] = [:]
        /// What the runs that have begun asked for.
        var requests: [RunID: SignInRequest] = [:]
        /// What is waited for when the app leaves, by number.
        var awaited: [Int: Awaited] = [:]
        var started = 0
        var isClosed = false
    }

    struct Awaited {
        var task: Task<Void, Never>
        /// Whether it may be cut off first. A renewal and a sign-out may not: half of one could cost a session.
        var mayBeCut: Bool
    }

    /// One sign-in, between the wish and its end.
    enum Run {
        /// The session service was asked. Becomes ``begun(_:)`` or ``unwanted``.
        case beginning
        /// The session service goes on with it. Ends when its events do, or by being cancelled.
        case begun(SignInAttempt)
        /// Cancelled before the session service had answered. Ends with its answer.
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
        case .loadTokens(let name):
            answer(.tokensLoaded(name, await result { service throws(AuthFailure) in try await service.tokens(of: name) }), post)
        // What was not to be read is not shown: the list says what happens from now on.
        case .loadActivity: answer(.activityLoaded((try? await service.activity(AppModel.earlierActivityLimit)) ?? []), post)
        case .beginSignIn(let request, let run): await finish(mayBeCut: true) { await self.begin(request, run, post) }
        case .followSignIn(let run): await follow(run, post)
        case .cancelSignIn(let run): await cancel(run)
        case .paste(let text, let run): await paste(text, run, post)
        case .answer(let answers, let run): await answer(answers, run, post)
        case .requestDeviceCode(let run): await requestDeviceCode(run, post)
        case .openBrowser(let url, let provider): post(.browserAnswered(url, await environment.openBrowser(url, provider)))
        case .renew(let name):
            await finish(mayBeCut: false) {
                post(.renewalEnded(name, await self.result { service throws(AuthFailure) in try await service.renew(name) }))
            }
        case .signOut(let name, let mode):
            await finish(mayBeCut: false) {
                post(
                    .signOutEnded(
                        name, mode, await self.result { service throws(AuthFailure) in try await service.signOut(name, mode: mode) }))
            }
        case .activate(let name):
            post(
                .activationEnded(
                    name, await failure { service throws(AuthFailure) in try await service.activate(name.account, at: name.provider) }))
        case .awaitBrowser(let way): await finish(mayBeCut: true) { await self.awaitBrowser(way, post) }
        case .unlock(let passphrase):
            post(.unlockEnded(await failure { service throws(AuthFailure) in try await service.unlock(passphrase: passphrase) }))
        case .lock: post(.lockEnded(await failure { service throws(AuthFailure) in try await service.lock() }))
        case .answerQuestion(let id, let allows):
            post(.questionAnswered(await failure { service throws(AuthFailure) in try await service.answerQuestion(id, allows: allows) }))
        case .copyText(let text): post(.textCopied(await environment.copy(text)))
        case .copyToken(let name): post(.tokenCopied(name, await copyToken(name)))
        case .clearClipboard: await clearClipboard(post)
        case .revealToken(let name):
            var request = TokenRequest(session: name, caller: Words.program)
            // Whoever pressed the key is the one who would be asked.
            request.consent = .given
            let grant = await result { [request] service throws(AuthFailure) in try await service.token(request) }
            post(.tokenRevealed(name, grant.map(\.token), at: environment.time.now))
        case .showToken(let name, let wanted):
            let request = TokenRequest(session: name, wanted: wanted, caller: Words.program)
            let grant = await result { service throws(AuthFailure) in try await service.token(request) }
            post(.tokenShown(name, wanted, grant.map(\.token), at: environment.time.now))
        case .saveTheme(let name): post(.themeSaved(await saveTheme(name)))
        case .saveSetting(let change):
            // The configuration is written whole or not at all, and the app does not leave in between.
            await finish(mayBeCut: false) { post(.settingSaved(change.id, await self.save(change))) }
        case .findProvider(let wish, let run): post(.providerFound(run, await find(wish)))
        case .addProvider(let offer, let run):
            // Half of it would leave a client at the provider that nobody knows of.
            await finish(mayBeCut: false) { post(.providerAdded(run, await self.add(offer))) }
        case .suspend, .quit, .startDemo: break
        }
    }

    /// Posts what was read, unless it is being read anew: that a reading was cancelled for the next is nobody's trouble.
    private func answer(_ message: Message, _ post: @Sendable (Message) -> Void) {
        if !Task.isCancelled { post(message) }
    }

    /// Ends what is under way: every sign-in's port is closed when this returns, and no renewal or sign-out is left half done.
    func close() async {
        let (runs, awaited) = state.withLock { state in
            defer { state.runs = state.runs.mapValues { _ in .unwanted } }
            state.isClosed = true
            return (Array(state.runs.values), Array(state.awaited.values))
        }
        for case .begun(let attempt) in runs { await service.cancel(attempt.id) }
        for entry in awaited where entry.mayBeCut { entry.task.cancel() }
        for entry in awaited { await entry.task.value }
        await service.endProcessSessions()
        // A token that was asked for may be the first sign of a renewal.
        await service.retire()
    }

    /// Runs something in a task that ``close()`` waits for, whatever becomes of the task that asked.
    private func finish(mayBeCut: Bool, _ body: @escaping @Sendable () async -> Void) async {
        let task: Task<Void, Never>? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.started += 1
            let number = state.started
            // It cannot take itself out before it was put in: that needs the lock which is held here.
            let task = Task {
                await body()
                self.state.withLock { $0.awaited[number] = nil }
            }
            state.awaited[number] = Awaited(task: task, mayBeCut: mayBeCut)
            return task
        }
        await task?.value
    }
}
