/// An open screen with its state, one case per screen type.
enum OpenScreen: Equatable, Sendable {
    case guide(GuideScreen)
    case home(HomeScreen)
    case picker(PickerScreen)
    case addProvider(AddProviderScreen)
    case signingIn(SigningInScreen)
    case welcome(WelcomeScreen)
    case sessions(SessionsScreen)
    case session(SessionScreen)
    case inspector(InspectorScreen)
    case signOut(SignOutScreen)
    case signingOut(SigningOutScreen)
    case signOutEverywhere(SignOutEverywhereScreen)
    case receipt(ReceiptScreen)
    case activity(ActivityScreen)
    case unlock(UnlockScreen)
    case confirm(ConfirmScreen)
    case problem(ProblemScreen)
    case nextStep(NextStepScreen)
    case palette(PaletteScreen)
    case timeline(TimelineScreen)
    case settings(SettingsScreen)
    case help(HelpScreen)
    case question(QuestionScreen)

    /// The screen as its common protocol.
    var screen: any Screen {
        switch self {
        case .guide(let screen): screen
        case .home(let screen): screen
        case .picker(let screen): screen
        case .addProvider(let screen): screen
        case .signingIn(let screen): screen
        case .welcome(let screen): screen
        case .sessions(let screen): screen
        case .session(let screen): screen
        case .inspector(let screen): screen
        case .signOut(let screen): screen
        case .signingOut(let screen): screen
        case .signOutEverywhere(let screen): screen
        case .receipt(let screen): screen
        case .activity(let screen): screen
        case .unlock(let screen): screen
        case .confirm(let screen): screen
        case .problem(let screen): screen
        case .nextStep(let screen): screen
        case .palette(let screen): screen
        case .timeline(let screen): screen
        case .settings(let screen): screen
        case .help(let screen): screen
        case .question(let screen): screen
        }
    }

    /// Passes an input to the screen; nil if it has no meaning there.
    mutating func take(_ input: ScreenInput, in model: AppModel) -> ScreenResult? {
        func apply<S: Screen>(_ screen: S, _ wrap: (S) -> OpenScreen) -> ScreenResult? {
            var changed = screen
            let step = changed.take(input, in: model)
            self = wrap(changed)
            return step
        }
        return switch self {
        case .guide(let screen): apply(screen, OpenScreen.guide)
        case .home(let screen): apply(screen, OpenScreen.home)
        case .picker(let screen): apply(screen, OpenScreen.picker)
        case .addProvider(let screen): apply(screen, OpenScreen.addProvider)
        case .signingIn(let screen): apply(screen, OpenScreen.signingIn)
        case .welcome(let screen): apply(screen, OpenScreen.welcome)
        case .sessions(let screen): apply(screen, OpenScreen.sessions)
        case .session(let screen): apply(screen, OpenScreen.session)
        case .inspector(let screen): apply(screen, OpenScreen.inspector)
        case .signOut(let screen): apply(screen, OpenScreen.signOut)
        case .signingOut(let screen): apply(screen, OpenScreen.signingOut)
        case .signOutEverywhere(let screen): apply(screen, OpenScreen.signOutEverywhere)
        case .receipt(let screen): apply(screen, OpenScreen.receipt)
        case .activity(let screen): apply(screen, OpenScreen.activity)
        case .unlock(let screen): apply(screen, OpenScreen.unlock)
        case .confirm(let screen): apply(screen, OpenScreen.confirm)
        case .problem(let screen): apply(screen, OpenScreen.problem)
        case .nextStep(let screen): apply(screen, OpenScreen.nextStep)
        case .palette(let screen): apply(screen, OpenScreen.palette)
        case .timeline(let screen): apply(screen, OpenScreen.timeline)
        case .settings(let screen): apply(screen, OpenScreen.settings)
        case .help(let screen): apply(screen, OpenScreen.help)
        case .question(let screen): apply(screen, OpenScreen.question)
        }
    }
}
