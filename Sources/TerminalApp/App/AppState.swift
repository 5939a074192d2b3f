import AuthModel
import TerminalUI

/// Everything the app knows and shows, as one value. No token is in it, and a typed passphrase only inside of its field.
struct AppState: Equatable, Sendable {
    var model: AppModel
    /// The first screen: the home screen, or the sessions once there are some.
    var home: OpenScreen = .home(HomeScreen())
    /// The screens on top of it, the one that is shown last.
    var opened: [OpenScreen] = []
    var notice: Notice?
    /// Keys that were pressed before the first screen was known, and wait for it.
    var typedAhead: [Key] = []
    /// Whether the demo is to be run when the app has ended.
    private(set) var wantsDemo = false
    /// Whether it was said what stays when the app is left now.
    var saidWhatStays = false
    /// How many sign-ins were begun.
    var runs = 0
    /// The themes, in the order of the world's names.
    private(set) var themes: [Theme]
    /// The theme that the settings named when they were last read.
    private var settledTheme: String
    /// What the settings were warned about when they were last read.
    private var warning: Notice?
    /// Themes that were chosen here and are being kept: what is read of them comes late, and changes nothing.
    private var chosenThemes: Set<String> = []

    /// - Parameter presets: the well-known providers that can be added; `nil` where none can be added from here.
    init(_ settings: TerminalAppSettings, now: Timestamp, presets: [ProviderPresetChoice]? = nil) {
        themes = [.uncoloured]
        settledTheme = settings.theme
        model = AppModel(now: now, size: Size(columns: 80, rows: 24), seal: .unlocked, presets: presets, themes: [])
        take(settings.themes, named: settings.theme)
        model.asksGuests = settings.asksGuests
        model.language = settings.language
        model.keys = settings.keys
        model.settings = settings.sheet
        model.usesMouse = settings.usesMouse
        warn(settings.warnings)
    }

    /// Takes the settings as they are now. The theme in use stays while its file is being written and is not right for a moment.
    mutating func take(_ settings: TerminalAppSettings) {
        let isStandIn = !model.themes.contains(settledTheme)
        let isChosenHere = chosenThemes.contains(settings.theme) || settings.theme == settledTheme && !isStandIn
        let wanted = isChosenHere ? model.themeName : settings.theme
        let kept = settings.themes.contains { $0.name == wanted } ? [] : themes.filter { $0.name == wanted }
        take(settings.themes + kept, named: wanted)
        if settings.theme == model.themeName { chosenThemes = [] }
        settledTheme = settings.theme
        model.asksGuests = settings.asksGuests
        model.language = settings.language
        model.keys = settings.keys
        model.settings = settings.sheet
        model.usesMouse = settings.usesMouse
        warn(settings.warnings)
    }

    /// Notes that the demo is wanted once the terminal is free.
    mutating func leaveForTheDemo() { wantsDemo = true }

    /// Goes on to the next theme.
    mutating func takeNextTheme() { choose(theme: (model.theme + 1) % model.themes.count) }

    /// Takes the theme of that name, where there is one.
    mutating func choose(theme name: String) {
        if let index = model.themes.firstIndex(of: name) { choose(theme: index) }
    }

    private mutating func choose(theme index: Int) {
        model.theme = index
        chosenThemes.insert(model.themeName)
    }

    /// The theme to draw with: the one in use, or one that is only looked at.
    var shownTheme: Theme {
        var index: Int? = model.theme
        if case .settings(let screen) = current, let name = screen.previewed(in: model) { index = model.themes.firstIndex(of: name) }
        return index.flatMap { themes.indices.contains($0) ? themes[$0] : nil } ?? .uncoloured
    }

    private mutating func take(_ themes: [Theme], named name: String) {
        let themes = themes.isEmpty ? [.uncoloured] : themes
        self.themes = themes
        model.themes = themes.map(\.name)
        model.lightThemes = Set(themes.indices.filter { themes[$0].hasLightGround })
        model.theme = themes.firstIndex { $0.name == name } ?? 0
    }

    private mutating func warn(_ warnings: [String]) {
        // What was mended needs no word any more.
        if notice == warning { notice = nil }
        warning = warnings.first.map { first in
            Notice(warnings.count > 1 ? CommonWords.warning(first, more: warnings.count - 1) : first, .warning)
        }
        if let warning { notice = warning }
    }

    /// The screen that is shown and has the keyboard.
    var current: OpenScreen { opened.last ?? home }

    /// Whether something goes by the second. Lines that were said do not count down; a question that nobody answers ends all the same.
    var hasClock: Bool {
        if model.isPlain { if case .question = current { return true } else { return false } }
        return current.screen.isTimed(in: model)
    }

    /// The names of the screens that lead here; a name that stands twice in a row is told once.
    var trail: [String] {
        ([home] + opened).map { $0.screen.title(in: model) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The keys of every screen.
    var globalKeys: KeyMap<GlobalAction> { GlobalAction.bindings(takesText: current.screen.takesText, in: model) }
}
