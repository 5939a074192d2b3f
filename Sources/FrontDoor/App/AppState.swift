import AuthModel
import TerminalUI

/// Everything the app knows and shows, as one value. No token is in it, and a typed passphrase only inside of its field.
struct AppState: Equatable, Sendable {
    var world: World
    /// The first screen: the front door, or the sessions once there are some.
    var home: OpenScreen = .frontDoor(FrontDoorScreen())
    /// The screens on top of it, the one that is shown last.
    var opened: [OpenScreen] = []
    var notice: Notice?
    /// How many sign-ins were begun.
    var runs = 0
    /// The themes, in the order of the world's names.
    let themes: [Theme]

    /// - Parameter theme: the name of the one to begin with; the first where there is no such one.
    init(themes: [Theme], theme: String, now: Timestamp, asksGuests: Bool = true, warnings: [String] = []) {
        let themes = themes.isEmpty ? [.uncoloured] : themes
        self.themes = themes
        world = World(
            now: now, size: Size(columns: 80, rows: 24), seal: .unlocked, themes: themes.map(\.name),
            lightThemes: Set(themes.indices.filter { themes[$0].hasLightGround }),
            theme: themes.firstIndex { $0.name == theme } ?? 0, asksGuests: asksGuests)
        if let first = warnings.first {
            notice = Notice(warnings.count > 1 ? CommonWords.warning(first, more: warnings.count - 1) : first, .warning)
        }
    }

    /// The screen that is shown and has the keyboard.
    var current: OpenScreen { opened.last ?? home }

    /// The keys of every screen.
    var globalKeys: KeyMap<GlobalAction> { GlobalAction.bindings(takesText: current.screen.takesText, in: world) }
}
