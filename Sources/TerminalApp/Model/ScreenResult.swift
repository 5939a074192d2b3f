import AuthModel
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

/// The target of a navigation: a value that creates a screen at the time it opens.
///
/// Each screen declares its destinations in its own file, as static members of this type.
struct Destination: Equatable, Sendable {
    private let request: any ScreenRequest

    /// Creates a destination whose screen is made from the app's state when it opens.
    init(_ request: some ScreenRequest) { self.request = request }

    /// Creates a destination whose screen needs nothing of the app's state.
    init(_ screen: some Screen) { self.init(ReadyScreen(screen: screen)) }

    static func == (left: Destination, right: Destination) -> Bool { left.request.isEqual(to: right.request) }

    func screen(in context: inout OpeningContext) -> any Screen { request.screen(in: &context) }

    private struct ReadyScreen<S: Screen>: ScreenRequest {
        var screen: S

        func screen(in context: inout OpeningContext) -> S { screen }
    }
}

/// A request to open a screen, with its arguments.
protocol ScreenRequest: Equatable, Sendable {
    /// The screen that the request opens.
    associatedtype Opened: Screen

    func screen(in context: inout OpeningContext) -> Opened
}

/// The state of the app that a screen can use when it opens.
struct OpeningContext {
    let model: AppModel
    /// The screen that is visible now.
    let current: any Screen
    /// The keys that work on every screen.
    let globalKeys: KeyMap<String>
    /// The number of sign-ins started.
    private(set) var runs: Int

    /// Returns the identifier of a new sign-in run.
    mutating func startRun() -> RunID {
        runs += 1
        return RunID(number: runs)
    }
}

/// An open screen of any type, with its state. Two are equal if their types and their values are.
struct OpenScreen: Equatable, Sendable {
    /// The screen as its common protocol.
    var screen: any Screen

    init(_ screen: any Screen) { self.screen = screen }

    static func == (left: OpenScreen, right: OpenScreen) -> Bool { left.screen.isEqual(to: right.screen) }

    /// Returns the screen as a value of its own type; nil if it has another type.
    func `as`<S: Screen>(_ type: S.Type) -> S? { screen as? S }
}

extension Equatable {
    /// Returns whether `other` has the same type and the same value.
    func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}
