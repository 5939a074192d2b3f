import AuthModel
import Localization
import TerminalUI

extension AppState {
    /// Applies a message, and returns its commands and those of the notices that are due.
    mutating func update(with message: Message) -> [Command] {
        // Before the message is applied, because it closes the sign-in's screen.
        let signIn = signInNotice(message)
        let commands = dispatch(message)
        return commands + (signIn.map { [.notify($0)] } ?? []) + noticesOfEnds().map { .notify($0) }
    }

    /// Returns the notice for a sign-in that has completed behind another screen.
    private func signInNotice(_ message: Message) -> String? {
        guard case .signInReported(let run, .finished(.success(let session)), _) = message, !model.isPlain,
            (current.screen as? SigningInScreen)?.run != run
        else { return nil }
        return tr("Signed in: {1}", session.name)
    }

    /// Returns the notices for the sessions that end soon: one for each session and end. A session that has little time left when it is
    /// seen first gets none, because the user has just signed in or started the app.
    private mutating func noticesOfEnds() -> [String] {
        guard !model.isPlain else { return [] }
        let due = noticeDueAt
        noticeDueAt = model.overview.nextNotice
        guard let due, due <= model.now else { return [] }
        return (model.sessions ?? []).compactMap { session in
            guard !session.isRenewable, !session.hasEnded(at: model.now), let end = session.accessExpiresAt, end > model.now else {
                return nil
            }
            let notice = end - SessionOverview.noticeTime
            guard notice >= due, notice <= model.now, session.receivedAt < notice else { return nil }
            return tr("{1} ends {2}, and cannot be renewed.", session.name, Words.relative(end, to: model.now))
        }
    }

    /// Applies a message to the model, then to every open screen.
    mutating func dispatch(_ message: Message) -> [Command] {
        switch message {
        case .keyPressed(let key): return dispatch(key)
        case .mouseUsed(let mouse): return dispatch(mouse)
        case .rowChosen(let row): return choose(row: row)
        case .textPasted(let text):
            notice = nil
            return deliver(.paste(text), to: opened.indices.last) ?? []
        default:
            let appCommands = updateModel(with: message)
            // From the top down: removing a screen does not change the index of those that still get the message.
            let screenCommands = opened.indices.reversed().flatMap { index in
                opened.indices.contains(index) ? deliver(.message(message), to: index) ?? [] : []
            }
            return appCommands + screenCommands + (deliver(.message(message), to: nil) ?? []) + pressEarlyKeys()
        }
    }

    /// Passes an input to the screen at `index`, and applies its result; nil is the first screen.
    mutating func deliver(_ input: ScreenInput, to index: Int?) -> [Command]? {
        let result: ScreenResult?
        let reads: [Command]
        if let index {
            result = opened[index].screen.handle(input, in: model)
            reads = opened[index].screen.commandsForShownContent(in: model)
        } else {
            result = home.screen.handle(input, in: model)
            reads = home.screen.commandsForShownContent(in: model)
        }
        return result.map { apply($0, of: index) + reads }
    }

    /// Passes a key to the top screen, then to the global actions.
    mutating func dispatch(_ key: Key) -> [Command] {
        notice = nil
        if keepEarlyKey(key) { return [] }
        if let commands = deliver(.key(key), to: opened.indices.last) { return commands }
        switch globalKeys.decide(key) {
        case .unbound: return []
        case .unavailable(let reason):
            notice = Notice(reason, .warning)
            return []
        case .action(let name):
            let actions = GlobalActions.table(takesText: currentTraits.takesText, in: model)
            return actions.first { $0.binding.action == name }.map { apply($0.run(&self), of: opened.indices.last) } ?? []
        }
    }

