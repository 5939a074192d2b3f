@testable import TerminalApp

/// The kinds of screens, without their contents.
enum ScreenKind: CaseIterable {
    case guide, home, picker, addProvider, signingIn, welcome, sessions, session, inspector, signOut, signingOut, signOutEverywhere,
        receipt, activity, unlock, confirm, problem, nextStep, palette, timeline, settings, help, question

    init(_ screen: OpenScreen) {
        switch screen {
        case .guide: self = .guide
        case .home: self = .home
        case .picker: self = .picker
        case .addProvider: self = .addProvider
        case .signingIn: self = .signingIn
        case .welcome: self = .welcome
        case .sessions: self = .sessions
        case .session: self = .session
        case .inspector: self = .inspector
        case .signOut: self = .signOut
        case .signingOut: self = .signingOut
        case .signOutEverywhere: self = .signOutEverywhere
        case .receipt: self = .receipt
        case .activity: self = .activity
        case .unlock: self = .unlock
        case .confirm: self = .confirm
        case .problem: self = .problem
        case .nextStep: self = .nextStep
        case .palette: self = .palette
        case .timeline: self = .timeline
        case .settings: self = .settings
        case .help: self = .help
        case .question: self = .question
        }
    }
}
