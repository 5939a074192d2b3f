import TerminalAppModel
import TerminalUI

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

    /// Creates the screen.
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

    /// Creates the screen.
    func screen(in context: inout OpeningContext) -> Opened
}

/// The state of the app that a screen can use when it opens.
struct OpeningContext {
    let model: AppModel
    /// The screen that is visible now.
    let current: any Screen
    /// The keys that work on every screen.
    let globalKeys: KeyMap<GlobalAction>
    /// The number of sign-ins started.
    private(set) var runs: Int

    init(model: AppModel, current: any Screen, globalKeys: KeyMap<GlobalAction>, runs: Int) {
        self.model = model
        self.current = current
        self.globalKeys = globalKeys
        self.runs = runs
    }

    /// Returns the identifier of a new sign-in run.
    mutating func startRun() -> RunID {
        runs += 1
        return RunID(number: runs)
    }
}
