import AuthModel
import TerminalUI

extension AppState {
    /// Applies the result of the screen at `index` of ``opened``; nil is the first screen.
    mutating func carryOut(_ step: ScreenResult, of index: Int?) -> [Command] {
        if let notice = step.notice { self.notice = notice }
        for case .renew(let name) in step.commands { model.renewing.insert(name) }
        for case .saveSetting(let change) in step.commands {
            if case .word(let name) = change.value, change.id == .theme { choose(theme: name) }
        }
        if step.commands.contains(where: { $0 == .load || $0 == .reload }) { model.hasLoadFailure = false }
        if step.commands.contains(.startDemo) { requestDemo() }
        guard let move = step.move else { return step.commands }
        return step.commands + (delayed(move) ?? go(move, from: index))
    }

    mutating func go(_ move: Move, from index: Int?) -> [Command] {
        switch move {
        case .open(let destination):
            let (screen, commands) = open(destination)
            opened.append(screen)
            return commands
        case .replace(let destination):
            let (screen, commands) = open(destination)
            if let index { opened[index] = screen } else { opened.append(screen) }
            return commands
        case .back:
            guard let index else { return [] }
            let left = opened.remove(at: index)
            if index == opened.count { restartQuestionDelay() }
            // Leaving the sign-in screen cancels the sign-in, which closes its port.
            guard case .signingIn(let screen) = left else { return [] }
            return [.cancelSignIn(screen.run)]
        case .press(let key):
            if let index { opened.removeSubrange(index...) }
            return pressed(key)
        case .home:
            let cancelled = opened.compactMap { screen -> Command? in
                if case .signingIn(let screen) = screen { .cancelSignIn(screen.run) } else { nil }
            }
            // Questions stay open, because another program still waits for the answer.
            opened.removeAll { if case .question = $0 { false } else { true } }
            restartQuestionDelay()
            return cancelled
        }
    }

    /// Restarts the delay of a question that was hidden, so that the user can read it before the keys accept a yes.
    private mutating func restartQuestionDelay() {
        guard case .question(var screen)? = opened.last else { return }
        screen.ticks = 0
        opened[opened.count - 1] = .question(screen)
    }

    /// Creates the screen of a destination, and the commands that it needs.
    private mutating func open(_ destination: Destination) -> (OpenScreen, [Command]) {
        switch destination {
        case .picker(let purpose, let preferred): return (.picker(PickerScreen(purpose, preferred: preferred, in: model)), [])
        case .addProvider: return (.addProvider(AddProviderScreen(presets: model.presets ?? [])), [])
        case .signingIn(let request, let typed):
            runs += 1
            let run = RunID(number: runs)
            return (.signingIn(SigningInScreen(request, run: run, now: model.now, typed: typed)), [.beginSignIn(request, run)])
        case .welcome(let session): return (.welcome(WelcomeScreen(session: session)), [])
        case .session(let name): return (.session(SessionScreen(name)), [.loadSession(name)])
        case .inspector(let name): return (.inspector(InspectorScreen(name)), [.loadTokens(name)])
        case .activity: return (.activity(ActivityScreen(in: model)), [])
        case .unlock: return (.unlock(UnlockScreen(isNew: model.seal == .locked(isNew: true))), [])
        case .confirm(let confirmation): return (.confirm(ConfirmScreen(confirmation: confirmation)), [])
        case .signOutChoice(let name): return (.signOut(SignOutScreen(name: name)), [])
        case .signingOut(let name, let mode): return (.signingOut(SigningOutScreen(name: name, mode: mode)), [.signOut(name, mode)])
        case .signingOutEverywhere:
            let screen = SignOutEverywhereScreen((model.sessions ?? []).map(\.name))
            return (.signOutEverywhere(screen), screen.commands)
        case .receipt(let receipt): return (.receipt(ReceiptScreen(receipt: receipt)), [])
        case .problem(let problem): return (.problem(ProblemScreen(problem: problem)), [])
        case .nextStep(let step): return (.nextStep(NextStepScreen(step: step)), [])
        case .timeline(let marked): return (.timeline(TimelineScreen(marked: marked, in: model)), [])
        case .palette:
            let keys = current.screen.keyHelp(in: model) + globalKeys.help
            return (.palette(PaletteScreen(keys: keys, in: model)), [])
        case .settings: return (.settings(SettingsScreen()), [])
        case .help:
            let screen = current.screen
            return (
                .help(
                    HelpScreen(
                        subject: screen.title(in: model), own: screen.keyHelp(in: model), everywhere: globalKeys.help,
                        hasMouse: model.usesMouse)),
                []
            )
        }
    }

    /// Chooses the first screen: the sessions if there are any, else the home screen, or the guide if there is no provider either.
    ///
    /// The guide stays until there is a session, even after a provider is added, because the setup is only half done.
    mutating func chooseHomeScreen() {
        let hasSessions = model.sessions?.isEmpty == false
        let hasNothing = model.providers?.isEmpty == true && model.sessions?.isEmpty == true
        switch home {
        case .sessions where hasSessions, .guide where !hasSessions, .home where !hasSessions && !hasNothing: break
        case .sessions, .guide, .home:
            home = hasSessions ? .sessions(SessionsScreen(in: model)) : hasNothing ? .guide(GuideScreen()) : .home(HomeScreen())
        default: break
        }
    }

    /// Opens a problem screen if that interrupts nothing; else shows the problem as a notice.
    mutating func show(_ problem: Problem) -> [Command] {
        switch current {
        case .guide, .home, .sessions, .session, .inspector, .welcome:
            // The notice was about the operation that has ended.
            notice = nil
            return go(.open(.problem(problem)), from: nil)
        default:
            notice = Notice(Words.line(problem.failure), .warning)
            return []
        }
    }
}