    /// Applies a message to the model, and returns the app's own commands.
    private mutating func updateModel(with message: Message) -> [Command] {
        switch message {
        case .resized(let size): model.size = size
        case .focusChanged(let hasFocus): model.hasFocus = hasFocus
        case .colorsChanged(let isLight): follow(isLight: isLight)
        case .ticked(let now):
            model.now = now
            tickedAt = now
            model.flashes = model.flashes.filter { $0.value > now }
            if liftingGate == nil { unlockedAt = nil }
            return forgetDueSessions() + (model.bridges.isDue(afterTickAt: now) ? [.loadBridges] : [])
        case .terminated: return [.quit]
        case .loaded(let seal, let providers, let sessions, let now):
            let isFirst = model.providers == nil
            model.now = max(model.now, now)
            model.seal = seal
            model.providers = providers
            model.hasLoadFailure = false
            model.sessions = sessions
            chooseHomeScreen()
            if isFirst, model.isLocked, opened.isEmpty { return apply(.open(.unlock), of: nil) }
            return openFirst()
        case .loadFailed(let failure):
            model.hasLoadFailure = true
            return show(Problem(tr("Load providers and sessions"), failure, retry: .load))
        case .activityLoaded(let earlier): model.remember(earlier: earlier)
        case .bridgesLoaded(let bridges, let now): model.bridges.update(to: bridges, at: now)
        case .settingsRead(.success(let settings)):
            apply(settings)
            return [.load]
        case .settingsRead(.failure(let failure)):
            model.hasLoadFailure = model.providers == nil
            notice = Notice(Words.line(failure), .warning)
        case .settingsChanged: return [.reload]
        case .serviceReported(let event): return updateModel(with: event)
        case .serviceWentAway:
            model.isServiceGone = true
            notice = Notice(tr("lost connection to the session service: this screen no longer updates"), .warning)
        case .signInReported(_, _, let now): model.now = max(model.now, now)
        case .renewalEnded(let name, let result): return finishRenewal(of: name, result)
        case .signOutEnded(let name, _, let result): return finishSignOut(of: name, result, isReported: isReported(message))
        case .defaultChoiceEnded(let name, nil):
            notice = Notice(tr("default account for {2}: {1}", name, name.provider), .good)
            return [.load]
        case .defaultChoiceEnded(let name, let failure?):
            return show(Problem(tr("Make {1} the default account", name), failure, retry: .run([.makeDefault(name)])))
        case .unlockEnded(nil):
            notice = Notice(LockWords.wasUnlocked, .good)
            // The agent tells nothing of what happened while the store is locked.
            return [.load, .loadActivity]
        case .unlockEnded(let failure?):
            if !isReported(message) { notice = Notice(Words.line(failure), .warning) }
            // Another program may have changed what unlocks the store.
            if failure.kind == .configuration { return [.load] }
        case .lockEnded(let failure):
            if let failure {
                notice = Notice(Words.line(failure), .warning)
            } else if current.as(LockedScreen.self) == nil {
                notice = Notice(tr("locked; the keys are wiped from memory"), .good)
            }
        case .questionAnswered(let failure): if failure != nil { notice = Notice(QuestionWords.tooLate, .warning) }
        case .textCopied(let isCopied):
            notice =
                isCopied
                ? Notice(tr("copied"), .good) : Notice(tr("no clipboard is available: select the text with the mouse"), .warning)
        case .tokenCopied(let name, let outcome): return finishCopy(of: name, outcome)
        case .clipboardCleared: notice = Notice(tr("the token was cleared from the clipboard"))
        case .tokenShown(let name, let wanted, .failure(let failure), _):
            return show(Problem(tr("Show the token of {1}", name), failure, retry: .run([.showToken(name, wanted)])))
        // The settings report it themselves.
        case .settingSaved(.theme, let failure?) where current.as(SettingsScreen.self) == nil:
            notice = Notice(tr("could not save the theme: {1}", failure.message.text()), .warning)
        case .consoleOpened(let name, let role, let failure?):
            return show(Problem(tr("Open the console of {1}", name), failure, retry: .run([.openConsole(name, role)])))
        // Only screens handle the other messages.
        default: break
        }
        return []
    }

    /// Opens the session that the app was started for, once it is known and readable.
    private mutating func openFirst() -> [Command] {
        guard let name = opensFirst, !model.isLocked, model.session(name) != nil else { return [] }
        opensFirst = nil
        return apply(.open(.session(name)), of: nil)
    }

    private mutating func updateModel(with event: SessionServiceEvent) -> [Command] {
        switch event {
        case .storeStateChanged(let state):
            let wasLocked = model.isLocked
            model.seal.state = state
            if wasLocked != model.isLocked { return moveGate() }
        case .asked(let question): return apply(.open(.question(question)), of: nil)
        // The question's screen handles it.
        case .settled: break
        case .activity(let activity):
            flash(activity)
            model.activity.append(activity)
            if model.activity.count > AppModel.activityLimit { model.activity.removeFirst(model.activity.count - AppModel.activityLimit) }
            if activity.kind == .sealChanged { return [.load] }
            if activity.kind == .issued, model.bridges.isDue(afterUseAt: max(model.now, activity.at)) { return [.loadBridges] }
        case .sessionsChanged(let sessions):
            let hasOthers = model.sessions?.map(\.name) != sessions.map(\.name)
            model.sessions = sessions
            let names = Set(sessions.map(\.name))
            model.forgetting.removeAll { !names.contains($0.name) }
            chooseHomeScreen()
            // Each provider lists its known accounts, which have changed.
            return hasOthers ? [.load] : []
        }
        return []
    }

