import AuthModel
import TerminalAppModel
import TerminalUI

/// A change to the stack of open screens.
enum Move: Equatable, Sendable {
    /// Opens a screen above this one.
    case open(Destination)
    /// Replaces this screen.
    case replace(Destination)
    /// Closes this screen.
    case back
    /// Closes this screen, and presses a key on the one below.
    case press(Key)
    /// Closes every screen but the first.
    case home
}

/// A one-line message above the footer.
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

/// A screen's response to an input: commands, a navigation, a notice.
struct ScreenResult: Equatable, Sendable {
    var commands: [Command] = []
    var move: Move?
    var notice: Notice?
    /// The title of the palette's entry that led to this.
    var chosen: String?
    /// A session whose row the first screen selects and highlights for a moment.
    var highlighted: SessionName?

    /// No effect.
    static let none = ScreenResult()

    static func run(_ commands: Command...) -> ScreenResult { ScreenResult(commands: commands) }
    static func open(_ destination: Destination) -> ScreenResult { ScreenResult(move: .open(destination)) }
    static func replace(_ destination: Destination) -> ScreenResult { ScreenResult(move: .replace(destination)) }
    static let back = ScreenResult(move: .back)
    static let home = ScreenResult(move: .home)
    static func say(_ text: String, _ tone: Notice.Tone = .plain) -> ScreenResult { ScreenResult(notice: Notice(text, tone)) }
}
