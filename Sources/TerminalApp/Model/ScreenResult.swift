import AuthModel
import TerminalUI

/// Where to go.
enum Destination: Equatable, Sendable {
    /// `preferred`: the session whose account is marked first.
    case picker(SignInRequest.Purpose, preferred: SessionName?)
    case addProvider
    /// A sign-in, whose forms begin with what was typed in an earlier one.
    case signingIn(SignInRequest, typed: SignInForm.Answers = [:])
    case welcome(SessionSummary)
    case session(SessionName)
    case inspector(SessionName)
    case activity
    case unlock
    indirect case confirm(Confirmation)
    case signOutChoice(SessionName)
    case signingOut(SessionName, SignOutMode)
    case signingOutEverywhere
    case receipt(SignOutReceipt)
    case problem(Problem)
    case nextStep(NextStep)
    /// `marked`: the session that is marked first.
    case timeline(SessionName?)
    case palette
    case settings
    case help
}

/// How the stack of open screens changes.
enum Move: Equatable, Sendable {
    /// Opens a screen on top of this one.
    case open(Destination)
    /// Puts a screen in the place of this one.
    case replace(Destination)
    /// Leaves this screen.
    case back
    /// Leaves this screen, and presses a key on the one below.
    case press(Key)
    /// Leaves every screen but the first.
    case home
}

/// One quiet line above the footer.
struct Notice: Equatable, Sendable {
    enum Tone: Equatable, Sendable {
        case plain
        case good
        case warning
    }

    var text: String
    var tone: Tone

    init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }
}

/// What a screen answers to a message: what to do outside, where to go, what to say.
struct ScreenResult: Equatable, Sendable {
    var commands: [Command] = []
    var move: Move?
    var notice: Notice?

    /// Nothing.
    static let none = ScreenResult()

    static func run(_ commands: Command...) -> ScreenResult { ScreenResult(commands: commands) }
    static func open(_ destination: Destination) -> ScreenResult { ScreenResult(move: .open(destination)) }
    static func replace(_ destination: Destination) -> ScreenResult { ScreenResult(move: .replace(destination)) }
    static let back = ScreenResult(move: .back)
    static let home = ScreenResult(move: .home)
    static func say(_ text: String, _ tone: Notice.Tone = .plain) -> ScreenResult { ScreenResult(notice: Notice(text, tone)) }
}
