import AuthModel
import Synchronization
import TerminalUI

/// Does what ``Command`` values say, with a keeper and the environment, and posts what came of it.
///
/// The only asynchronous part of the app. The runtime starts one task for each command; what two of them share, the sign-ins that
/// are under way, is kept here.
final class KeeperPerformer: CommandPerformer {
    let keeper: any Keeper
    let environment: FrontDoorEnvironment
    let ledger = Mutex(Ledger())

    /// What is under way.
    struct Ledger {
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
        /// The keeper was asked. Becomes ``begun(_:)`` or ``unwanted``.
        case beginning
        /// The keeper goes on with it. Ends when its events do, or by being cancelled.
        case begun(SignInAttempt)
        /// Cancelled before the keeper had answered. Ends with its answer.
        case unwanted
    }

    init(keeper: any Keeper, environment: FrontDoorEnvironment) {
        self.keeper = keeper
        self.environment = environment
    }

    func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async {
        switch command {
        case .load: answer(await load(), post)
        case .reload: answer(.settingsRead(await settings()), post)
        case .watchSettings: for await _ in environment.settingsChanges() { post(.settingsChanged) }
        case .watch: await watch(post)
        case .loadSession(let name):
            answer(.sessionLoaded(name, await result { keeper throws(AuthFailure) in try await keeper.session(name) }), post)
        case .loadTokens(let name):
            answer(.tokensLoaded(name, await result { keeper throws(AuthFailure) in try await keeper.tokens(of: name) }), post)
        // What was not to be read is not shown: the list says what happens from now on.
        case .loadActivity: answer(.activityLoaded((try? await keeper.activity(World.earlierActivityLimit)) ?? []), post)
        case .beginSignIn(let request, let run): await finish(mayBeCut: true) { await self.begin(request, run, post) }
        case .followSignIn(let run): await follow(run, post)
        case .cancelSignIn(let run): await cancel(run)
        case .paste(let text, let run): await paste(text, run, post)
        case .answer(let answers, let run): await answer(answers, run, post)
        case .requestDeviceCode(let run): await requestDeviceCode(run, post)
        case .openBrowser(let url, let provider): post(.browserAnswered(url, await environment.openBrowser(url, provider)))
        case .renew(let name):
            await finish(mayBeCut: false) {
                post(.renewalEnded(name, await self.result { keeper throws(AuthFailure) in try await keeper.renew(name) }))
            }
        case .signOut(let name, let mode):
            await finish(mayBeCut: false) {
                post(
                    .signOutEnded(
                        name, mode, await self.result { keeper throws(AuthFailure) in try await keeper.signOut(name, mode: mode) }))
            }
        case .activate(let name):
            post(
                .activationEnded(
                    name, await failure { keeper throws(AuthFailure) in try await keeper.activate(name.account, at: name.provider) }))
        case .awaitBrowser(let way): await finish(mayBeCut: true) { await self.awaitBrowser(way, post) }
        case .unlock(let passphrase):
            post(.unlockEnded(await failure { keeper throws(AuthFailure) in try await keeper.unlock(passphrase: passphrase) }))
        case .lock: post(.lockEnded(await failure { keeper throws(AuthFailure) in try await keeper.lock() }))
        case .answerQuestion(let id, let allows):
            post(.questionAnswered(await failure { keeper throws(AuthFailure) in try await keeper.answerQuestion(id, allows: allows) }))
        case .copyText(let text): post(.textCopied(await environment.copy(text)))
        case .copyToken(let name): post(.tokenCopied(name, await copyToken(name)))
        case .clearClipboard: await clearClipboard(post)
        case .revealToken(let name):
            var request = TokenRequest(session: name, caller: Words.program)
            // Whoever pressed the key is the one who would be asked.
            request.consent = .given
            let grant = await result { [request] keeper throws(AuthFailure) in try await keeper.token(request) }
            post(.tokenRevealed(name, grant.map(\.token), at: environment.time.now))
        case .showToken(let name, let wanted):
            let request = TokenRequest(session: name, wanted: wanted, caller: Words.program)
            let grant = await result { keeper throws(AuthFailure) in try await keeper.token(request) }
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
        let (runs, awaited) = ledger.withLock { ledger in
            defer { ledger.runs = ledger.runs.mapValues { _ in .unwanted } }
            ledger.isClosed = true
            return (Array(ledger.runs.values), Array(ledger.awaited.values))
        }
        for case .begun(let attempt) in runs { await keeper.cancel(attempt.id) }
        for entry in awaited where entry.mayBeCut { entry.task.cancel() }
        for entry in awaited { await entry.task.value }
        await keeper.endProcessSessions()
        // A token that was asked for may be the first sign of a renewal.
        await keeper.retire()
    }

    /// Runs something in a task that ``close()`` waits for, whatever becomes of the task that asked.
    private func finish(mayBeCut: Bool, _ body: @escaping @Sendable () async -> Void) async {
        let task: Task<Void, Never>? = ledger.withLock { ledger in
            guard !ledger.isClosed else { return nil }
            ledger.started += 1
            let number = ledger.started
            // It cannot take itself out before it was put in: that needs the lock which is held here.
            let task = Task {
                await body()
                self.ledger.withLock { $0.awaited[number] = nil }
            }
            ledger.awaited[number] = Awaited(task: task, mayBeCut: mayBeCut)
            return task
        }
        await task?.value
    }
}