    private mutating func finishRenewal(of name: SessionName, _ result: Result<SessionSummary, AuthFailure>) -> [Command] {
        model.renewing.remove(name)
        switch result {
        case .success(let session):
            if let index = model.sessions?.firstIndex(where: { $0.name == session.name }) { model.sessions?[index] = session }
            notice = Notice(tr("renewed {1}", name), .good)
            return []
        case .failure(let failure):
            let retry =
                failure.isTransient ? tr("Press r to try again.") : failure.kind == .signInAgain ? tr("Press s to sign in again.") : nil
            let text = Words.sentence(tr("could not renew {1}: {2}", name, failure.message.text()))
            notice = Notice(retry.map { text + " " + $0 } ?? text, .warning)
            return []
        }
    }

    /// Whether an open screen shows the result in a message.
    private func isReported(_ message: Message) -> Bool {
        opened.contains { screen in
            switch message {
            case .signOutEnded(let name, _, _): screen.screen.traits(in: model).reportedSignOuts.contains(name)
            case .unlockEnded: screen.screen.reportsUnlock
            default: false
            }
        }
    }

    /// Handles the end of a sign-out; a notice shows the result if no screen does.
    private mutating func finishSignOut(
        of name: SessionName, _ result: Result<SignOutReceipt, AuthFailure>, isReported: Bool
    ) -> [Command] {
        switch result {
        case .success(let receipt):
            if !isReported {
                notice = Notice(SignOutWords.ended(receipt), receipt.isComplete ? .good : .warning)
            }
            let opening = receipt.browserURL.map { Command.openBrowser($0, name.provider) }
            return [opening, receipt.browserReturn.map(Command.awaitBrowser)].compactMap(\.self)
        case .failure(let failure):
            if !isReported { notice = Notice(Words.line(failure), .warning) }
            return []
        }
    }

    private mutating func finishCopy(of name: SessionName, _ outcome: CopyOutcome) -> [Command] {
        switch outcome {
        case .copied(let end):
            notice = Notice(SessionWords.copied(name, end.map { Words.roughSpan($0 - model.now) }), .good)
            return [.clearClipboard]
        case .noClipboard: notice = Notice(tr("no clipboard is available: use yett token instead"), .warning)
        case .failed(let failure): return show(Problem(tr("Copy the token of {1}", name), failure, retry: .run([.copyToken(name)])))
        }
        return []
    }

    /// The maximum number of keys to keep before the first screen is ready; keys beyond that were probably meant for another program.
    private static let earlyKeyLimit = 64

    /// Whether the first screen is unknown yet: the meaning of its keys depends on the providers and the sessions.
    private var isFirstScreenPending: Bool { opened.isEmpty && model.providers == nil && !model.hasLoadFailure }

    /// Keeps a key until the first screen is known. Returns false for a key whose meaning does not depend on the first screen.
    mutating func keepEarlyKey(_ key: Key) -> Bool {
        guard isFirstScreenPending, !GlobalActions.always.contains(key) else { return false }
        if earlyKeys.isEmpty {
            // Reports a key that cannot work here at once.
            if let screen = home.as(HomeScreen.self), case .unavailable = screen.keys(in: model).decide(key) { return false }
            guard globalKeys.decide(key) == .unbound else { return false }
        } else if key == .escape {
            earlyKeys = []
            return true
        }
        // A user who presses a key again because nothing happened wants it once.
        if earlyKeys != [key] || key.typed == nil, earlyKeys.count < Self.earlyKeyLimit { earlyKeys.append(key) }
        let keys = earlyKeys.map(\.label).joined(separator: " ")
        notice = Notice(tr("when the providers are loaded: {1}", keys))
        return true
    }

    /// Presses the kept keys. They were meant for the first screen: if another screen covers it now, they are dropped.
    mutating func pressEarlyKeys() -> [Command] {
        guard !isFirstScreenPending, !earlyKeys.isEmpty else { return [] }
        let keys = earlyKeys
        earlyKeys = []
        guard opened.isEmpty, model.providers != nil else {
            notice = nil
            return []
        }
        return keys.flatMap { dispatch($0) }
    }
}
