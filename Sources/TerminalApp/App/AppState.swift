import AuthModel
import Localization
import TerminalUI

/// The app's whole state as one value. It contains a token only while a screen shows it, as a `Secret`, and a typed passphrase only inside
/// its field.
struct AppState: Equatable, Sendable {
    var model: AppModel
    /// The first screen: home, the guide, or the sessions once there are some.
    var home = OpenScreen(HomeScreen())
    /// The screens above the first one; the last one is visible.
    var opened: [OpenScreen] = []
    var notice: Notice?
    /// The session to open once the sessions are known.
    var opensFirst: SessionName?
    /// Keys that were pressed before the first screen was known.
    var earlyKeys: [Key] = []
    /// Whether to start the demo after the app ends.
    private(set) var wantsDemo = false
    /// Whether the user was warned that a session is not forgotten yet if the app quits now.
    var hasWarnedOfPendingForgets = false
    /// When the next notice of a session's end is due.
    var noticeDueAt: Timestamp?
    /// The time of the last tick, from which the next one is counted.
    var tickedAt: Timestamp
    /// When the store was unlocked, while the gate lifts.
    var unlockedAt: Timestamp?
    /// The number of sign-ins started.
    var runs = 0
    /// The themes, in the order of the model's theme names.
    private(set) var themes: [Theme]
    /// The configured theme when the settings were last read.
    private var settledTheme: String
    /// The warning from the settings when they were last read.
    private var warning: Notice?
    /// The theme from before the app followed the terminal's colour scheme; nil if it follows none.
    private var ownTheme: String?
    /// Themes that the user chose here and that are still being saved. A late read of an older setting must not change the theme.
    private var chosenThemes: Set<String> = []

    /// Creates the initial state.
    ///
    /// - Parameter presets: the provider presets that can be added; nil if providers cannot be added from here.
    init(_ settings: TerminalAppSettings, now: Timestamp, presets: ServiceChoices? = nil) {
        tickedAt = now
        themes = [.uncoloured]
        settledTheme = settings.theme
        model = AppModel(now: now, presets: presets)
        take(settings.themes, named: settings.theme)
        takeOthers(of: settings)
    }

    /// Applies new settings. The theme in use stays if its file is invalid for a moment, while it is being written.
    mutating func take(_ settings: TerminalAppSettings) {
        let isStandIn = !model.themes.contains(settledTheme)
        let isChosenHere = chosenThemes.contains(settings.theme) || settings.theme == settledTheme && !isStandIn
        let wanted = isChosenHere ? model.themeName : settings.theme
        let kept = settings.themes.contains { $0.name == wanted } ? [] : themes.filter { $0.name == wanted }
        if wanted != model.themeName { ownTheme = nil }
        take(settings.themes + kept, named: wanted)
        if settings.theme == model.themeName { chosenThemes = [] }
        settledTheme = settings.theme
        takeOthers(of: settings)
    }

    /// Applies the settings other than the theme.
    private mutating func takeOthers(of settings: TerminalAppSettings) {
        model.asksGuests = settings.asksGuests
        model.language = settings.language
        model.keys = settings.keys
        model.settings = settings.sheet
        model.usesMouse = settings.usesMouse
        model.localTime = settings.localTime
        model.motion = settings.motion
        warn(settings.warnings)
    }

    /// Records that the demo starts after the app ends.
    mutating func requestDemo() { wantsDemo = true }

    /// Selects the theme with that name, if it exists.
    mutating func choose(theme name: String) {
        if let index = model.themes.firstIndex(of: name) { choose(theme: index) }
    }

    private mutating func choose(theme index: Int) {
        model.theme = index
        ownTheme = nil
        chosenThemes.insert(model.themeName)
    }

    /// Selects the light or dark partner of the theme, as the terminal's colours are now, without saving it. The user's own theme returns
    /// with its colours.
    mutating func follow(isLight: Bool) {
        guard themes.indices.contains(model.theme), themes[model.theme].hasLightGround != isLight else { return }
        let current = themes[model.theme]
        let wanted = [ownTheme, current.partner].compactMap(\.self)
        guard let index = themes.firstIndex(where: { wanted.contains($0.name) && $0.hasLightGround == isLight }) else { return }
        model.theme = index
        ownTheme = ownTheme == themes[index].name ? nil : ownTheme ?? current.name
    }

    /// The theme to draw with: the selected one, or the one in preview.
    var displayedTheme: Theme {
        let previewed = currentTraits.previewedTheme
        let index = previewed.map { model.themes.firstIndex(of: $0) } ?? model.theme
        return index.flatMap { themes.indices.contains($0) ? themes[$0] : nil } ?? .uncoloured
    }

    private mutating func take(_ themes: [Theme], named name: String) {
        let themes = themes.isEmpty ? [.uncoloured] : themes
        self.themes = themes
        model.themes = themes.map(\.name)
        model.theme = themes.firstIndex { $0.name == name } ?? 0
    }

    private mutating func warn(_ warnings: [String]) {
        // Clears the old warning, which may be fixed.
        if notice == warning { notice = nil }
        warning = warnings.first.map { first in
            let more = warnings.count - 1
            return Notice(more > 0 ? tr("{1} (and {2} more: yett doctor)", first, more) : first, .warning)
        }
        if let warning { notice = warning }
    }

    /// The visible screen, which has the keyboard focus.
    var current: OpenScreen { opened.last ?? home }

    /// The highest screen below the visible one that fills the whole area, for a card to be above.
    var below: OpenScreen {
        opened.dropLast().last { $0.screen.traits(in: model).box == nil } ?? home
    }

    /// The traits of the visible screen.
    var currentTraits: ScreenTraits { current.screen.traits(in: model) }

    /// Whether the screen needs a tick every second.
    var needsTick: Bool { model.isPlain ? currentTraits.ticksAsPlainPrompts : currentTraits.needsTicks }

    /// The titles of the open screens; adjacent equal titles appear once.
    var trail: [String] {
        ([home] + opened).map { $0.screen.title(in: model) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The hints for the global keys that the visible screen does not use for something else.
    var globalHints: [KeyHint] {
        let own = current.screen.keys(in: model)
        let named = Set(own.hints.map(\.label))
        return globalKeys.hints.filter { hint in !named.contains(hint.label) && hint.keys.allSatisfy { own.decide($0) == .unbound } }
    }

    var globalKeys: KeyMap<String> { GlobalActions.keys(takesText: currentTraits.takesText, in: model) }
}
